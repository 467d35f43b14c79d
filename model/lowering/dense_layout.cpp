#include "model/lowering/dense_layout.hpp"

#include <algorithm>
#include <utility>

#include "model/lowering/body_facts.hpp"

namespace bufferproof::model::lowering {

std::optional<DenseLayout> DenseLayout::of(const Layout& layout) {
  DenseLayout dense;
  dense.sizes_ = layout.sizes;
  for (std::size_t axis = 0; axis < layout.rank(); ++axis) {
    const auto size = layout.sizes[axis].constant();
    const auto stride = layout.strides[axis].constant();
    if (!size || !stride || *size < 1) return std::nullopt;
    if (*size > 1) dense.axes_.push_back({axis, *stride});
  }
  std::sort(dense.axes_.begin(), dense.axes_.end(),
            [](const Axis& a, const Axis& b) { return a.stride > b.stride; });
  std::optional<std::int64_t> expected = 1;
  for (auto axis = dense.axes_.rbegin(); axis != dense.axes_.rend(); ++axis) {
    if (expected != axis->stride) return std::nullopt;
    expected = checked_mul(*expected, *layout.sizes[axis->axis].constant());
    if (!expected) return std::nullopt;
  }
  if (layout.rank() == 0) return std::nullopt;
  if (dense.axes_.empty()) dense.axes_.push_back({});
  return dense;
}

std::vector<SymExpr> DenseLayout::element(std::int64_t address) const {
  std::vector<SymExpr> index(sizes_.size(), 0);
  for (const auto& [axis, stride] : axes_) {
    index[axis] = address / stride;
    address %= stride;
  }
  return index;
}

IndexSet DenseLayout::between(std::int64_t lo, std::int64_t hi) const {
  IndexSet set = all_but(sizes_, {});
  const auto& [first, row] = axes_.front();
  if (lo % row == 0 && hi % row == 0) {
    set.variables[first].lo = lo / row;
    set.variables[first].hi = hi / row;
    return set;
  }
  SymExpr address = 0;
  for (const auto& [axis, stride] : axes_) address = address + SymExpr(stride) * set.index[axis];
  set.where = Cond::le(lo, address) && Cond::lt(address, hi);
  return set;
}

namespace {

/// The first element after the last along the axis of the largest stride.
std::optional<std::vector<SymExpr>> beyond_the_last(const Layout& layout) {
  std::optional<std::size_t> outermost;
  std::int64_t largest = -1;
  for (std::size_t axis = 0; axis < layout.rank(); ++axis) {
    const auto stride = layout.strides[axis].constant();
    if (!stride) return std::nullopt;
    if (*stride <= largest) continue;
    largest = *stride;
    outermost = axis;
  }
  if (!outermost) return std::nullopt;
  std::vector<SymExpr> index(layout.rank(), 0);
  index[*outermost] = layout.sizes[*outermost];
  return index;
}

}  // namespace

std::optional<Clause> outside_at(Clause::Kind kind, const Name& handle, const Layout& layout,
                                 std::int64_t address) {
  const auto dense = DenseLayout::of(layout);
  auto index = dense ? std::optional(dense->element(address)) : beyond_the_last(layout);
  if (!index) return std::nullopt;
  return Clause{.kind = kind, .buffer = handle, .set = {.index = std::move(*index)}};
}

}  // namespace bufferproof::model::lowering
