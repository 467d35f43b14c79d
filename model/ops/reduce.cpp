// reduce {fn, dims}(x, init): folds x over the axes dims, starting from init; fn is one of sum, prod, max,
// min (NaN propagates), maxnum, minnum, maxu, minu, and, or, xor. The init has the result's shape; without
// one the fold starts from undefined elements (C8), so readers always pass what the text passes.
//
// A result element depends on its init and on every element it folds.
// Tested by tests/model/body_ops_test.cpp and tests/model/body_definedness_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

constexpr std::array<std::string_view, 11> kFunctions{"sum",  "prod", "max", "min", "maxnum", "minnum",
                                                      "maxu", "minu", "and", "or",  "xor"};

std::vector<TensorType> infer(InferContext& context) {
  const TensorType& x = context.operand(0);
  const auto& dims = context.op.integers("dims");
  const std::string& fn = context.op.text("fn");
  context.require(std::find(kFunctions.begin(), kFunctions.end(), fn) != kFunctions.end(), "a known fold",
                  fn);
  std::vector<bool> folded(x.rank(), false);
  for (std::int64_t dim : dims) {
    std::size_t axis = context.axis(dim, x.rank());
    if (folded[axis]) context.fail("each axis once", fmt::format("axis {} twice", axis));
    folded[axis] = true;
  }
  TensorType result{x.dtype, {}};
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (!folded[i]) result.shape.push_back(x.shape[i]);
  if (context.operand(1).dtype != x.dtype)
    context.fail("an init of the operand's element type", context.operand(1).str());
  context.require_same_shape(result, context.operand(1));
  return {result};
}

bool is_folded(const OpContext& context, std::size_t axis) {
  const auto& dims = context.op.integers("dims");
  return std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(axis)) != dims.end();
}

/// Dropping a folded axis that may be empty for some sizes keeps the box: rounded outwards then.
BoxParts spread(const OpContext& context, std::size_t operand, const Box& box, std::size_t) {
  if (operand == 1) return {{box, true}};
  BoxPart part;
  for (std::size_t i = 0; i < box.axes.size(); ++i) {
    if (!is_folded(context, i)) {
      part.box.axes.push_back(box.axes[i]);
    } else if (!provably_lt(box.axes[i].begin, box.axes[i].end, SizeBounds{1})) {
      part.exact = false;
    }
  }
  return {part};
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t operand) {
  if (operand == 1) return {{box, true}};
  Box in;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < context.operand(0).rank(); ++i) {
    if (is_folded(context, i)) {
      in.axes.push_back({0, context.operand(0).shape[i], 1});
    } else {
      in.axes.push_back(box.axes[kept++]);
    }
  }
  return {{in, true}};
}

}  // namespace

void ops::add_reduce(OpRegistry& table) { table.add({"reduce", 2, 2, infer, spread, reads}); }

}  // namespace bufferproof::model
