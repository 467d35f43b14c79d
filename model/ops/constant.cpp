// constant {dtype, bits}: a rank-0 literal, kept as its bit pattern so that NaN payloads and -0.0 survive.
// dense {dtype, bits[], shape}: a literal tensor, row-major.
// loaded {dtype, shape}: a tensor whose defined values stand in another file.
// size {value}: a rank-0 i64 whose value is a size expression (tensor.dim, symint arithmetic).
//
// Tested by tests/model/body_ops_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer_constant(InferContext& context) { return {{context.op.dtype("dtype"), {}}}; }

std::vector<TensorType> infer_dense(InferContext& context) {
  TensorType result{context.op.dtype("dtype"), context.op.sizes("shape")};
  context.require_equal(product(result.shape), static_cast<std::int64_t>(context.op.integers("bits").size()),
                        "element counts of literal and shape");
  return {result};
}

std::vector<TensorType> infer_loaded(InferContext& context) {
  return {{context.op.dtype("dtype"), context.op.sizes("shape")}};
}

std::vector<TensorType> infer_size(InferContext& context) {
  context.require(context.op.sizes("value").size() == 1, "one size expression", "several");
  return {{DType::i64, {}}};
}

}  // namespace

void ops::add_constant(OpRegistry& table) {
  table.add({"constant", 0, 0, infer_constant, same_box, same_box});
  table.add({"dense", 0, 0, infer_dense, same_box, same_box});
  table.add({"loaded", 0, 0, infer_loaded, same_box, same_box});
  table.add({"size", 0, 0, infer_size, same_box, same_box});
}

}  // namespace bufferproof::model
