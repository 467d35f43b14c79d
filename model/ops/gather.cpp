// gather {dim}(x, index): result[..i..] = x[..index[..i..]..] along dim, index has the result's shape.
// take {dim}(x, index): whole slices of x along dim, index axes standing in dim's place (embedding).
//
// Which elements of x are read depends on index values: reads of x are all of it along dim, inexact.
// Tested by tests/model/body_ops_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::size_t axis_of(const OpContext& context) { return static_cast<std::size_t>(context.op.integer("dim")); }

void require_index(InferContext& context) {
  DType dtype = context.operand(1).dtype;
  context.require(dtype == DType::i32 || dtype == DType::i64, "an i32 or i64 index",
                  context.operand(1).str());
}

std::vector<TensorType> infer_gather(InferContext& context) {
  require_index(context);
  context.axis(context.op.integer("dim"), context.operand(0).rank());
  context.require(context.operand(0).rank() == context.operand(1).rank(), "operands of one rank",
                  context.operand(0).str() + " and " + context.operand(1).str());
  return {{context.operand(0).dtype, context.operand(1).shape}};
}

BoxParts spread_gather(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  if (operand == 1) return {{box, true}};
  Box out = box;
  out.axes[axis_of(context)] = {0, context.result().shape[axis_of(context)], 1};
  return {{out, false}};
}

BoxParts read_gather(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  if (operand == 1) return {{box, true}};
  Box in = box;
  in.axes[axis_of(context)] = {0, context.operand(0).shape[axis_of(context)], 1};
  return {{in, false}};
}

std::vector<TensorType> infer_take(InferContext& context) {
  require_index(context);
  const TensorType& x = context.operand(0);
  const TensorType& index = context.operand(1);
  auto axis = static_cast<std::ptrdiff_t>(context.axis(context.op.integer("dim"), x.rank()));
  TensorType result{x.dtype, {x.shape.begin(), x.shape.begin() + axis}};
  result.shape.insert(result.shape.end(), index.shape.begin(), index.shape.end());
  result.shape.insert(result.shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  return {result};
}

BoxParts spread_take(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  auto axis = static_cast<std::ptrdiff_t>(axis_of(context));
  Box out = full_box(context.result().shape);
  std::size_t index_rank = context.operand(1).rank();
  if (operand == 1) {
    std::copy(box.axes.begin(), box.axes.end(), out.axes.begin() + axis);
    return {{out, true}};
  }
  std::copy(box.axes.begin(), box.axes.begin() + axis, out.axes.begin());
  std::copy(box.axes.begin() + axis + 1, box.axes.end(),
            out.axes.begin() + axis + static_cast<std::ptrdiff_t>(index_rank));
  return {{out, false}};
}

BoxParts read_take(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  auto axis = static_cast<std::ptrdiff_t>(axis_of(context));
  auto index_rank = static_cast<std::ptrdiff_t>(context.operand(1).rank());
  if (operand == 1) {
    Box in;
    in.axes.assign(box.axes.begin() + axis, box.axes.begin() + axis + index_rank);
    return {{in, true}};
  }
  Box in = full_box(context.operand(0).shape);
  std::copy(box.axes.begin(), box.axes.begin() + axis, in.axes.begin());
  std::copy(box.axes.begin() + axis + index_rank, box.axes.end(), in.axes.begin() + axis + 1);
  return {{in, false}};
}

}  // namespace

void ops::add_gather(OpRegistry& table) {
  table.add({"gather", 2, 2, infer_gather, spread_gather, read_gather});
  table.add({"take", 2, 2, infer_take, spread_take, read_take});
}

}  // namespace bufferproof::model
