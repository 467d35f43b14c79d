// iota {dtype, shape, dim}: each element is its own index along dim.
//
// Tested by tests/model/body_ops_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  TensorType result{context.op.dtype("dtype"), context.op.sizes("shape")};
  context.axis(context.op.integer("dim"), result.rank());
  return {result};
}

}  // namespace

void ops::add_iota(OpRegistry& table) { table.add({"iota", 0, 0, infer, same_box, same_box}); }

}  // namespace bufferproof::model
