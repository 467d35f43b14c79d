#include "model/read/mlir/spellings.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace bufferproof::model::mlir {
namespace {

struct Function {
  std::string_view enumeration;
  std::string_view value;
  std::string_view op;
};

constexpr std::array kFunctions{
    // linalg.unary_fn
    Function{"unary_fn", "exp", "exp"},
    Function{"unary_fn", "log", "log"},
    Function{"unary_fn", "abs", "abs"},
    Function{"unary_fn", "ceil", "ceil"},
    Function{"unary_fn", "floor", "floor"},
    Function{"unary_fn", "negf", "neg"},
    Function{"unary_fn", "reciprocal", "rec"},
    Function{"unary_fn", "round", "round"},
    Function{"unary_fn", "sqrt", "sqrt"},
    Function{"unary_fn", "rsqrt", "rsqrt"},
    Function{"unary_fn", "tanh", "tanh"},
    Function{"unary_fn", "erf", "erf"},
    // hfusion.unary_fn
    Function{"unary_fn", "relu", "relu"},
    Function{"unary_fn", "rec", "rec"},
    Function{"unary_fn", "vnot", "not"},
    Function{"unary_fn", "sin", "sin"},
    Function{"unary_fn", "cos", "cos"},
    Function{"unary_fn", "atan", "atan"},
    Function{"unary_fn", "tan", "tan"},
    Function{"unary_fn", "absi", "abs"},
    Function{"unary_fn", "log2", "log2"},
    Function{"unary_fn", "log10", "log10"},
    Function{"unary_fn", "log1p", "log1p"},
    Function{"unary_fn", "exp2", "exp2"},
    Function{"unary_fn", "expm1", "expm1"},
    Function{"unary_fn", "ilogb", "ilogb"},
    Function{"unary_fn", "asin", "asin"},
    Function{"unary_fn", "acos", "acos"},
    Function{"unary_fn", "asinh", "asinh"},
    Function{"unary_fn", "acosh", "acosh"},
    Function{"unary_fn", "atanh", "atanh"},
    Function{"unary_fn", "sinh", "sinh"},
    Function{"unary_fn", "lgamma", "lgamma"},
    Function{"unary_fn", "cosh", "cosh"},
    Function{"unary_fn", "nearbyint", "rint"},
    // linalg.binary_fn
    Function{"binary_fn", "add", "add"},
    Function{"binary_fn", "sub", "sub"},
    Function{"binary_fn", "mul", "mul"},
    Function{"binary_fn", "div", "div"},
    Function{"binary_fn", "div_unsigned", "divu"},
    Function{"binary_fn", "max_signed", "max"},
    Function{"binary_fn", "min_signed", "min"},
    Function{"binary_fn", "max_unsigned", "maxu"},
    Function{"binary_fn", "min_unsigned", "minu"},
    Function{"binary_fn", "powf", "pow"},
    // hfusion.binary_fn
    Function{"binary_fn", "vor", "or"},
    Function{"binary_fn", "vand", "and"},
    Function{"binary_fn", "vxor", "xor"},
    Function{"binary_fn", "minf", "min"},
    Function{"binary_fn", "maxf", "max"},
    Function{"binary_fn", "mod", "mod"},
    Function{"binary_fn", "modui", "modu"},
    Function{"binary_fn", "shli", "shl"},
    Function{"binary_fn", "shrsi", "shrs"},
    Function{"binary_fn", "shrui", "shru"},
    Function{"binary_fn", "ldexp", "ldexp"},
    Function{"binary_fn", "ceildivsi", "ceildiv"},
    Function{"binary_fn", "floordivsi", "floordiv"},
    Function{"binary_fn", "powi", "pow"},
    Function{"binary_fn", "minnumf", "minnum"},
    Function{"binary_fn", "maxnumf", "maxnum"},
    Function{"binary_fn", "atan2", "atan2"},
    Function{"binary_fn", "copysign", "copysign"},
    // hfusion.ternary_fn
    Function{"ternary_fn", "select", "select"},
    Function{"ternary_fn", "fma", "fma"},
    // hfusion.compare_fn
    Function{"compare_fn", "veq", "eq"},
    Function{"compare_fn", "vne", "ne"},
    Function{"compare_fn", "vle", "le"},
    Function{"compare_fn", "vlt", "lt"},
    Function{"compare_fn", "vge", "ge"},
    Function{"compare_fn", "vgt", "gt"},
    Function{"compare_fn", "vule", "leu"},
    Function{"compare_fn", "vult", "ltu"},
    Function{"compare_fn", "vuge", "geu"},
    Function{"compare_fn", "vugt", "gtu"},
};

using Form = Spelling::Form;

constexpr std::array kSpellings{
    Spelling{"arith.addf", "add", Form::elementwise, "sum"},
    Spelling{"arith.addi", "add", Form::elementwise, "sum"},
    Spelling{"arith.subf", "sub"},
    Spelling{"arith.subi", "sub"},
    Spelling{"arith.mulf", "mul", Form::elementwise, "prod"},
    Spelling{"arith.muli", "mul", Form::elementwise, "prod"},
    Spelling{"arith.divf", "div"},
    Spelling{"arith.divsi", "div"},
    Spelling{"arith.divui", "divu"},
    Spelling{"arith.remf", "mod"},
    Spelling{"arith.remsi", "mod"},
    Spelling{"arith.remui", "modu"},
    Spelling{"arith.floordivsi", "floordiv"},
    Spelling{"arith.ceildivsi", "ceildiv"},
    Spelling{"arith.negf", "neg"},
    Spelling{"arith.maximumf", "max", Form::elementwise, "max"},
    Spelling{"arith.minimumf", "min", Form::elementwise, "min"},
    Spelling{"arith.maxnumf", "maxnum", Form::elementwise, "maxnum"},
    Spelling{"arith.minnumf", "minnum", Form::elementwise, "minnum"},
    Spelling{"arith.maxsi", "max", Form::elementwise, "max"},
    Spelling{"arith.minsi", "min", Form::elementwise, "min"},
    Spelling{"arith.maxui", "maxu", Form::elementwise, "maxu"},
    Spelling{"arith.minui", "minu", Form::elementwise, "minu"},
    Spelling{"arith.andi", "and", Form::elementwise, "and"},
    Spelling{"arith.ori", "or", Form::elementwise, "or"},
    Spelling{"arith.xori", "xor", Form::elementwise, "xor"},
    Spelling{"arith.shli", "shl"},
    Spelling{"arith.shrsi", "shrs"},
    Spelling{"arith.shrui", "shru"},
    Spelling{"arith.truncf", "cast", Form::cast},
    Spelling{"arith.extf", "cast", Form::cast},
    Spelling{"arith.sitofp", "cast", Form::cast},
    Spelling{"arith.fptosi", "cast", Form::cast},
    Spelling{"arith.extsi", "cast", Form::cast},
    Spelling{"arith.trunci", "cast", Form::cast},
    Spelling{"arith.extui", "cast", Form::cast},
    Spelling{"arith.uitofp", "cast", Form::cast},
    Spelling{"arith.index_cast", "cast", Form::cast},
    Spelling{"arith.bitcast", "bitcast", Form::cast},
    Spelling{"arith.cmpf", "", Form::compare},
    Spelling{"arith.cmpi", "", Form::compare},
    Spelling{"arith.select", "select", Form::select},
    Spelling{"math.absf", "abs"},
    Spelling{"math.absi", "abs"},
    Spelling{"math.exp", "exp"},
    Spelling{"math.exp2", "exp2"},
    Spelling{"math.expm1", "expm1"},
    Spelling{"math.log", "log"},
    Spelling{"math.log2", "log2"},
    Spelling{"math.log10", "log10"},
    Spelling{"math.log1p", "log1p"},
    Spelling{"math.sqrt", "sqrt"},
    Spelling{"math.rsqrt", "rsqrt"},
    Spelling{"math.tanh", "tanh"},
    Spelling{"math.sin", "sin"},
    Spelling{"math.cos", "cos"},
    Spelling{"math.tan", "tan"},
    Spelling{"math.asin", "asin"},
    Spelling{"math.acos", "acos"},
    Spelling{"math.atan", "atan"},
    Spelling{"math.sinh", "sinh"},
    Spelling{"math.cosh", "cosh"},
    Spelling{"math.asinh", "asinh"},
    Spelling{"math.acosh", "acosh"},
    Spelling{"math.atanh", "atanh"},
    Spelling{"math.erf", "erf"},
    Spelling{"math.floor", "floor"},
    Spelling{"math.ceil", "ceil"},
    Spelling{"math.trunc", "trunc"},
    Spelling{"math.round", "round"},
    Spelling{"math.roundeven", "rint"},
    Spelling{"math.powf", "pow"},
    Spelling{"math.ipowi", "pow"},
    Spelling{"math.atan2", "atan2"},
    Spelling{"math.copysign", "copysign"},
    Spelling{"math.fma", "fma"},
    Spelling{"math.isnan", "isnan"},
    Spelling{"math.isinf", "isinf"},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 26> kNamed{{
    {"linalg.add", "add"},        {"linalg.sub", "sub"},       {"linalg.mul", "mul"},
    {"linalg.div", "div"},        {"linalg.max", "max"},       {"linalg.min", "min"},
    {"linalg.powf", "pow"},       {"linalg.exp", "exp"},       {"linalg.log", "log"},
    {"linalg.abs", "abs"},        {"linalg.ceil", "ceil"},     {"linalg.floor", "floor"},
    {"linalg.negf", "neg"},       {"linalg.round", "round"},   {"linalg.sqrt", "sqrt"},
    {"linalg.rsqrt", "rsqrt"},    {"linalg.tanh", "tanh"},     {"linalg.erf", "erf"},
    {"linalg.reciprocal", "rec"}, {"linalg.select", "select"}, {"linalg.div_unsigned", "divu"},
    {"hfusion.isnan", "isnan"},   {"hfusion.isinf", "isinf"},  {"hfusion.select", "select"},
    {"linalg.copy", ""},          {"hfusion.load", ""},
}};

struct Predicate {
  std::string_view text;
  bool floating;
  std::string_view op;
};

// Ordered comparisons, and the unordered one for "not equal": what eq, lt, ... of the registry mean with NaN.
constexpr std::array<Predicate, 16> kPredicates{{{"oeq", true, "eq"},
                                                 {"olt", true, "lt"},
                                                 {"ole", true, "le"},
                                                 {"ogt", true, "gt"},
                                                 {"oge", true, "ge"},
                                                 {"une", true, "ne"},
                                                 {"eq", false, "eq"},
                                                 {"ne", false, "ne"},
                                                 {"slt", false, "lt"},
                                                 {"sle", false, "le"},
                                                 {"sgt", false, "gt"},
                                                 {"sge", false, "ge"},
                                                 {"ult", false, "ltu"},
                                                 {"ule", false, "leu"},
                                                 {"ugt", false, "gtu"},
                                                 {"uge", false, "geu"}}};

}  // namespace

std::optional<std::string_view> function_op(std::string_view enumeration, std::string_view value) {
  static const auto table = [] {
    std::map<std::pair<std::string_view, std::string_view>, std::string_view> rows;
    for (const Function& row : kFunctions) rows.emplace(std::pair(row.enumeration, row.value), row.op);
    return rows;
  }();
  auto found = table.find({enumeration, value});
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

const Spelling* find_spelling(std::string_view text) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Spelling*> rows;
    for (const Spelling& row : kSpellings) rows.emplace(row.text, &row);
    return rows;
  }();
  auto found = table.find(text);
  return found == table.end() ? nullptr : found->second;
}

std::optional<std::string_view> compare_predicate(std::string_view predicate, bool floating) {
  for (const Predicate& row : kPredicates)
    if (row.text == predicate && row.floating == floating) return row.op;
  return std::nullopt;
}

std::optional<std::string_view> named_elementwise(std::string_view text) {
  for (const auto& [spelling, op] : kNamed)
    if (spelling == text) return op;
  return std::nullopt;
}

}  // namespace bufferproof::model::mlir
