#include "model/ops/op_registry.hpp"

#include <fmt/format.h>

#include <cassert>

#include "model/ops/rules.hpp"

namespace bufferproof::model {

void InferContext::fail(std::string_view expected, std::string_view found) const {
  throw InputError(op.where, fmt::format("for '{}' {}", op.name, expected), std::string(found));
}

void InferContext::require(bool holds, std::string_view expected, std::string_view found) {
  if (!holds) fail(expected, found);
}

void InferContext::require_equal(const SymExpr& a, const SymExpr& b, std::string_view what) {
  if (a == b) return;
  SymExpr difference = a - b;
  if (difference.is_constant())
    fail(fmt::format("equal {}", what), fmt::format("{} and {}", a.str(), b.str()));
  assume_equal(a, b);
}

void InferContext::require_same_shape(const TensorType& a, const TensorType& b) {
  if (a.rank() != b.rank()) fail("operands of one shape", a.str() + " and " + b.str());
  for (std::size_t i = 0; i < a.rank(); ++i)
    if (!(a.shape[i] == b.shape[i]))  // the message costs more than the comparison
      require_equal(a.shape[i], b.shape[i],
                    fmt::format("sizes on axis {} of {} and {}", i, a.str(), b.str()));
}

std::size_t InferContext::axis(std::int64_t value, std::size_t rank) {
  if (value < 0 || static_cast<std::size_t>(value) >= rank)
    fail(fmt::format("an axis below {}", rank), fmt::format("{}", value));
  return static_cast<std::size_t>(value);
}

const OpRule* OpRegistry::find(std::string_view name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void OpRegistry::add(const OpRule& rule) {
  assert(rule.infer && rule.spread && rule.reads);
  assert(rule.eager != EagerResult::view || rule.view_strides);
  auto [row, added] = rules_.emplace(rule.name, rule);
  assert(added);
  by_name_.emplace(row->first, &row->second);
}

const OpRegistry& OpRegistry::shipped() {
  static const OpRegistry registry = [] {
    OpRegistry table;
    ops::add_all(table);
    return table;
  }();
  return registry;
}

BoxParts same_box(const OpContext&, std::size_t, const Box& box, std::size_t) { return {{box, true}}; }

BoxParts spread_everywhere(const OpContext& context, std::size_t, const Box&, std::size_t result) {
  return {{full_box(context.result(result).shape), false}};
}

BoxParts read_all(const OpContext& context, std::size_t, const Box&, std::size_t operand) {
  return {{full_box(context.operand(operand).shape), false}};
}

namespace ops {

void add_all(OpRegistry& table) {
  add_elementwise(table);
  add_cast(table);
  add_constant(table);
  add_empty(table);
  add_broadcast(table);
  add_transpose(table);
  add_reshape(table);
  add_slice(table);
  add_insert_slice(table);
  add_concat(table);
  add_pad(table);
  add_reduce(table);
  add_arg_reduce(table);
  add_cumulative(table);
  add_iota(table);
  add_gather(table);
  add_matmul(table);
  add_convolution(table);
  add_pool(table);
  add_copy(table);
  add_overwrite(table);
}

}  // namespace ops
}  // namespace bufferproof::model
