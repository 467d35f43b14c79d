#include "checker/units.hpp"

#include <numeric>

namespace bufferproof::checker {

using namespace model;

Units::Units(const Block& block) { visit(block); }

void Units::visit(const Block& block) {
  for (const Step& step : block) {
    if (const auto* s = std::get_if<Alloc>(&step.node)) size(s->name.str(), s->dtype);
    if (const auto* s = std::get_if<View>(&step.node)) {
      join(s->name.str(), s->base.str());
      size(s->name.str(), s->dtype);
    }
    if (const auto* s = std::get_if<Bind>(&step.node)) join(s->name.str(), s->source.str());
    if (const auto* s = std::get_if<Launch>(&step.node))
      for (const Variant& variant : s->variants)
        for (const Rebind& rebind : variant.rebinds)
          if (!rebind.alias_of.empty()) join(rebind.handle.str(), rebind.alias_of.str());
    if (const auto* s = std::get_if<Branch>(&step.node)) {
      visit(s->then_block);
      visit(s->else_block);
    }
    if (const auto* s = std::get_if<Loop>(&step.node)) visit(s->body);
  }
}

void Units::size(const std::string& name, std::optional<DType> dtype) {
  if (!dtype) return;
  const std::string family = root(name);
  const std::int64_t bytes = size_in_bytes(*dtype);
  auto [unit, fresh] = unit_.try_emplace(family, bytes);
  if (fresh || unit->second == bytes) return;
  mixed_[family] = true;
  unit->second = std::gcd(unit->second, bytes);
}

std::string Units::root(std::string name) const {
  for (auto found = parent_.find(name); found != parent_.end(); found = parent_.find(name))
    name = found->second;
  return name;
}

void Units::join(const std::string& a, const std::string& b) {
  const std::string from = root(a);
  const std::string to = root(b);
  if (from == to) return;
  parent_[from] = to;
  auto moved = unit_.find(from);
  if (moved == unit_.end()) return;
  auto [unit, fresh] = unit_.try_emplace(to, moved->second);
  if (mixed_.contains(from) || unit->second != moved->second) mixed_[to] = true;
  unit->second = std::gcd(unit->second, moved->second);
}

std::int64_t Units::scale(const std::string& name, std::optional<DType> dtype) const {
  if (!dtype || mixed_.empty()) return 1;
  const std::string family = root(name);
  if (!mixed_.contains(family)) return 1;
  return size_in_bytes(*dtype) / unit_.at(family);
}

Layout in_units(const Layout& layout, std::int64_t scale) {
  if (scale == 1) return layout;
  Layout out = layout;
  out.offset = out.offset * SymExpr(scale);
  for (SymExpr& stride : out.strides) stride = stride * SymExpr(scale);
  out.sizes.emplace_back(scale);
  out.strides.emplace_back(1);
  return out;
}

}  // namespace bufferproof::checker
