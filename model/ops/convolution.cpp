// convolution {stride, padding, dilation, groups}(x[n, c, spatial..], weight[o, c / groups, spatial..] [,
// bias]).
//
// Windows overlap in a way boxes do not follow: reads are whole along channels and space, exact per image.
// Not modelled: transposed convolution. Tested by tests/model/body_ops_test.cpp.
#include <fmt/format.h>

#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

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

BoxParts spread(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  BoxPart part{full_box(context.result().shape), false};
  if (operand == 0) part.box.axes[0] = box.axes[0];
  if (operand != 0) part.box.axes[1] = box.axes[0];
  if (operand == 2) part.exact = true;
  return {part};
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  BoxPart part{full_box(context.operand(operand).shape), false};
  if (operand == 0) part.box.axes[0] = box.axes[0];
  if (operand == 1) part.box.axes[0] = box.axes[1];
  if (operand == 2) part = {{{box.axes[1]}}, true};
  return {part};
}

}  // namespace

void ops::add_convolution(OpRegistry& table) {
  OpRule rule{"convolution", 2, 3, infer, spread, reads};
  rule.eager = EagerResult::unknown;
  table.add(rule);
}

}  // namespace bufferproof::model
