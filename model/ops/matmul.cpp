// matmul(a, b [, init]): a[batch.., m, k] times b[batch.., k, n], added to init if given.
//
// A result element reads one row of a, one column of b, and its init.
// Tested by tests/model/body_ops_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  const TensorType& a = context.operand(0);
  const TensorType& b = context.operand(1);
  context.require(a.rank() >= 2 && a.rank() == b.rank() && a.dtype == b.dtype,
                  "two matrices of one rank and element type", a.str() + " and " + b.str());
  std::size_t rank = a.rank();
  context.require_equal(a.shape[rank - 1], b.shape[rank - 2], "inner sizes");
  for (std::size_t i = 0; i + 2 < rank; ++i) context.require_equal(a.shape[i], b.shape[i], "batch sizes");
  TensorType result = a;
  result.shape[rank - 1] = b.shape[rank - 1];
  if (context.operand_count() == 3) {
    context.require_same_shape(result, context.operand(2));
    result.dtype = context.operand(2).dtype;
  } else if (context.op.has("dtype")) {
    result.dtype = context.op.dtype("dtype");
  }
  return {result};
}

BoxParts spread(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  if (operand == 2) return {{box, true}};
  std::size_t rank = box.axes.size();
  std::size_t summed = operand == 0 ? rank - 1 : rank - 2;
  std::size_t free = operand == 0 ? rank - 1 : rank - 2;
  BoxPart part{box, provably_lt(box.axes[summed].begin, box.axes[summed].end, SizeBounds{1})};
  part.box.axes[free] = {0, context.result().shape[free], 1};
  return {part};
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  if (operand == 2) return {{box, true}};
  std::size_t rank = box.axes.size();
  std::size_t summed = operand == 0 ? rank - 1 : rank - 2;
  Box in = box;
  in.axes[summed] = {0, context.operand(operand).shape[summed], 1};
  return {{in, true}};
}

}  // namespace

void ops::add_matmul(OpRegistry& table) { table.add({"matmul", 2, 3, infer, spread, reads}); }

}  // namespace bufferproof::model
