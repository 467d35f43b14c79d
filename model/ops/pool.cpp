// max_pool2d {kernel, stride, padding, dilation, ceil_mode}: values and flat i64 indices per plane.
// avg_pool2d {kernel, stride, padding, ceil_mode, count_include_pad}.
// adaptive_avg_pool2d {output}: windows floor(i*h/o) .. ceil((i+1)*h/o).
//
// All take [n, c, h, w] or [c, h, w]. Reads follow the windows; padding is not read.
// Tested by tests/model/body_ops_test.cpp.
#include <fmt/format.h>

#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"
#include "model/ops/sliding.hpp"

namespace bufferproof::model {
namespace {

/// PyTorch's pooling_output_shape, with its rule that the last window starts inside the padded input.
SymExpr pooled(InferContext& context, const SymExpr& size, std::size_t i, std::int64_t dilation) {
  std::int64_t kernel = context.op.integers("kernel")[i];
  std::int64_t stride = context.op.integers("stride")[i];
  std::int64_t padding = context.op.integers("padding")[i];
  bool sane = kernel >= 1 && stride >= 1 && dilation >= 1 && padding >= 0 && padding <= kernel / 2;
  context.require(sane, "positive kernel and stride, padding of at most half the kernel",
                  fmt::format("kernel {}, stride {}, padding {}", kernel, stride, padding));
  bool ceil = context.op.integer("ceil_mode") != 0;
  SymExpr room = size + SymExpr(2 * padding - dilation * (kernel - 1) - 1 + (ceil ? stride - 1 : 0));
  SymExpr out = floordiv(room, stride) + SymExpr(1);
  if (!ceil) return out;
  auto known = out.constant();
  auto known_size = size.constant();
  context.require(known && known_size, "known sizes with ceil_mode", size.str());
  return (*known - 1) * stride >= *known_size + padding ? *known - 1 : *known;
}

std::vector<TensorType> infer_window(InferContext& context, std::size_t dilations) {
  TensorType result = context.operand(0);
  context.require(result.rank() == 3 || result.rank() == 4, "[c, h, w] or [n, c, h, w]", result.str());
  for (std::size_t i = 0; i < 2; ++i) {
    std::size_t axis = result.rank() - 2 + i;
    result.shape[axis] =
        pooled(context, result.shape[axis], i, dilations ? context.op.integers("dilation")[i] : 1);
  }
  return {result};
}

std::vector<TensorType> infer_max(InferContext& context) {
  std::vector<TensorType> results = infer_window(context, 1);
  results.push_back({DType::i64, results[0].shape});
  return results;
}

std::vector<TensorType> infer_avg(InferContext& context) { return infer_window(context, 0); }

std::vector<TensorType> infer_adaptive(InferContext& context) {
  TensorType result = context.operand(0);
  context.require(result.rank() == 3 || result.rank() == 4, "[c, h, w] or [n, c, h, w]", result.str());
  for (std::size_t i = 0; i < 2; ++i)
    result.shape[result.rank() - 2 + i] = context.op.integers("output").at(i);
  return {result};
}

std::vector<ops::SlidingAxis> axes_of(const OpContext& context) {
  std::vector<ops::SlidingAxis> axes;
  const TensorType& x = context.operand(0);
  for (std::size_t i = 0; i < 2; ++i) {
    ops::SlidingAxis axis;
    axis.size = x.shape[x.rank() - 2 + i];
    axis.out = context.result().shape[x.rank() - 2 + i];
    axis.adaptive = context.op.has("output");
    if (!axis.adaptive) {
      axis.kernel = context.op.integers("kernel")[i];
      axis.stride = context.op.integers("stride")[i];
      axis.padding = context.op.integers("padding")[i];
      if (context.op.has("dilation")) axis.dilation = context.op.integers("dilation")[i];
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

using AxisMap = ops::AxisParts (*)(const ops::SlidingAxis&, const Interval&, SizeBounds);

BoxParts map_planes(const OpContext& context, const Box& box, AxisMap map) {
  std::size_t first = context.operand(0).rank() - 2;
  std::vector<ops::SlidingAxis> axes = axes_of(context);
  std::vector<ops::AxisParts> space;
  for (std::size_t i = 0; i < axes.size(); ++i)
    space.push_back(map(axes[i], box.axes[first + i], context.bounds));
  return ops::combine_axes({box, true}, first, space);
}

BoxParts spread(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  return map_planes(context, box, ops::window_reach);
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  return map_planes(context, box, ops::window_reads);
}

}  // namespace

void ops::add_pool(OpRegistry& table) {
  auto add = [&](std::string_view name, std::vector<TensorType> (*infer)(InferContext&)) {
    OpRule rule{name, 1, 1, infer, spread, reads};
    rule.eager = EagerResult::unknown;
    table.add(rule);
  };
  add("max_pool2d", infer_max);
  add("avg_pool2d", infer_avg);
  add("adaptive_avg_pool2d", infer_adaptive);
}

}  // namespace bufferproof::model
