// transpose {permutation}: result axis i is operand axis permutation[i].
//
// Eager PyTorch: permute, a view. Tested by tests/model/body_ops_test.cpp.
#include <fmt/format.h>

#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  const TensorType& operand = context.operand(0);
  const auto& permutation = context.op.integers("permutation");
  context.require(permutation.size() == operand.rank(), "one entry per axis",
                  fmt::format("{} entries for {}", permutation.size(), operand.str()));
  std::vector<bool> used(operand.rank(), false);
  TensorType result{operand.dtype, {}};
  for (std::int64_t from : permutation) {
    std::size_t axis = context.axis(from, operand.rank());
    context.require(!used[axis], "each axis once", fmt::format("axis {} twice", axis));
    used[axis] = true;
    result.shape.push_back(operand.shape[axis]);
  }
  return {result};
}

BoxParts spread(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  Box out;
  for (std::int64_t from : context.op.integers("permutation"))
    out.axes.push_back(box.axes[static_cast<std::size_t>(from)]);
  return {{out, true}};
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  Box in = box;
  const auto& permutation = context.op.integers("permutation");
  for (std::size_t i = 0; i < permutation.size(); ++i)
    in.axes[static_cast<std::size_t>(permutation[i])] = box.axes[i];
  return {{in, true}};
}

std::optional<std::vector<SymExpr>> view(const OpContext& context, const std::vector<SymExpr>& strides) {
  std::vector<SymExpr> out;
  for (std::int64_t from : context.op.integers("permutation"))
    out.push_back(strides[static_cast<std::size_t>(from)]);
  return out;
}

}  // namespace

void ops::add_transpose(OpRegistry& table) {
  OpRule rule{"transpose", 1, 1, infer, spread, reads};
  rule.eager = EagerResult::view;
  rule.view_strides = view;
  table.add(rule);
}

}  // namespace bufferproof::model
