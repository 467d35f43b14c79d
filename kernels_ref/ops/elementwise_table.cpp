#include "kernels_ref/ops/elementwise_table.hpp"

#include <algorithm>
#include <array>

namespace bufferproof::kernels {
namespace {

using F = FloatOp;
using I = IntOp;
using Spec = ElementwiseSpec;

constexpr Spec both(std::string_view name, int operands, F floating, I integer, bool mask = false) {
  return {name, operands, mask, false, floating, {}, integer, Promise::exact};
}
constexpr Spec floats(std::string_view name, int operands, F floating, bool mask = false,
                      Promise promise = Promise::exact) {
  return {name, operands, mask, false, floating, {}, {}, promise};
}
constexpr Spec ints(std::string_view name, int operands, I integer, bool mask = false) {
  return {name, operands, mask, false, {}, {}, integer, Promise::exact};
}
constexpr Spec unsigned_ints(std::string_view name, I integer, bool mask = false) {
  return {name, 2, mask, true, {}, {}, integer, Promise::exact};
}
constexpr Spec math(std::string_view name, MathOp op, int operands = 1, std::optional<I> integer = {}) {
  return {name, operands, false, false, {}, op, integer, Promise::bounded};
}

constexpr std::array kSpecs{
    // one operand
    both("abs", 1, F::abs, I::abs), both("neg", 1, F::neg, I::neg), both("sign", 1, F::sign, I::sign),
    both("relu", 1, F::relu, I::relu), both("square", 1, F::square, I::square),
    both("floor", 1, F::floor, I::unchanged), both("ceil", 1, F::ceil, I::unchanged),
    both("trunc", 1, F::trunc, I::unchanged), both("rint", 1, F::rint, I::unchanged),
    both("round", 1, F::round, I::unchanged), both("logical_not", 1, F::logical_not, I::logical_not, true),
    floats("sqrt", 1, F::sqrt), floats("rec", 1, F::rec), floats("ilogb", 1, F::ilogb),
    floats("isnan", 1, F::isnan, true), floats("isinf", 1, F::isinf, true),
    floats("isfinite", 1, F::isfinite, true), ints("not", 1, I::bitwise_not), math("exp", MathOp::exp),
    math("exp2", MathOp::exp2), math("expm1", MathOp::expm1), math("sigmoid", MathOp::sigmoid),
    math("tanh", MathOp::tanh), math("sinh", MathOp::sinh), math("cosh", MathOp::cosh),
    math("log", MathOp::log), math("log2", MathOp::log2), math("log10", MathOp::log10),
    math("log1p", MathOp::log1p), math("asinh", MathOp::asinh), math("acosh", MathOp::acosh),
    math("atanh", MathOp::atanh), math("sin", MathOp::sin), math("cos", MathOp::cos),
    math("tan", MathOp::tan), math("asin", MathOp::asin), math("acos", MathOp::acos),
    math("atan", MathOp::atan), math("erf", MathOp::erf), math("lgamma", MathOp::lgamma),
    math("rsqrt", MathOp::rsqrt),
    // two operands
    both("add", 2, F::add, I::add), both("sub", 2, F::sub, I::sub), both("mul", 2, F::mul, I::mul),
    both("div", 2, F::div, I::div), both("max", 2, F::max, I::max), both("min", 2, F::min, I::min),
    both("mod", 2, F::mod, I::mod), both("remainder", 2, F::remainder, I::remainder),
    both("floordiv", 2, F::floordiv, I::floordiv), floats("maxnum", 2, F::maxnum),
    floats("minnum", 2, F::minnum), floats("copysign", 2, F::copysign), ints("ceildiv", 2, I::ceildiv),
    ints("and", 2, I::bit_and), ints("or", 2, I::bit_or), ints("xor", 2, I::bit_xor), ints("shl", 2, I::shl),
    ints("shrs", 2, I::shrs), unsigned_ints("shru", I::shru), unsigned_ints("divu", I::divu),
    unsigned_ints("modu", I::modu), unsigned_ints("ceildivu", I::ceildivu), unsigned_ints("maxu", I::maxu),
    unsigned_ints("minu", I::minu), math("pow", MathOp::pow, 2, I::pow), math("atan2", MathOp::atan2, 2),
    math("ldexp", MathOp::ldexp, 2), both("eq", 2, F::eq, I::eq, true), both("ne", 2, F::ne, I::ne, true),
    both("lt", 2, F::lt, I::lt, true), both("le", 2, F::le, I::le, true), both("gt", 2, F::gt, I::gt, true),
    both("ge", 2, F::ge, I::ge, true), unsigned_ints("ltu", I::ltu, true), unsigned_ints("leu", I::leu, true),
    unsigned_ints("gtu", I::gtu, true), unsigned_ints("geu", I::geu, true),
    both("logical_and", 2, F::logical_and, I::logical_and, true),
    both("logical_or", 2, F::logical_or, I::logical_or, true),
    both("logical_xor", 2, F::logical_xor, I::logical_xor, true),
    // three operands; select is not here: it moves bits and does not compute (block_op.hpp)
    both("clamp", 3, F::clamp, I::clamp), floats("fma", 3, F::fma)};

/// Ops whose every rule is documented or in open source for the NPU's vector unit (level L2,
/// kernels_ref/ops/README.md).
constexpr std::array<std::string_view, 37> kDeviceCandidates{
    "add",   "sub",   "mul",   "abs",  "neg",   "relu", "max",  "min", "maxnum", "minnum",
    "eq",    "ne",    "lt",    "le",   "gt",    "ge",   "ltu",  "leu", "gtu",    "geu",
    "maxu",  "minu",  "shru",  "and",  "or",    "xor",  "not",  "shl", "shrs",   "logical_not",
    "isnan", "isinf", "floor", "ceil", "trunc", "rint", "round"};

}  // namespace

Promise promise_of(const ElementwiseSpec& spec) {
  const bool candidate =
      std::find(kDeviceCandidates.begin(), kDeviceCandidates.end(), spec.name) != kDeviceCandidates.end();
  return candidate ? Promise::device_bits : spec.promise;
}

std::span<const ElementwiseSpec> elementwise_specs() { return kSpecs; }

const ElementwiseSpec* find_elementwise(std::string_view name) {
  const auto found =
      std::find_if(kSpecs.begin(), kSpecs.end(), [&](const Spec& spec) { return spec.name == name; });
  return found == kSpecs.end() ? nullptr : &*found;
}

}  // namespace bufferproof::kernels
