// insert_slice {offsets, sizes, strides}(source, base): base with the window replaced by source.
// The source has the window's sizes (rank reduction is a reshape before it).
//
// What lies in the window comes from the source, the rest from the base: a base out of `empty` leaves a gap
// (C8). Tested by tests/model/body_definedness_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"
#include "model/ops/window.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  const TensorType& source = context.operand(0);
  const TensorType& base = context.operand(1);
  context.require(source.dtype == base.dtype, "source and base of one element type",
                  source.str() + " and " + base.str());
  ops::check_window(context, base);
  context.require_same_shape({base.dtype, context.op.sizes("sizes")}, source);
  return {base};
}

BoxParts spread(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  if (operand == 0) return {{ops::out_of_window(context.op, box), true}};
  return subtract(box, ops::window_box(context.op), context.bounds);
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  if (operand == 0) return ops::into_window(context.op, box, context.bounds);
  return subtract(box, ops::window_box(context.op), context.bounds);
}

}  // namespace

void ops::add_insert_slice(OpRegistry& table) { table.add({"insert_slice", 2, 2, infer, spread, reads}); }

}  // namespace bufferproof::model
