// pad {low, high}(x [, value]): x with low and high elements added per axis; without a value operand the
// added elements are undefined (C8). Negative padding is a slice and is not written as pad.
//
// Tested by tests/model/body_definedness_test.cpp.
#include <fmt/format.h>

#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

std::vector<TensorType> infer(InferContext& context) {
  TensorType result = context.operand(0);
  const auto& low = context.op.sizes("low");
  const auto& high = context.op.sizes("high");
  context.require(low.size() == result.rank() && high.size() == result.rank(), "low and high per axis",
                  fmt::format("{} and {} entries for {}", low.size(), high.size(), result.str()));
  if (context.operand_count() == 2)
    context.require(context.operand(1) == TensorType{result.dtype, {}}, "a scalar of the operand's type",
                    context.operand(1).str());
  for (std::size_t i = 0; i < result.rank(); ++i) {
    bool negative = provably_lt(low[i], 0) || provably_lt(high[i], 0);
    context.require(!negative, "padding of at least 0", low[i].str() + " and " + high[i].str());
    result.shape[i] = low[i] + result.shape[i] + high[i];
  }
  return {result};
}

Box inner_box(const OpContext& context, const Box& box) {
  Box out = box;
  const auto& low = context.op.sizes("low");
  for (std::size_t i = 0; i < low.size(); ++i) {
    out.axes[i].begin = out.axes[i].begin + low[i];
    out.axes[i].end = out.axes[i].end + low[i];
  }
  return out;
}

BoxParts born(const OpContext& context, std::size_t) {
  if (context.op.operands.size() == 2) return {};
  Box inner = inner_box(context, full_box(context.operand(0).shape));
  return subtract(full_box(context.result().shape), inner, context.bounds);
}

BoxParts spread(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  if (operand == 0) return {{inner_box(context, box), true}};
  Box inner = inner_box(context, full_box(context.operand(0).shape));
  return subtract(full_box(context.result().shape), inner, context.bounds);
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  if (operand == 1) {  // the value, where the box reaches into the margin
    BoxParts margin = subtract(box, inner_box(context, full_box(context.operand(0).shape)), context.bounds);
    return margin.empty() ? BoxParts{} : BoxParts{{Box{}, true}};
  }
  BoxPart part{box, true};
  const auto& low = context.op.sizes("low");
  for (std::size_t i = 0; i < low.size(); ++i) {
    Interval shifted{box.axes[i].begin - low[i], box.axes[i].end - low[i], box.axes[i].step};
    part.box.axes[i] = clip(shifted, 0, context.operand(0).shape[i], context.bounds, part.exact);
  }
  if (provably_empty(part.box, context.bounds)) return {};
  return {part};
}

}  // namespace

void ops::add_pad(OpRegistry& table) { table.add({"pad", 1, 2, infer, spread, reads, born}); }

}  // namespace bufferproof::model
