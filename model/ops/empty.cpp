// empty {dtype, shape}: a tensor whose elements are all undefined (C8).
//
// Tested by tests/model/body_definedness_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  return {{context.op.dtype("dtype"), context.op.sizes("shape")}};
}

BoxParts born(const OpContext& context, std::size_t result) {
  return {{full_box(context.result(result).shape), true}};
}

}  // namespace

void ops::add_empty(OpRegistry& table) { table.add({"empty", 0, 0, infer, same_box, same_box, born}); }

}  // namespace bufferproof::model
