#include "model/ops/window.hpp"

#include <fmt/format.h>

namespace bufferproof::model::ops {
namespace {

/// One axis of into_window: an interval of the base, seen from the window.
Interval into_axis(const Interval& interval, const SymExpr& offset, const SymExpr& size, std::int64_t stride,
                   SizeBounds bounds, bool& exact) {
  SymExpr begin = interval.begin - offset;
  SymExpr end = interval.end - offset;
  if (stride == 1) return clip({begin, end, interval.step}, 0, size, bounds, exact);
  if (interval.step == stride && begin == SymExpr(0))
    return clip({0, floordiv(end + SymExpr(stride - 1), stride), 1}, 0, size, bounds, exact);
  if (interval.step != 1) exact = false;
  // Element i of the window is base offset + i * stride: ceil both bounds.
  SymExpr first = floordiv(begin + SymExpr(stride - 1), stride);
  SymExpr past = floordiv(end + SymExpr(stride - 1), stride);
  return clip({first, past, 1}, 0, size, bounds, exact);
}

}  // namespace

void check_window(InferContext& context, const TensorType& base) {
  const auto& offsets = context.op.sizes("offsets");
  const auto& sizes = context.op.sizes("sizes");
  const auto& strides = context.op.integers("strides");
  bool counts = offsets.size() == base.rank() && sizes.size() == base.rank() && strides.size() == base.rank();
  context.require(counts, fmt::format("{} offsets, sizes and strides", base.rank()), "another number");
  for (std::size_t i = 0; i < base.rank(); ++i) {
    context.require(strides[i] >= 1, "strides of at least 1", fmt::format("{}", strides[i]));
    SymExpr last = offsets[i] + (sizes[i] - SymExpr(1)) * SymExpr(strides[i]);
    bool outside =
        provably_lt(offsets[i], 0) || (provably_lt(0, sizes[i]) && provably_le(base.shape[i], last));
    context.require(!outside, fmt::format("a window inside {} on axis {}", base.str(), i),
                    fmt::format("elements {} to {}", offsets[i].str(), last.str()));
  }
}

Box window_box(const TensorOp& op) {
  Box box;
  const auto& offsets = op.sizes("offsets");
  const auto& sizes = op.sizes("sizes");
  const auto& strides = op.integers("strides");
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    SymExpr reach = strides[i] == 1 ? sizes[i] : (sizes[i] - SymExpr(1)) * SymExpr(strides[i]) + SymExpr(1);
    // One element is a unit-step interval whatever the stride says.
    std::int64_t step = sizes[i].constant() == 1 ? 1 : strides[i];
    box.axes.push_back({offsets[i], offsets[i] + reach, step});
  }
  return box;
}

BoxParts into_window(const TensorOp& op, const Box& box, SizeBounds bounds) {
  const auto& offsets = op.sizes("offsets");
  const auto& sizes = op.sizes("sizes");
  const auto& strides = op.integers("strides");
  BoxPart part;
  for (std::size_t i = 0; i < offsets.size(); ++i)
    part.box.axes.push_back(into_axis(box.axes[i], offsets[i], sizes[i], strides[i], bounds, part.exact));
  if (provably_empty(part.box, bounds)) return {};
  return {part};
}

Box out_of_window(const TensorOp& op, const Box& box) {
  Box out;
  const auto& offsets = op.sizes("offsets");
  const auto& strides = op.integers("strides");
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const Interval& interval = box.axes[i];
    SymExpr begin = offsets[i] + interval.begin * SymExpr(strides[i]);
    SymExpr end = strides[i] == 1
                      ? offsets[i] + interval.end
                      : offsets[i] + (interval.end - SymExpr(1)) * SymExpr(strides[i]) + SymExpr(1);
    out.axes.push_back({begin, end, interval.step * strides[i]});
  }
  return out;
}

}  // namespace bufferproof::model::ops
