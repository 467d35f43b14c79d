#include "model/lowering/body_facts.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace bufferproof::model::lowering {
namespace {

/// Conjunction where "not known" gives way to a known false.
void add(std::optional<bool>& all, std::optional<bool> one) {
  if (all == false || one == true) return;
  all = one;
}

/// Cannot meet a symbol of the program: Python identifiers have no '$'.
std::string axis_name(std::size_t axis) { return "$" + std::to_string(axis); }

class Binder {
 public:
  Binder(const BodySummary& body, const Launch& launch, const Environment& environment)
      : body_(body), launch_(launch), environment_(environment) {}

  BodyFacts bind() {
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) bind_symbols(i);
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) add_reads(i);
    for (const InputSummary& input : body_.inputs) {
      facts_.overwritten.push_back(input.overwritten);
      facts_.within.push_back(input.within);
      facts_.moved.push_back(input.moved);
      facts_.elements.push_back(input.scalar ? std::nullopt : std::optional(input.type.dtype));
    }
    for (const OutputSummary& output : body_.outputs) facts_.results.push_back(result(output));
    for (const Cond& assumption : body_.assumptions)
      if (!assumption.substitute(symbols_).is_true()) facts_.open_sizes = true;
    return std::move(facts_);
  }

 private:
  const std::optional<Layout>& declared(std::size_t i) const {
    return environment_.of(launch_.arguments[i].handle).layout;
  }
  void bind_symbols(std::size_t i) {
    const InputSummary& input = body_.inputs[i];
    if (input.scalar) {
      if (launch_.arguments[i].scalar) symbols_.emplace(input.name, *launch_.arguments[i].scalar);
      return;
    }
    if (!declared(i) || declared(i)->rank() != input.type.rank()) return;
    for (std::size_t axis = 0; axis < input.type.rank(); ++axis)
      if (const auto symbol = input.type.shape[axis].as_symbol())
        symbols_.emplace(*symbol, declared(i)->sizes[axis]);
  }
  /// In the program's symbols; a size the body leaves open gets a name no program has.
  SymExpr bound(const SymExpr& size) {
    std::set<std::string> names;
    size.collect_symbols(names);
    for (const std::string& name : names)
      if (symbols_.emplace(name, SymExpr::symbol("$" + name)).second) facts_.open_sizes = true;
    return size.substitute(symbols_);
  }
  std::vector<SymExpr> bound(const std::vector<SymExpr>& sizes) {
    std::vector<SymExpr> out;
    for (const SymExpr& size : sizes) out.push_back(bound(size));
    return out;
  }
  ElementBox bound(const Box& box) {
    ElementBox out;
    for (const Interval& interval : box.axes)
      out.push_back({bound(interval.begin), bound(interval.end), interval.step});
    return out;
  }
  static bool is_whole(const ElementBox& box, const std::vector<SymExpr>& sizes) {
    for (std::size_t axis = 0; axis < box.size(); ++axis)
      if (box[axis].step != 1 || box[axis].begin != SymExpr(0) || box[axis].end != sizes[axis]) return false;
    return true;
  }

  /// The declared sizes are those of the body's parameter; else the whole argument is taken to be read.
  bool sizes_fit(std::size_t i) {
    const InputSummary& input = body_.inputs[i];
    if (input.scalar || !declared(i)) return false;
    const std::vector<SymExpr> sizes = bound(input.type.shape);
    const auto same = same_sizes(sizes, declared(i)->sizes);
    if (same == true) return true;
    if (same == false)
      facts_.differences.push_back("argument " + std::to_string(i) + " is " + declared(i)->str() +
                                   ", the kernel is compiled for " + input.type.str());
    if (same == false) facts_.own_sizes.back() = own_sizes(i, sizes);
    if (!facts_.own_sizes.back()) facts_.open_sizes = true;
    return false;
  }
  /// nullopt: not all of its sizes are numbers.
  std::optional<OwnSizes> own_sizes(std::size_t i, const std::vector<SymExpr>& sizes) {
    const Layout layout = contiguous(sizes);
    const auto elements = layout.elements().constant();
    if (!elements || *elements < 1) return std::nullopt;
    OwnSizes own{.elements = *elements};
    for (const ReadElements& read : body_.inputs[i].reads) {
      const auto last = read.exact ? last_address(bound(read.box), layout) : std::nullopt;
      own.reaches = std::max(own.reaches, last.value_or(-1) + 1);
    }
    return own;
  }
  /// nullopt: no element, or one that symbols decide.
  static std::optional<std::int64_t> last_address(const ElementBox& box, const Layout& layout) {
    std::vector<SymExpr> index;
    for (const auto& [begin, end, step] : box) {
      const auto count = (end - begin).constant();
      if (!count || *count < 1) return std::nullopt;
      index.push_back(begin + (*count - 1) / step * step);
    }
    return layout.address(index).constant();
  }

  void add_reads(std::size_t i) {
    facts_.own_sizes.emplace_back();
    facts_.may_reads.emplace_back();
    facts_.reads.emplace_back();
    if (!sizes_fit(i)) return;
    std::vector<ElementBox> boxes;
    for (const ReadElements& read : body_.inputs[i].reads) {
      ElementBox box = bound(read.box);
      if (read.exact && is_whole(box, declared(i)->sizes)) {
        facts_.may_reads.back().clear();
        return;
      }
      (read.exact ? boxes : facts_.may_reads.back()).push_back(std::move(box));
    }
    facts_.reads.back() = std::move(boxes);
  }

  ResultFacts result(const OutputSummary& output) {
    ResultFacts facts;
    facts.sizes = bound(output.type.shape);
    facts.dtype = output.type.dtype;
    facts.strides_known = output.layout != EagerLayout::unknown && output.offset_known;
    facts.eager_strides =
        output.layout == EagerLayout::strided ? bound(output.strides) : contiguous(facts.sizes).strides;
    facts.view_of = output.view_of;
    if (output.view_of >= 0 && output.offset_known) facts.view_offset = bound(output.offset);
    facts.same_as = output.same_as;
    for (const UndefinedElements& elements : output.undefined)
      (elements.exact ? facts.undefined : facts.unfollowed).push_back(bound(elements.box));
    return facts;
  }

  const BodySummary& body_;
  const Launch& launch_;
  const Environment& environment_;
  std::map<std::string, SymExpr, std::less<>> symbols_;
  BodyFacts facts_;
};

}  // namespace

std::optional<BodyFacts> bind_body(const BodySummary& body, const Launch& launch, std::size_t inputs,
                                   const Environment& environment) {
  if (body.inputs.size() != inputs || inputs > launch.arguments.size()) return std::nullopt;
  return Binder(body, launch, environment).bind();
}

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

bool differ_somewhere(const std::vector<SymExpr>& a, const std::vector<SymExpr>& b) {
  if (a.size() != b.size()) return true;
  std::set<std::string> names;
  for (const auto* sizes : {&a, &b})
    for (const SymExpr& size : *sizes) size.collect_symbols(names);
  if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.front() == '$'; }))
    return false;
  for (const std::int64_t first : {5, 6, 8, 27}) {
    Valuation at;
    for (const std::string& name : names) at[name] = first + 3 * static_cast<std::int64_t>(at.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto x = a[i].evaluate(at), y = b[i].evaluate(at);
      if (x && y && *x != *y) return true;
    }
  }
  return false;
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
