// cast {dtype, round}: element type conversion; round is rint, round, floor, ceil, trunc, odd or
// truncwithoverflow. bitcast {dtype}: the same bytes, read as another type of the same size.
//
// A cast to the operand's own type is allowed: `arith.truncf f32 to f32` occurs in real text.
// Tested by tests/model/body_ops_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer_cast(InferContext& context) {
  TensorType result = context.operand(0);
  result.dtype = context.op.dtype("dtype");
  return {result};
}

std::vector<TensorType> infer_bitcast(InferContext& context) {
  TensorType result = context.operand(0);
  result.dtype = context.op.dtype("dtype");
  context.require(size_in_bytes(result.dtype) == size_in_bytes(context.operand(0).dtype),
                  "an element type of the same size", result.str());
  return {result};
}

std::optional<std::vector<SymExpr>> same_strides(const OpContext&, const std::vector<SymExpr>& strides) {
  return strides;
}

}  // namespace

void ops::add_cast(OpRegistry& table) {
  OpRule cast{"cast", 1, 1, infer_cast, same_box, same_box};
  cast.eager = EagerResult::elementwise;
  table.add(cast);
  OpRule bitcast{"bitcast", 1, 1, infer_bitcast, same_box, same_box};
  bitcast.eager = EagerResult::view;
  bitcast.view_strides = same_strides;
  table.add(bitcast);
}

}  // namespace bufferproof::model
