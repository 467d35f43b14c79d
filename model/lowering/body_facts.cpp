#include "model/lowering/body_facts.hpp"

namespace bufferproof::model::lowering {
namespace {

/// Conjunction where "not known" gives way to a known false.
void add(std::optional<bool>& all, std::optional<bool> one) {
  if (all == false || one == true) return;
  all = one;
}

/// Cannot meet a symbol of the program: Python identifiers have no '$'.
std::string axis_name(std::size_t axis) { return "$" + std::to_string(axis); }

}  // namespace

std::optional<bool> same_size(const SymExpr& a, const SymExpr& b) {
  const auto difference = (a - b).constant();
  return difference ? std::optional(*difference == 0) : std::nullopt;
}

std::optional<bool> same_sizes(const std::vector<SymExpr>& a, const std::vector<SymExpr>& b) {
  if (a.size() != b.size()) return false;
  std::optional<bool> all = true;
  for (std::size_t i = 0; i < a.size(); ++i) add(all, same_size(a[i], b[i]));
  return all;
}

std::optional<bool> broadcasts_to(const std::vector<SymExpr>& from, const std::vector<SymExpr>& to) {
  if (from.size() > to.size()) return false;
  std::optional<bool> all = true;
  const std::size_t shift = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != SymExpr(1)) add(all, same_size(from[i], to[i + shift]));
  return all;
}

IndexSet box_set(const ElementBox& box) {
  IndexSet set;
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    const auto& [begin, end, step] = box[axis];
    const std::string name = axis_name(axis);
    const SymExpr i = SymExpr::symbol(name);
    if (step == 1) {
      set.variables.push_back({name, begin, end});
      set.index.push_back(i);
    } else {
      set.variables.push_back({name, 0, floordiv(end - begin + (step - 1), step)});
      set.index.push_back(begin + SymExpr(step) * i);
    }
  }
  return set;
}

IndexSet all_but(const std::vector<SymExpr>& sizes, const std::vector<ElementBox>& boxes) {
  IndexSet set;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    set.variables.push_back({axis_name(axis), 0, sizes[axis]});
    set.index.push_back(SymExpr::symbol(axis_name(axis)));
  }
  for (const ElementBox& box : boxes) {
    Cond outside = false;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const SymExpr& i = set.index[axis];
      const auto& [begin, end, step] = box[axis];
      outside = outside || Cond::lt(i, begin) || Cond::le(end, i);
      if (step != 1) outside = outside || Cond::ne(mod(i - begin, step), 0);
    }
    set.where = set.where && outside;
  }
  return set;
}

}  // namespace bufferproof::model::lowering
