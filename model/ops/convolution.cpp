// convolution {stride, padding, dilation, groups}(x[n, c, spatial..], weight[o, c / groups, spatial..] [,
// bias]).
//
// Reads follow the windows along space and the groups along channels. Not modelled: transposed convolution.
// Tested by tests/model/body_ops_test.cpp.
#include <fmt/format.h>

#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"
#include "model/ops/sliding.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  const TensorType& x = context.operand(0);
  const TensorType& weight = context.operand(1);
  context.require(x.rank() >= 3 && x.rank() == weight.rank() && x.dtype == weight.dtype,
                  "input and weight of one rank and element type", x.str() + " and " + weight.str());
  const auto& stride = context.op.integers("stride");
  const auto& padding = context.op.integers("padding");
  const auto& dilation = context.op.integers("dilation");
  std::int64_t groups = context.op.integer("groups");
  std::size_t spatial = x.rank() - 2;
  bool counts = stride.size() == spatial && padding.size() == spatial && dilation.size() == spatial;
  context.require(counts && groups >= 1, "one stride, padding and dilation per spatial axis",
                  "another number");
  context.require_equal(x.shape[1], weight.shape[1] * SymExpr(groups), "input channels");
  TensorType result{x.dtype, {x.shape[0], weight.shape[0]}};
  for (std::size_t i = 0; i < spatial; ++i) {
    context.require(stride[i] >= 1 && dilation[i] >= 1 && padding[i] >= 0, "positive strides and dilations",
                    fmt::format("{}, {}", stride[i], dilation[i]));
    SymExpr reach = (weight.shape[i + 2] - SymExpr(1)) * SymExpr(dilation[i]) + SymExpr(1);
    SymExpr room = x.shape[i + 2] + SymExpr(2 * padding[i]) - reach;
    context.require(!provably_lt(room, 0), "a kernel not larger than its padded input", x.str());
    result.shape.push_back(floordiv(room, stride[i]) + SymExpr(1));
  }
  if (context.operand_count() == 3)
    context.require_same_shape({x.dtype, {weight.shape[0]}}, context.operand(2));
  return {result};
}

std::vector<ops::SlidingAxis> axes_of(const OpContext& context) {
  std::vector<ops::SlidingAxis> axes;
  const TensorType& x = context.operand(0);
  for (std::size_t i = 0; i + 2 < x.rank(); ++i)
    axes.push_back({x.shape[i + 2], context.result().shape[i + 2], context.operand(1).shape[i + 2],
                    context.op.integers("stride")[i], context.op.integers("padding")[i],
                    context.op.integers("dilation")[i]});
  return axes;
}

bool nonempty(const Interval& interval) { return provably_lt(interval.begin, interval.end, SizeBounds{1}); }

/// Channels come in groups: an interval on one side touches whole groups of the other. `inside`, `beyond`:
/// channels per group on either side.
Interval across_groups(const Interval& interval, const SymExpr& all, std::int64_t groups,
                       const SymExpr& inside, const SymExpr& beyond, bool& exact) {
  auto width = inside.constant();
  if (groups == 1) return {0, all, 1};
  if (!width || *width < 1 || interval.step != 1) {
    exact = exact && groups == 1;
    return {0, all, 1};
  }
  return {floordiv(interval.begin, *width) * beyond,
          (floordiv(interval.end - SymExpr(1), *width) + SymExpr(1)) * beyond, 1};
}

BoxParts spread_input(const OpContext& context, const Box& box) {
  std::int64_t groups = context.op.integer("groups");
  const SymExpr& outputs = context.result().shape[1];
  BoxPart part{full_box(context.result().shape), nonempty(box.axes[1])};
  part.box.axes[0] = box.axes[0];
  part.box.axes[1] = across_groups(box.axes[1], outputs, groups, context.operand(1).shape[1],
                                   floordiv(outputs, groups), part.exact);
  std::vector<ops::AxisParts> space;
  std::vector<ops::SlidingAxis> axes = axes_of(context);
  for (std::size_t i = 0; i < axes.size(); ++i)
    space.push_back(ops::window_reach(axes[i], box.axes[i + 2], context.bounds));
  return ops::combine_axes(part, 2, space);
}

BoxParts read_input(const OpContext& context, const Box& box) {
  std::int64_t groups = context.op.integer("groups");
  const TensorType& x = context.operand(0);
  BoxPart part{full_box(x.shape), nonempty(box.axes[1])};
  part.box.axes[0] = box.axes[0];
  part.box.axes[1] =
      across_groups(box.axes[1], x.shape[1], groups, floordiv(context.result().shape[1], groups),
                    context.operand(1).shape[1], part.exact);
  std::vector<ops::AxisParts> space;
  std::vector<ops::SlidingAxis> axes = axes_of(context);
  for (std::size_t i = 0; i < axes.size(); ++i)
    space.push_back(ops::window_reads(axes[i], box.axes[i + 2], context.bounds));
  return ops::combine_axes(part, 2, space);
}

/// A tap that only ever meets padding does not matter; that is where exactness ends.
BoxParts spread(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  if (operand == 0) return spread_input(context, box);
  BoxPart part{full_box(context.result().shape), true};
  part.box.axes[1] = box.axes[0];
  if (operand == 1)
    for (std::int64_t padding : context.op.integers("padding")) part.exact = part.exact && padding == 0;
  return {part};
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  if (operand == 0) return read_input(context, box);
  if (operand == 2) return {{{{box.axes[1]}}, true}};
  BoxPart part{full_box(context.operand(1).shape), nonempty(box.axes[0])};
  part.box.axes[0] = box.axes[1];
  std::vector<ops::SlidingAxis> axes = axes_of(context);
  for (std::size_t i = 0; i < axes.size(); ++i)
    part.exact = part.exact && ops::every_tap_meets(axes[i], box.axes[i + 2], SizeBounds{1});
  return {part};
}

}  // namespace

void ops::add_convolution(OpRegistry& table) {
  OpRule rule{"convolution", 2, 3, infer, spread, reads};
  rule.eager = EagerResult::unknown;
  table.add(rule);
}

}  // namespace bufferproof::model
