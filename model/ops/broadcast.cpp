// broadcast {dims, shape}: operand axis i becomes result axis dims[i]; axes not named are new; an operand
// axis of size 1 repeats along its result axis. dims = [] of a rank-0 operand is a fill.
//
// Eager PyTorch: expand, a view with stride 0 on new and repeated axes.
// Tested by tests/model/body_ops_test.cpp.
#include <fmt/format.h>

#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

bool is_one(const SymExpr& size) { return size.constant() == 1; }

std::vector<TensorType> infer(InferContext& context) {
  const std::vector<std::int64_t>& dims = context.op.integers("dims");
  TensorType result{context.operand(0).dtype, context.op.sizes("shape")};
  if (dims.size() != context.operand(0).rank())
    context.fail("one result axis per operand axis",
                 fmt::format("{} axes for {}", dims.size(), context.operand(0).str()));
  std::int64_t last = -1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    std::size_t axis = context.axis(dims[i], result.rank());
    if (dims[i] <= last) context.fail("rising result axes", fmt::format("{} after {}", dims[i], last));
    last = dims[i];
    const SymExpr& size = context.operand(0).shape[i];
    if (!is_one(size)) context.require_equal(size, result.shape[axis], "operand and result size");
  }
  return {result};
}

BoxParts spread(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  Box out = full_box(context.result().shape);
  const auto& dims = context.op.integers("dims");
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (!is_one(context.operand(0).shape[i])) out.axes[static_cast<std::size_t>(dims[i])] = box.axes[i];
  return {{out, true}};
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  Box in = full_box(context.operand(0).shape);
  const auto& dims = context.op.integers("dims");
  for (std::size_t i = 0; i < dims.size(); ++i)
    if (!is_one(context.operand(0).shape[i])) in.axes[i] = box.axes[static_cast<std::size_t>(dims[i])];
  return {{in, true}};
}

std::optional<std::vector<SymExpr>> view(const OpContext& context, const std::vector<SymExpr>& strides) {
  std::vector<SymExpr> out(context.result().rank(), SymExpr(0));
  const auto& dims = context.op.integers("dims");
  for (std::size_t i = 0; i < dims.size(); ++i) {
    auto axis = static_cast<std::size_t>(dims[i]);
    bool repeated = is_one(context.operand(0).shape[i]) && !is_one(context.result().shape[axis]);
    if (!repeated) out[axis] = strides[i];
  }
  return out;
}

}  // namespace

void ops::add_broadcast(OpRegistry& table) {
  OpRule rule{"broadcast", 1, 1, infer, spread, reads};
  rule.eager = EagerResult::view;
  rule.view_strides = view;
  table.add(rule);
}

}  // namespace bufferproof::model
