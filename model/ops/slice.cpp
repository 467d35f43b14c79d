// slice {offsets, sizes, strides}: result[i] = operand[offsets + i * strides], one entry per operand axis.
// Rank reduction is a reshape after it. Strides are constants >= 1.
//
// Eager PyTorch: a view. Tested by tests/model/body_ops_test.cpp.
#include <fmt/format.h>

#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"
#include "model/ops/window.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  ops::check_window(context, context.operand(0));
  return {{context.operand(0).dtype, context.op.sizes("sizes")}};
}

BoxParts spread(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  return ops::into_window(context.op, box, context.bounds);
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  return {{ops::out_of_window(context.op, box), true}};
}

std::optional<std::vector<SymExpr>> view(const OpContext& context, const std::vector<SymExpr>& strides) {
  std::vector<SymExpr> out;
  const auto& steps = context.op.integers("strides");
  for (std::size_t i = 0; i < strides.size(); ++i) out.push_back(strides[i] * SymExpr(steps[i]));
  return out;
}

}  // namespace

void ops::add_slice(OpRegistry& table) {
  OpRule rule{"slice", 1, 1, infer, spread, reads};
  rule.eager = EagerResult::view;
  rule.view_strides = view;
  table.add(rule);
}

}  // namespace bufferproof::model
