// arg_reduce {fn, dim, dtype}(x [, index]): extreme value along dim and where it stands; fn is max or min.
// With an index operand the second result is taken from it, else it is the position. Ties: the first.
//
// Both results depend on every element along dim. Tested by tests/model/body_ops_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  TensorType value = context.operand(0);
  const std::string& fn = context.op.text("fn");
  context.require(fn == "max" || fn == "min", "max or min", fn);
  if (context.operand_count() == 2) context.require_same_shape(value, context.operand(1));
  std::size_t axis = context.axis(context.op.integer("dim"), value.rank());
  value.shape.erase(value.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  TensorType index{context.op.dtype("dtype"), value.shape};
  return {value, index};
}

BoxParts spread(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  auto axis = static_cast<std::size_t>(context.op.integer("dim"));
  Box out = box;
  bool exact = provably_lt(box.axes[axis].begin, box.axes[axis].end, SizeBounds{1});
  out.axes.erase(out.axes.begin() + static_cast<std::ptrdiff_t>(axis));
  return {{out, exact}};
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  auto axis = static_cast<std::size_t>(context.op.integer("dim"));
  Box in = box;
  in.axes.insert(in.axes.begin() + static_cast<std::ptrdiff_t>(axis), {0, context.operand(0).shape[axis], 1});
  return {{in, true}};
}

}  // namespace

void ops::add_arg_reduce(OpRegistry& table) { table.add({"arg_reduce", 1, 2, infer, spread, reads}); }

}  // namespace bufferproof::model
