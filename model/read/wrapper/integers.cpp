// Size arithmetic and conditions of a wrapper as symbolic expressions.
//
// What SymExpr has no meaning for (FloatTrueDiv, math.trunc, ...) becomes an opaque call, equal only to
// itself.
#include <set>

#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {

std::vector<SymExpr> Evaluator::integers(const Expr& sequence) {
  if (sequence.kind != ExprKind::tuple && sequence.kind != ExprKind::list) {
    const Value value = eval(sequence);
    if (!value.is(Value::Kind::list)) throw Outside{"sizes that are no tuple: " + python::str(sequence, 60)};
    std::vector<SymExpr> out;
    for (const Value& item : *value.items) out.push_back(integer(item, sequence));
    return out;
  }
  std::vector<SymExpr> out;
  out.reserve(sequence.items.size());
  for (const Expr* item : sequence.items) out.push_back(integer(*item));
  return out;
}

std::optional<Layout> Evaluator::layout(const Expr* sizes, const Expr* strides) {
  if (!sizes || !strides) return std::nullopt;
  Layout out{integers(*sizes), integers(*strides), 0};
  if (out.sizes.size() != out.strides.size())
    throw InputError(
        builder_.where(), "as many strides as sizes",
        std::to_string(out.sizes.size()) + " sizes and " + std::to_string(out.strides.size()) + " strides");
  return out;
}

std::optional<Layout> Evaluator::layout_of(const std::optional<LayoutText>& text) {
  if (!text || !text->sizes || !text->strides) return std::nullopt;
  std::optional<Layout> out;
  ahead_ = true;
  try {
    out = layout(text->sizes, text->strides);
  } catch (const Outside&) {  // as if it said nothing
  }
  ahead_ = false;
  return out;
}

/// Of a name nobody bound: s7, u0, ks0, zuf1 are what the compilers call sizes.
void Evaluator::assume_size(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  static const std::set<std::string, std::less<>> kSizes{"s", "u", "ks", "zuf", "ps"};
  const bool is_size = digits != std::string::npos && kSizes.count(name.substr(0, digits)) > 0 &&
                       name.find_first_not_of("0123456789", digits) == std::string::npos;
  if (!is_size) throw Outside{"the name " + name + ", which nothing binds"};
  builder_.assume(name + ", which the file does not bind, is a size");
}

SymExpr Evaluator::integer(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::integer:
      if (!expr.value)
        throw InputError(module_.locate(expr.at), "an integer of 64 bits", std::string(expr.text));
      return *expr.value;
    case ExprKind::real:
      return SymExpr::call(std::string(expr.text), {});
    case ExprKind::unary:
    case ExprKind::binary:
      if (expr.text == "not") break;
      return arithmetic(expr);
    case ExprKind::name: {
      const Value value = lookup(expr.text);
      if (!value.is(Value::Kind::path) || value.name != expr.text) return integer(value, expr);
      if (!ahead_) assume_size(value.name);
      return builder_.symbol(expr.text);
    }
    default:
      break;
  }
  return integer(eval(expr), expr);
}

SymExpr Evaluator::integer(const Value& value, const Expr& expr) {
  if (value.is(Value::Kind::integer)) return value.number;
  if (value.is(Value::Kind::truth) && (value.truth.is_true() || value.truth.is_false()))
    return value.truth.is_true() ? 1 : 0;
  throw Outside{"'" + python::str(expr, 60) + "' where a size is needed"};
}

SymExpr Evaluator::arithmetic(const Expr& expr) {
  const std::string_view op = expr.text;
  if (expr.kind == ExprKind::unary) {
    if (op == "-" && expr.items[0]->text == "9223372036854775808") return INT64_MIN;
    const SymExpr inner = integer(*expr.items[0]);
    return op == "-" ? -inner : op == "+" ? inner : SymExpr::call("~", {inner});
  }
  const SymExpr a = integer(*expr.items[0]), b = integer(*expr.items[1]);
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "//") return floordiv(a, b);
  if (op == "%") return mod(a, b);
  if (op == "**" && b.constant() && *b.constant() >= 0 && *b.constant() <= 16) return power(a, *b.constant());
  return SymExpr::call(std::string(op), {a, b});
}

/// Functions of sizes; nullopt if `function` is none of them.
std::optional<SymExpr> Evaluator::integer_call(std::string_view function, const Expr& call) {
  static const std::unordered_set<std::string_view> kOpaque = {
      "trunc",           "ceil",         "floor",           "sqrt",
      "FloatTrueDiv",    "IntTrueDiv",   "FloorToInt",      "CeilToInt",
      "RoundToInt",      "TruncToInt",   "float",           "ToFloat",
      "round",           "log2",         "next_power_of_2", "BitwiseFn_bitwise_and",
      "Identity",        "PowByNatural", "FloatPow",        "abs",
      "ModularIndexing", "sym_float",    "sym_int",         "sym_sqrt"};
  const bool known = kOpaque.count(function) || function == "max" || function == "min" ||
                     function == "align" || function == "_align" || function == "int" ||
                     function == "FloorDiv" || function == "Mod" || function == "PythonMod" ||
                     function == "CleanDiv" || function == "CeilDiv" || function == "ceildiv" ||
                     function == "cdiv";
  if (!known) return std::nullopt;
  std::vector<SymExpr> a;
  for (const Expr* argument : call.items.subspan(1)) a.push_back(integer(*argument));
  const bool two = a.size() == 2;
  if ((function == "align" || function == "_align") && a.size() == 1)
    return floordiv(a[0] + 63, 64) * 64;  // ALIGN_BYTES of torch/_inductor/utils.py
  if (function == "int" && a.size() == 1) return a[0];
  if ((function == "FloorDiv" || function == "CleanDiv") && two) return floordiv(a[0], a[1]);
  if ((function == "Mod" || function == "PythonMod") && two) return mod(a[0], a[1]);
  if ((function == "CeilDiv" || function == "ceildiv" || function == "cdiv") && two)
    return floordiv(a[0] + a[1] - 1, a[1]);
  if ((function == "max" || function == "min") && !a.empty()) {
    SymExpr out = a[0];
    for (std::size_t i = 1; i < a.size(); ++i) out = function == "max" ? max(out, a[i]) : min(out, a[i]);
    return out;
  }
  return SymExpr::call(std::string(function), std::move(a));
}

Cond Evaluator::condition(const Expr& expr) {
  if (expr.kind == ExprKind::unary && expr.text == "not") return !condition(*expr.items[0]);
  if (expr.kind == ExprKind::boolean) {
    const Cond a = condition(*expr.items[0]), b = condition(*expr.items[1]);
    return expr.text == "and" ? a && b : a || b;
  }
  if (expr.kind == ExprKind::compare) return comparison(expr);
  return truth_of(eval(expr), python::str(expr, 40));
}

Cond Evaluator::comparison(const Expr& expr) {
  const std::string_view op = expr.text;
  if (op == "is" || op == "is not") {
    const Value a = eval(*expr.items[0]), b = eval(*expr.items[1]);
    if (!b.is(Value::Kind::none) || !b.name.empty()) throw Outside{"the comparison " + python::str(expr, 60)};
    return Cond((a.is(Value::Kind::none) && a.name.empty()) == (op == "is"));
  }
  const SymExpr a = integer(*expr.items[0]), b = integer(*expr.items[1]);
  if (op == "<") return Cond::lt(a, b);
  if (op == "<=") return Cond::le(a, b);
  if (op == ">") return Cond::lt(b, a);
  if (op == ">=") return Cond::le(b, a);
  if (op == "==") return Cond::eq(a, b);
  if (op == "!=") return Cond::ne(a, b);
  throw Outside{"the comparison " + python::str(expr, 60)};
}

/// Whether a value is true. A tensor is asked on the host; either answer is possible.
Cond Evaluator::truth_of(const Value& value, const std::string& what) {
  switch (value.kind) {
    case Value::Kind::truth:
      return value.truth;
    case Value::Kind::integer:
      return Cond::ne(value.number, 0);
    case Value::Kind::none:
      if (value.name.empty()) return Cond(false);
      break;
    case Value::Kind::list:
      return Cond(!value.items->empty());
    case Value::Kind::handle: {
      const std::string handle = handle_of(value);
      read_on_host(handle, "bool");
      return Cond::eq(builder_.fresh_symbol(handle + "_is_true", 0, 1), 1);
    }
    default:
      break;
  }
  throw Outside{"the condition " + what};
}

}  // namespace bufferproof::model::wrapper
