#include "simulator/body/interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels_ref/bounds/ball.hpp"

namespace bufferproof::simulator {

using kernels::Rounding;
using model::DType;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// More than the error of any f64 step below, the host's elementary functions included.
constexpr double kWideError = 0x1p-48;

DType computing(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype; }

Interval checked(double lo, double hi) {
  return std::isnan(lo) || std::isnan(hi) ? Interval::whole() : Interval{std::min(lo, hi), std::max(lo, hi)};
}

Interval widened(const Interval& x, double by) {
  return checked(std::isinf(x.lo) ? x.lo : x.lo - by, std::isinf(x.hi) ? x.hi : x.hi + by);
}

/// An end that is infinite may stand for NaN, unless infinity is all there is.
bool may_be_nan(const Interval& x) { return std::isinf(x.magnitude()) && !x.single(); }

/// 0 * inf is NaN, and that is the whole line.
Interval multiply(const Interval& a, const Interval& b) {
  if ((a.contains(0) && std::isinf(b.magnitude())) || (b.contains(0) && std::isinf(a.magnitude())))
    return Interval::whole();
  const std::array<double, 4> ends{a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  return checked(*std::min_element(ends.begin(), ends.end()), *std::max_element(ends.begin(), ends.end()));
}

Interval reciprocal(const Interval& x) {
  return x.lo <= 0 && x.hi >= 0 ? Interval::whole() : checked(1 / x.hi, 1 / x.lo);
}

struct Monotone {
  std::string_view op;
  double (*at)(double);
  double ulps;
  double least = -kInfinity;  ///< of its domain
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double inverse_root(double x) { return 1 / std::sqrt(x); }

// Errors are at least those of kernels_ref/math/bounds.hpp and of PyTorch's vectorised functions (Sleef's
// 1.0 ulp versions, and compositions of them).
constexpr std::array kMonotone{
    Monotone{"exp", std::exp, 2},          Monotone{"exp2", std::exp2, 2},
    Monotone{"expm1", std::expm1, 2},      Monotone{"log", std::log, 2, 0},
    Monotone{"log2", std::log2, 2, 0},     Monotone{"log10", std::log10, 2, 0},
    Monotone{"log1p", std::log1p, 2, -1},  Monotone{"sqrt", std::sqrt, 0.5, 0},
    Monotone{"tanh", std::tanh, 2},        Monotone{"sinh", std::sinh, 2},
    Monotone{"asinh", std::asinh, 2},      Monotone{"atan", std::atan, 2},
    Monotone{"erf", std::erf, 2},          Monotone{"sigmoid", sigmoid, 4},
    Monotone{"rsqrt", inverse_root, 2, 0},
};

const Monotone* monotone(std::string_view op) {
  for (const Monotone& row : kMonotone)
    if (row.op == op) return &row;
  return nullptr;
}

Interval whole_numbers(std::string_view op, const Interval& x) {
  double (*at)(double) = nullptr;
  if (op == "floor") at = [](double v) { return std::floor(v); };
  if (op == "ceil") at = [](double v) { return std::ceil(v); };
  if (op == "trunc") at = [](double v) { return std::trunc(v); };
  if (op == "rint") at = [](double v) { return std::nearbyint(v); };
  if (op == "round") at = [](double v) { return std::round(v); };
  return at ? checked(at(x.lo), at(x.hi)) : Interval::whole();
}

Interval truth(bool certain, bool impossible) {
  if (certain) return {1, 1};
  return impossible ? Interval{0, 0} : Interval{0, 1};
}

std::optional<Interval> compare(std::string_view op, const Interval& a, const Interval& b) {
  const bool finite =
      std::isfinite(a.lo) && std::isfinite(a.hi) && std::isfinite(b.lo) && std::isfinite(b.hi);
  const bool equal = a.single() && b.single() && a.lo == b.lo;
  const bool apart = a.hi < b.lo || b.hi < a.lo;
  if (op != "lt" && op != "le" && op != "gt" && op != "ge" && op != "eq" && op != "ne") return std::nullopt;
  if (!finite && !(a.single() && b.single())) return Interval{0, 1};  // may stand for NaN
  if (op == "lt") return truth(a.hi < b.lo, a.lo >= b.hi);
  if (op == "le") return truth(a.hi <= b.lo, a.lo > b.hi);
  if (op == "gt") return truth(a.lo > b.hi, a.hi <= b.lo);
  if (op == "ge") return truth(a.lo >= b.hi, a.hi < b.lo);
  return op == "eq" ? truth(equal, apart) : truth(apart, equal);
}

/// Without rounding; integers wrap.
Interval unrounded(const Interval& x, DType dtype) {
  return model::is_floating(dtype) ? x : rounded(x, dtype, 0);
}

std::optional<Interval> unary(std::string_view op, const Interval& x, DType dtype) {
  if (op == "isnan" || op == "isinf")
    return std::isfinite(x.lo) && std::isfinite(x.hi) ? Interval{0, 0} : Interval{0, 1};
  if (may_be_nan(x)) return Interval::whole();
  if (const Monotone* row = monotone(op)) {
    const Interval inside{std::max(x.lo, row->least), x.hi};
    if (inside.lo > x.lo || inside.lo > inside.hi) return Interval::whole();  // NaN is possible
    return rounded(checked(row->at(inside.lo), row->at(inside.hi)), dtype, row->ulps);
  }
  if (op == "rec") return rounded(reciprocal(x), dtype, 0.5);
  if (op == "square") return rounded(multiply(x, x), dtype, 0.5);
  if (op == "neg") return unrounded({-x.hi, -x.lo}, dtype);
  if (op == "relu") return Interval{std::max(x.lo, 0.0), std::max(x.hi, 0.0)};
  if (op == "abs") return unrounded({x.lo > 0 ? x.lo : x.hi < 0 ? -x.hi : 0, x.magnitude()}, dtype);
  if (op == "sin" || op == "cos") {
    const double middle = x.lo / 2 + x.hi / 2;
    const double value = op == "sin" ? std::sin(middle) : std::cos(middle);
    return rounded(widened({value, value}, x.hi - x.lo), dtype, 2);
  }
  if (op == "not" && dtype == DType::i1) return Interval{1 - x.hi, 1 - x.lo};
  if (op == "floor" || op == "ceil" || op == "trunc" || op == "rint" || op == "round")
    return whole_numbers(op, x);
  return std::nullopt;
}

/// pow on bases that are not negative, or whole exponents.
Interval power(const Interval& a, const Interval& b, DType dtype) {
  if (b.single() && b.lo == 2)
    return rounded(multiply(a, a).lo < 0 ? Interval{0, std::max(a.lo * a.lo, a.hi * a.hi)} : multiply(a, a),
                   dtype, 2);
  if (a.lo > 0) {
    Interval out = checked(std::pow(a.lo, b.lo), std::pow(a.hi, b.hi));
    for (double x : {a.lo, a.hi})
      for (double y : {b.lo, b.hi}) out = hull(out, Interval::exactly(std::pow(x, y)));
    return rounded(out, dtype, 2);
  }
  const bool whole = b.single() && b.lo == std::trunc(b.lo) && b.lo >= 0;
  if (!whole)
    return a.single() && b.single() ? rounded(Interval::exactly(std::pow(a.lo, b.lo)), dtype, 2)
                                    : Interval::whole();
  Interval out = hull(Interval::exactly(std::pow(a.lo, b.lo)), Interval::exactly(std::pow(a.hi, b.lo)));
  return rounded(a.contains(0) ? hull(out, {0, 0}) : out, dtype, 2);
}

std::optional<Interval> binary(std::string_view op, const Interval& a, const Interval& b, DType dtype) {
  if (const auto truth = compare(op, a, b)) return truth;
  if (may_be_nan(a) || may_be_nan(b)) return Interval::whole();
  if (op == "max" || op == "maxnum") return Interval{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
  if (op == "min" || op == "minnum") return Interval{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
  if (dtype == DType::i1 && (op == "and" || op == "mul"))
    return Interval{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
  if (dtype == DType::i1 && (op == "or" || op == "add"))
    return Interval{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
  if (op == "add") return rounded(checked(a.lo + b.lo, a.hi + b.hi), dtype, 0.5);
  if (op == "sub") return rounded(checked(a.lo - b.hi, a.hi - b.lo), dtype, 0.5);
  if (op == "mul") return rounded(multiply(a, b), dtype, 0.5);
  if (op == "div" && model::is_floating(dtype)) {
    if (b.contains(0)) return Interval::whole();
    const std::array<double, 4> ends{a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi};
    return rounded(
        checked(*std::min_element(ends.begin(), ends.end()), *std::max_element(ends.begin(), ends.end())),
        dtype, 0.5);
  }
  if (op == "pow" && model::is_floating(dtype)) return power(a, b, dtype);
  return std::nullopt;
}

}  // namespace

Interval Interval::whole() { return {-kInfinity, kInfinity}; }
Interval Interval::exactly(double value) { return std::isnan(value) ? whole() : Interval{value, value}; }
double Interval::magnitude() const { return std::max(std::abs(lo), std::abs(hi)); }

Interval hull(const Interval& a, const Interval& b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

Interval rounded(const Interval& exact, DType dtype, double ulps) {
  if (!model::is_floating(dtype)) {
    const int bits = 8 * model::size_in_bytes(dtype);
    const double limit = dtype == DType::i64 ? 0x1p53 : std::ldexp(1.0, dtype == DType::u8 ? bits : bits - 1);
    const double least = dtype == DType::u8 ? 0 : dtype == DType::i64 ? 1 - limit : -limit;
    return exact.lo >= least && exact.hi < limit ? exact : Interval::whole();
  }
  const Rounding inner = Rounding::of(computing(dtype));
  const double size = exact.magnitude();
  double error = 2 * ulps * (inner.relative * size + inner.absolute) + kWideError * size;
  if (computing(dtype) != dtype) {
    const Rounding outer = Rounding::of(dtype);
    error += outer.relative * (size + error) + outer.absolute;
  }
  Interval out = std::isinf(size) ? exact : widened(exact, error * (1 + 0x1p-40));
  const double largest = Rounding::of(dtype).largest;
  if (out.hi > largest) out.hi = kInfinity;
  if (out.lo < -largest) out.lo = -kInfinity;
  return out;
}

std::optional<Interval> apply(std::string_view op, std::span<const Interval> operands, DType dtype) {
  if (operands.size() == 1) return unary(op, operands[0], dtype);
  if (operands.size() == 2) return binary(op, operands[0], operands[1], dtype);
  if (op == "select") {
    if (operands[0].lo == 1) return operands[1];
    return operands[0].hi == 0 ? operands[2] : hull(operands[1], operands[2]);
  }
  if (op == "clamp") {
    auto top = binary("min", operands[0], operands[2], dtype);
    return binary("max", *top, operands[1], dtype);
  }
  if (op == "fma") {
    const Interval both = multiply(operands[0], operands[1]);  // fused or in two steps
    return binary("add", rounded(both, dtype, 0.5), operands[2], dtype);
  }
  return std::nullopt;
}

Interval convert(const Interval& x, DType from, DType to, std::string_view round) {
  if (to == DType::i1) return truth(x.lo > 0 || x.hi < 0, x.lo == 0 && x.hi == 0);  // NaN is true
  if (!model::is_floating(to)) {
    const Interval number = model::is_floating(from) ? whole_numbers(round == "rint" ? "rint" : round, x) : x;
    return rounded(number, to, 0);
  }
  const Rounding rounding = Rounding::of(to);
  const bool fits = !model::is_floating(from)
                        ? x.magnitude() < 1 / rounding.relative
                        : rounding.relative <= Rounding::of(from).relative && to != DType::f16;
  if (fits && x.magnitude() <= rounding.largest) return x;  // every number of the one is one of the other
  const double size = x.magnitude();
  if (std::isinf(size)) return x;
  Interval out = widened(x, 2 * (rounding.relative * size + rounding.absolute));
  if (out.hi > rounding.largest) out.hi = kInfinity;
  if (out.lo < -rounding.largest) out.lo = -kInfinity;
  return out;
}

Interval regrouped(const Interval& sum, const Interval& a, const Interval& b, DType dtype) {
  const double error = 4 * Rounding::of(computing(dtype)).relative * (a.magnitude() + b.magnitude());
  return std::isfinite(error) ? widened(sum, error) : Interval::whole();
}

double sum_error(double n, DType dtype) {
  const double depth = (n + 1) * Rounding::of(dtype).relative;
  return depth < 0.5 ? depth / (1 - depth) : kInfinity;
}

}  // namespace bufferproof::simulator
