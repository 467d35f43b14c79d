// cumulative {fn, dim, reverse}(x): running sum or product along dim, in the operand's element type.
//
// Element i depends on elements 0..i along dim (i..n-1 when reverse is 1).
// Tested by tests/model/body_ops_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  const std::string& fn = context.op.text("fn");
  context.require(fn == "sum" || fn == "prod", "sum or prod", fn);
  context.axis(context.op.integer("dim"), context.operand(0).rank());
  return {context.operand(0)};
}

/// `towards_end`: what an element reaches, or, mirrored, what a result reads.
BoxParts extend(const OpContext& context, const Box& box, bool towards_end) {
  auto axis = static_cast<std::size_t>(context.op.integer("dim"));
  Box out = box;
  Interval& along = out.axes[axis];
  along = towards_end ? Interval{along.begin, context.result().shape[axis], 1} : Interval{0, along.end, 1};
  return {{out, box.axes[axis].step == 1}};
}

BoxParts spread(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  return extend(context, box, context.op.integer("reverse") == 0);
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  return extend(context, box, context.op.integer("reverse") != 0);
}

}  // namespace

void ops::add_cumulative(OpRegistry& table) { table.add({"cumulative", 1, 1, infer, spread, reads}); }

}  // namespace bufferproof::model
