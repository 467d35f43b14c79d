// copy(x): the same elements in memory of their own (aten.clone, contiguous).
//
// Eager PyTorch keeps a dense operand's strides (preserve_format), like an elementwise operation.
// Tested by tests/model/body_strides_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) { return {context.operand(0)}; }

}  // namespace

void ops::add_copy(OpRegistry& table) {
  OpRule copy{"copy", 1, 1, infer, same_box, same_box};
  copy.eager = EagerResult::elementwise;
  table.add(copy);
  // contiguous copy: aten.clone(memory_format=contiguous_format)
  table.add({"copy_contiguous", 1, 1, infer, same_box, same_box});
}

}  // namespace bufferproof::model
