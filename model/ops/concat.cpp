// concat {dim}: operands one after another along axis dim.
//
// Eager PyTorch: a fresh tensor; contiguous unless every operand is channels-last, which is not modelled.
// Tested by tests/model/body_ops_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  TensorType result = context.operand(0);
  std::size_t axis = context.axis(context.op.integer("dim"), result.rank());
  for (std::size_t k = 1; k < context.operand_count(); ++k) {
    const TensorType& next = context.operand(k);
    context.require(next.rank() == result.rank() && next.dtype == result.dtype,
                    "operands of one rank and element type", result.str() + " and " + next.str());
    for (std::size_t i = 0; i < result.rank(); ++i)
      if (i != axis) context.require_equal(result.shape[i], next.shape[i], "sizes beside the joined axis");
    result.shape[axis] = result.shape[axis] + next.shape[axis];
  }
  return {result};
}

SymExpr start_of(const OpContext& context, std::size_t operand) {
  auto axis = static_cast<std::size_t>(context.op.integer("dim"));
  SymExpr start = 0;
  for (std::size_t k = 0; k < operand; ++k) start = start + context.operand(k).shape[axis];
  return start;
}

BoxParts spread(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  auto axis = static_cast<std::size_t>(context.op.integer("dim"));
  SymExpr start = start_of(context, operand);
  Box out = box;
  out.axes[axis].begin = out.axes[axis].begin + start;
  out.axes[axis].end = out.axes[axis].end + start;
  return {{out, true}};
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  auto axis = static_cast<std::size_t>(context.op.integer("dim"));
  SymExpr start = start_of(context, operand);
  BoxPart part{box, true};
  Interval shifted{box.axes[axis].begin - start, box.axes[axis].end - start, box.axes[axis].step};
  part.box.axes[axis] = clip(shifted, 0, context.operand(operand).shape[axis], context.bounds, part.exact);
  if (provably_empty(part.box, context.bounds)) return {};
  return {part};
}

}  // namespace

void ops::add_concat(OpRegistry& table) { table.add({"concat", 1, 1024, infer, spread, reads}); }

}  // namespace bufferproof::model
