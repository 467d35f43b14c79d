#include "simulator/selection_builder.hpp"

#include <algorithm>
#include <cassert>

#include "simulator/evaluate.hpp"
#include "simulator/first_outside.hpp"

namespace bufferproof::simulator {

using model::Cond;
using model::IndexSet;
using model::InputError;
using model::SourceLocation;
using model::SymExpr;
using model::Valuation;

namespace {

constexpr std::int64_t kMostEnumerated = std::int64_t{1} << 22;
/// How far an element out of bounds is looked for; beyond, a corner of the box is named.
constexpr std::int64_t kMostSearched = std::int64_t{1} << 20;

struct Interval {
  std::int64_t lo;
  std::int64_t hi;  ///< inclusive
};

/// Values of an affine form over variables that run from 0 to counts - 1 (all > 0).
Interval range(const Affine& form, const std::vector<std::int64_t>& counts, const SourceLocation& where) {
  Interval out{form.constant, form.constant};
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const std::int64_t far = mul_checked(form.coefficients[v], counts[v] - 1, where);
    out.lo = add_checked(out.lo, std::min<std::int64_t>(far, 0), where);
    out.hi = add_checked(out.hi, std::max<std::int64_t>(far, 0), where);
  }
  return out;
}

[[noreturn]] void too_many(const SourceLocation& where, std::int64_t most) {
  throw InputError(where, "a set of at most " + std::to_string(most) + " elements that are enumerated",
                   "more", "this is too large to simulate; give smaller values to --size");
}

}  // namespace

SelectionBuilder::SelectionBuilder(const Handle& handle, const Valuation& values, const SourceLocation& where)
    : handle_(handle), values_(values), where_(where) {
  out_.span = handle.span();
}

Selection SelectionBuilder::build(const IndexSet& set) {
  if (!handle_.known_layout) {
    whole_storage();
    return std::move(out_);
  }
  if (set.whole) {
    whole_handle();
    check_box();
    return std::move(out_);
  }
  if (set.index.size() != handle_.shape.sizes.size())
    throw InputError(where_, std::to_string(handle_.shape.sizes.size()) + " indices, one per axis",
                     std::to_string(set.index.size()));
  for (const auto& [name, value] : values_) substitution_.emplace(name, SymExpr(value));
  for (const model::BoundVariable& variable : set.variables) substitution_.erase(variable.name);
  if (affine(set)) {
    check_box();
    return std::move(out_);
  }
  out_ = Selection();
  out_.span = handle_.span();
  out_.is_box = false;
  out_.axes.resize(set.index.size());
  variables_ = values_;
  enumerate(set, 0);
  return std::move(out_);
}

/// An alias whose window is not known: any element of the storage may be meant.
void SelectionBuilder::whole_storage() {
  const std::int64_t elements = handle_.storage->size / out_.span;
  out_.count = elements;
  out_.dims = {{elements, out_.span}};
  out_.counts = {elements};
}

void SelectionBuilder::whole_handle() {
  const std::vector<std::int64_t>& sizes = handle_.shape.sizes;
  out_.counts = sizes;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    Affine form{0, std::vector<std::int64_t>(sizes.size(), 0)};
    form.coefficients[axis] = 1;
    out_.axes.push_back(std::move(form));
  }
}

SymExpr SelectionBuilder::known(const SymExpr& e) const {
  if (e.is_constant()) return e;
  try {
    return e.substitute(substitution_);
  } catch (const model::OverflowError&) {
    throw InputError(where_, "an expression with a value in this run", e.str());
  }
}

Cond SelectionBuilder::known(const Cond& c) const {
  if (c.kind() == Cond::Kind::constant) return c;
  try {
    return c.substitute(substitution_);
  } catch (const model::OverflowError&) {
    throw InputError(where_, "a condition with a value in this run", c.str());
  }
}

std::optional<Affine> SelectionBuilder::compile(const SymExpr& e, const IndexSet& set) const {
  const SymExpr folded = known(e);
  const auto linear = folded.linear();
  if (!linear) return std::nullopt;
  Affine form{folded.constant_part(), std::vector<std::int64_t>(set.variables.size(), 0)};
  std::size_t found = 0;
  for (std::size_t v = 0; v < set.variables.size(); ++v) {
    const auto coefficient = linear->find(set.variables[v].name);
    if (coefficient == linear->end()) continue;
    form.coefficients[v] = coefficient->second;
    ++found;
  }
  if (found != linear->size()) evaluate(e, values_, where_);  // raises: a symbol has no value
  return form;
}

/// False when the set needs enumeration: a condition, ranges that depend on each other, index not affine.
bool SelectionBuilder::affine(const IndexSet& set) {
  const Cond where = known(set.where);
  if (!where.is_true() && !where.is_false()) return false;
  std::vector<std::int64_t> lows;
  for (const model::BoundVariable& variable : set.variables) {
    const auto lo = known(variable.lo).constant();
    const auto hi = known(variable.hi).constant();
    if (!lo || !hi) return false;
    lows.push_back(*lo);
    out_.counts.push_back(
        where.is_false() || *hi <= *lo ? 0 : add_checked(*hi, mul_checked(*lo, -1, where_), where_));
  }
  if (where.is_false() && set.variables.empty()) return false;
  for (const SymExpr& e : set.index) {
    auto form = compile(e, set);
    if (!form) return false;
    for (std::size_t v = 0; v < lows.size(); ++v)
      form->constant =
          add_checked(form->constant, mul_checked(form->coefficients[v], lows[v], where_), where_);
    out_.axes.push_back(std::move(*form));
  }
  return true;
}

Affine SelectionBuilder::address_of_axes() const {
  Affine address{handle_.base(), std::vector<std::int64_t>(out_.counts.size(), 0)};
  for (std::size_t axis = 0; axis < out_.axes.size(); ++axis) {
    const std::int64_t stride = mul_checked(handle_.shape.strides[axis], out_.span, where_);
    address.constant =
        add_checked(address.constant, mul_checked(out_.axes[axis].constant, stride, where_), where_);
    for (std::size_t v = 0; v < out_.counts.size(); ++v)
      address.coefficients[v] = add_checked(
          address.coefficients[v], mul_checked(out_.axes[axis].coefficients[v], stride, where_), where_);
  }
  return address;
}

// C5
void SelectionBuilder::check_box() {
  out_.count = 1;
  for (std::int64_t n : out_.counts) out_.count = mul_checked(out_.count, n, where_);
  address_ = address_of_axes();
  out_.base = address_.constant;
  for (std::size_t v = 0; v < out_.counts.size(); ++v)
    out_.dims.push_back({out_.counts[v], address_.coefficients[v]});
  if (out_.count == 0) return;
  for (std::size_t axis = 0; axis < out_.axes.size(); ++axis) {
    const Interval values = range(out_.axes[axis], out_.counts, where_);
    out_.any_outside |= values.lo < 0 || values.hi >= handle_.shape.sizes[axis];
  }
  const Interval span = range(address_, out_.counts, where_);
  const bool beyond = span.lo < 0 || span.hi + out_.span > handle_.storage->size;
  out_.any_outside |= beyond;
  if (out_.any_outside) find_outside();
  if (beyond) clip_to_storage();
}

bool SelectionBuilder::element_is_outside(std::int64_t ordinal) const {
  std::vector<std::int64_t> variables(out_.counts.size());
  for (std::size_t v = variables.size(); v-- > 0;) {
    variables[v] = ordinal % out_.counts[v];
    ordinal /= out_.counts[v];
  }
  for (std::size_t axis = 0; axis < out_.axes.size(); ++axis) {
    const std::int64_t value = out_.axes[axis].at(variables);
    if (value < 0 || value >= handle_.shape.sizes[axis]) return true;
  }
  const std::int64_t at = address_.at(variables);
  return at < 0 || at + out_.span > handle_.storage->size;
}

/// Whether elements come in the order of their indices: each axis is one variable of its own, forwards.
bool SelectionBuilder::in_index_order() const {
  std::size_t next = 0;
  for (const Affine& axis : out_.axes)
    for (std::size_t v = 0; v < axis.coefficients.size(); ++v) {
      if (axis.coefficients[v] == 0) continue;
      if (axis.coefficients[v] < 0 || v < next) return false;
      next = v + 1;
    }
  return true;
}

/// The least index outside.
void SelectionBuilder::find_outside() {
  if (!in_index_order()) {
    out_.first_outside = least_of_searched().value_or(out_.index_of(out_.count - 1));
    return;
  }
  std::vector<Bounded> forms{{address_, 0, handle_.storage->size - out_.span}};
  for (std::size_t axis = 0; axis < out_.axes.size(); ++axis)
    forms.push_back({out_.axes[axis], 0, handle_.shape.sizes[axis] - 1});
  const auto point = first_outside(std::move(forms), out_.counts);
  assert(point);  // the ranges said so
  for (const Affine& axis : out_.axes) out_.first_outside.push_back(axis.at(*point));
}

std::optional<std::vector<std::int64_t>> SelectionBuilder::least_of_searched() const {
  std::optional<std::vector<std::int64_t>> least;
  const std::int64_t most = std::min(out_.count, kMostSearched);
  for (std::int64_t ordinal = 0; ordinal < most; ++ordinal) {
    if (!element_is_outside(ordinal)) continue;
    std::vector<std::int64_t> index = out_.index_of(ordinal);
    if (!least || index < *least) least = std::move(index);
  }
  return least;
}

/// An access beyond the storage is not carried out; the rest of the set is.
void SelectionBuilder::clip_to_storage() {
  const std::vector<Run> all = runs_of(out_, where_);
  out_.is_box = false;
  out_.dims.clear();
  for (const Run& run : all) append(run);
}

/// What of the run lies in the storage.
void SelectionBuilder::append(Run run) {
  const std::int64_t skipped = run.address < 0 ? -(run.address + 1) / out_.span + 1 : 0;
  const std::int64_t room = difference_within(handle_.storage->size, run.address);
  const std::int64_t count = std::min(run.count, room < 0 ? 0 : room / out_.span) - skipped;
  if (count <= 0) return;
  run = {run.ordinal + skipped, run.address + skipped * out_.span, count};
  if (!out_.runs.empty()) {
    Run& last = out_.runs.back();
    if (last.ordinal + last.count == run.ordinal && last.address + last.count * out_.span == run.address) {
      last.count += count;
      return;
    }
  }
  out_.runs.push_back(run);
}

void SelectionBuilder::enumerate(const IndexSet& set, std::size_t variable) {
  if (variable == set.variables.size()) {
    if (evaluate(set.where, variables_, where_)) add_element(set);
    return;
  }
  const model::BoundVariable& bound = set.variables[variable];
  const std::int64_t lo = evaluate(bound.lo, variables_, where_);
  const std::int64_t hi = evaluate(bound.hi, variables_, where_);
  if (hi > lo && add_checked(hi, mul_checked(lo, -1, where_), where_) > kMostEnumerated)
    too_many(where_, kMostEnumerated);
  for (std::int64_t value = lo; value < hi; ++value) {
    if (++enumerated_ > kMostEnumerated) too_many(where_, kMostEnumerated);
    variables_[bound.name] = value;
    enumerate(set, variable + 1);
  }
}

void SelectionBuilder::add_element(const IndexSet& set) {
  const std::int64_t ordinal = out_.count++;
  std::int64_t address = handle_.base();
  bool outside = false;
  std::vector<std::int64_t> index;
  for (std::size_t axis = 0; axis < set.index.size(); ++axis) {
    index.push_back(evaluate(set.index[axis], variables_, where_));
    outside |= index[axis] < 0 || index[axis] >= handle_.shape.sizes[axis];
    const std::int64_t step = mul_checked(handle_.shape.strides[axis], out_.span, where_);
    address = add_checked(address, mul_checked(index[axis], step, where_), where_);
  }
  outside |= address < 0 || address + out_.span > handle_.storage->size;
  if (outside && (!out_.any_outside || index < out_.first_outside)) {
    out_.any_outside = true;
    out_.first_outside = index;
  }
  out_.listed.insert(out_.listed.end(), index.begin(), index.end());
  append({ordinal, address, 1});
}

}  // namespace bufferproof::simulator
