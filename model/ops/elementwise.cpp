// Elementwise operations: one table of names, one rule.
//
// Operands have one shape (readers insert broadcasts); element i of the result depends on element i of each
// operand and on nothing else. Tested by tests/model/body_ops_test.cpp.
#include <array>
#include <map>

#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

enum class Takes : std::uint8_t { any, floats, integers };
enum class Gives : std::uint8_t { same, boolean };

struct Elementwise {
  std::string_view name;
  std::size_t operands;
  Takes takes;
  Gives gives;
};

constexpr std::array kTable{
    // unary
    Elementwise{"abs", 1, Takes::any, Gives::same},
    Elementwise{"neg", 1, Takes::any, Gives::same},
    Elementwise{"sign", 1, Takes::any, Gives::same},
    Elementwise{"relu", 1, Takes::any, Gives::same},
    Elementwise{"not", 1, Takes::integers, Gives::same},
    Elementwise{"exp", 1, Takes::floats, Gives::same},
    Elementwise{"exp2", 1, Takes::floats, Gives::same},
    Elementwise{"expm1", 1, Takes::floats, Gives::same},
    Elementwise{"log", 1, Takes::floats, Gives::same},
    Elementwise{"log2", 1, Takes::floats, Gives::same},
    Elementwise{"log10", 1, Takes::floats, Gives::same},
    Elementwise{"log1p", 1, Takes::floats, Gives::same},
    Elementwise{"sqrt", 1, Takes::floats, Gives::same},
    Elementwise{"rsqrt", 1, Takes::floats, Gives::same},
    Elementwise{"rec", 1, Takes::floats, Gives::same},
    Elementwise{"tanh", 1, Takes::floats, Gives::same},
    Elementwise{"sin", 1, Takes::floats, Gives::same},
    Elementwise{"cos", 1, Takes::floats, Gives::same},
    Elementwise{"tan", 1, Takes::floats, Gives::same},
    Elementwise{"asin", 1, Takes::floats, Gives::same},
    Elementwise{"acos", 1, Takes::floats, Gives::same},
    Elementwise{"atan", 1, Takes::floats, Gives::same},
    Elementwise{"sinh", 1, Takes::floats, Gives::same},
    Elementwise{"cosh", 1, Takes::floats, Gives::same},
    Elementwise{"asinh", 1, Takes::floats, Gives::same},
    Elementwise{"acosh", 1, Takes::floats, Gives::same},
    Elementwise{"atanh", 1, Takes::floats, Gives::same},
    Elementwise{"erf", 1, Takes::floats, Gives::same},
    Elementwise{"lgamma", 1, Takes::floats, Gives::same},
    Elementwise{"ilogb", 1, Takes::floats, Gives::same},
    Elementwise{"sigmoid", 1, Takes::floats, Gives::same},
    Elementwise{"floor", 1, Takes::floats, Gives::same},
    Elementwise{"ceil", 1, Takes::floats, Gives::same},
    Elementwise{"rint", 1, Takes::floats, Gives::same},
    Elementwise{"round", 1, Takes::floats, Gives::same},
    Elementwise{"trunc", 1, Takes::floats, Gives::same},
    Elementwise{"isnan", 1, Takes::floats, Gives::boolean},
    Elementwise{"isinf", 1, Takes::floats, Gives::boolean},
    // binary
    Elementwise{"add", 2, Takes::any, Gives::same},
    Elementwise{"sub", 2, Takes::any, Gives::same},
    Elementwise{"mul", 2, Takes::any, Gives::same},
    Elementwise{"div", 2, Takes::any, Gives::same},
    Elementwise{"divu", 2, Takes::integers, Gives::same},
    Elementwise{"pow", 2, Takes::any, Gives::same},
    // max and min propagate NaN; maxnum and minnum return the other operand.
    Elementwise{"max", 2, Takes::any, Gives::same},
    Elementwise{"min", 2, Takes::any, Gives::same},
    Elementwise{"maxnum", 2, Takes::floats, Gives::same},
    Elementwise{"minnum", 2, Takes::floats, Gives::same},
    Elementwise{"maxu", 2, Takes::integers, Gives::same},
    Elementwise{"minu", 2, Takes::integers, Gives::same},
    Elementwise{"mod", 2, Takes::any, Gives::same},
    Elementwise{"modu", 2, Takes::integers, Gives::same},
    Elementwise{"floordiv", 2, Takes::any, Gives::same},
    Elementwise{"ceildiv", 2, Takes::integers, Gives::same},
    Elementwise{"remainder", 2, Takes::any, Gives::same},
    Elementwise{"atan2", 2, Takes::floats, Gives::same},
    Elementwise{"copysign", 2, Takes::floats, Gives::same},
    Elementwise{"ldexp", 2, Takes::floats, Gives::same},
    Elementwise{"and", 2, Takes::integers, Gives::same},
    Elementwise{"or", 2, Takes::integers, Gives::same},
    Elementwise{"xor", 2, Takes::integers, Gives::same},
    Elementwise{"shl", 2, Takes::integers, Gives::same},
    Elementwise{"shrs", 2, Takes::integers, Gives::same},
    Elementwise{"shru", 2, Takes::integers, Gives::same},
    Elementwise{"eq", 2, Takes::any, Gives::boolean},
    Elementwise{"ne", 2, Takes::any, Gives::boolean},
    Elementwise{"lt", 2, Takes::any, Gives::boolean},
    Elementwise{"le", 2, Takes::any, Gives::boolean},
    Elementwise{"gt", 2, Takes::any, Gives::boolean},
    Elementwise{"ge", 2, Takes::any, Gives::boolean},
    Elementwise{"ltu", 2, Takes::integers, Gives::boolean},
    Elementwise{"leu", 2, Takes::integers, Gives::boolean},
    Elementwise{"gtu", 2, Takes::integers, Gives::boolean},
    Elementwise{"geu", 2, Takes::integers, Gives::boolean},
    // ternary: select(condition, a, b); clamp(x, low, high) as max(min(x, high), low), NaN passes
    Elementwise{"select", 3, Takes::any, Gives::same},
    Elementwise{"clamp", 3, Takes::any, Gives::same},
    Elementwise{"fma", 3, Takes::floats, Gives::same},
};

const Elementwise* find(std::string_view name) {
  static const auto table = [] {
    std::map<std::string_view, const Elementwise*> rows;
    for (const Elementwise& row : kTable) rows.emplace(row.name, &row);
    return rows;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

std::vector<TensorType> infer(InferContext& context) {
  const Elementwise& row = *find(context.op.name);
  // A select's condition is i1 and may be one element for all lanes only after a broadcast.
  bool select = row.name == "select";
  if (select && context.operand(0).dtype != DType::i1)
    context.fail("an i1 condition", context.operand(0).str());
  const TensorType& first = context.operand(select ? 1 : 0);
  for (std::size_t i = 0; i < context.operand_count(); ++i) {
    context.require_same_shape(first, context.operand(i));
    if ((select && i == 0) || context.operand(i).dtype == first.dtype) continue;
    context.fail("operands of one element type", first.str() + " and " + context.operand(i).str());
  }
  bool floating = is_floating(first.dtype);
  if (row.takes == Takes::floats && !floating) context.fail("floating-point operands", first.str());
  if (row.takes == Takes::integers && floating) context.fail("integer operands", first.str());
  TensorType result = first;
  if (row.gives == Gives::boolean) result.dtype = DType::i1;
  return {result};
}

/// Which branch of a select matters depends on the condition's values: its branches are approximate.
BoxParts spread_select(const OpContext&, std::size_t operand, const Box& box, std::size_t) {
  return {{box, operand == 0}};
}
BoxParts read_select(const OpContext&, std::size_t, const Box& box, std::size_t operand) {
  return {{box, operand == 0}};
}

}  // namespace

bool is_elementwise(std::string_view op) { return find(op) != nullptr || op == "cast"; }

void ops::add_elementwise(OpRegistry& table) {
  for (const Elementwise& row : kTable) {
    OpRule rule;
    rule.name = row.name;
    rule.least_operands = rule.most_operands = row.operands;
    rule.infer = infer;
    rule.spread = row.name == "select" ? spread_select : same_box;
    rule.reads = row.name == "select" ? read_select : same_box;
    rule.eager = EagerResult::elementwise;
    table.add(rule);
  }
}

}  // namespace bufferproof::model
