// overwrite(destination, source): source, standing in the destination's memory afterwards (aten.copy_).
//
// The value is the source alone; eager execution writes the destination's own storage and returns it, so the
// result is a view of operand 0 there (E4). Tested by tests/model/body_fx_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  const TensorType& destination = context.operand(0);
  context.require(destination.dtype == context.operand(1).dtype, "operands of one element type",
                  context.operand(1).str());
  context.require_same_shape(destination, context.operand(1));
  return {destination};
}

BoxParts source_only(const OpContext&, std::size_t operand, const Box& box) {
  if (operand == 0) return {};
  return {{box, true}};
}

BoxParts spread(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  return source_only(context, operand, box);
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  return source_only(context, operand, box);
}

std::optional<std::vector<SymExpr>> view(const OpContext&, const std::vector<SymExpr>& strides) {
  return strides;
}

}  // namespace

void ops::add_overwrite(OpRegistry& table) {
  OpRule rule{"overwrite", 2, 2, infer, spread, reads};
  rule.eager = EagerResult::view;
  rule.view_strides = view;
  table.add(rule);
}

}  // namespace bufferproof::model
