// e^x and what is built from it: exp, exp2, expm1, sigmoid, tanh, sinh, cosh.
//
// x = k ln2 + r with |r| <= ln2 / 2; e^r = 1 + r + r^2 q(r) with a minimax q; the result is scaled by 2^k
// with one rounding. The bound of each function stands in kernels_ref/math/bounds.hpp. Not for exp of
// arguments wider than a pair of doubles. Tested by tests/kernels_ref/math_golden_test.cpp and
// tests/kernels_ref/mpfr/.
#pragma once

#include "kernels_ref/math/bits.hpp"
#include "kernels_ref/math/coefficients.hpp"

namespace bufferproof::kernels::math {

/// x + x_tail = k ln2 + r + tail.
struct ReducedByLn2 {
  double r;
  double tail;
  std::uint64_t k;
};
BUFFERPROOF_INLINE ReducedByLn2 reduce_by_ln2(double x, double x_tail) {
  const Nearest k = nearest(x * kLog2E.hi);
  const double head = math::fma(-k.value, kLn2Hi, x);
  const double r = math::fma(-k.value, kLn2Lo, head);
  const double tail = math::fma(-k.value, kLn2Lo, head - r) + x_tail;
  const Pair sum = two_sum(r, tail);  // x_tail may be many ulp of r; the series wants the tail below one
  return {sum.hi, sum.lo, k.integer};
}

template <Accuracy A>
BUFFERPROOF_INLINE double exp_quotient(double r) {
  if constexpr (A == kDouble) {
    return horner(r, kExp64);
  } else {
    return horner(r, kExp32);
  }
}

/// e^(r + tail), between 0.7 and 1.42.
template <Accuracy A>
BUFFERPROOF_INLINE double exp_of_reduced(double r, double tail) {
  const double square = r * r;
  const double q = exp_quotient<A>(r);
  if constexpr (A == kSingle) return math::fma(square, q, r) + 1.0;
  const Pair sum = fast_two_sum(1.0, r);
  return sum.hi + (sum.lo + math::fma(square, q, tail));
}

/// e^(x + x_tail) 2^extra.
template <Accuracy A>
BUFFERPROOF_INLINE double exp_pair(double x, double x_tail, std::uint64_t extra) {
  const double limit = A == kDouble ? 800.0 : 200.0;  // beyond it the result is 0 or infinity in its type
  const ReducedByLn2 at = reduce_by_ln2(clamp_to(x, -limit, limit), x_tail);
  const double mantissa = exp_of_reduced<A>(at.r, at.tail);
  if constexpr (A == kSingle) return mantissa * power_of_two(at.k + extra);
  return scale(mantissa, at.k + extra);
}
template <Accuracy A>
BUFFERPROOF_INLINE double exp(double x) {
  return exp_pair<A>(x, 0.0, 0);
}

template <Accuracy A>
BUFFERPROOF_INLINE double exp2(double x) {
  const double limit = A == kDouble ? 1200.0 : 300.0;
  const double bounded = clamp_to(x, -limit, limit);
  const Nearest k = nearest(bounded);
  const double fraction = bounded - k.value;  // exact
  const double r = fraction * kLn2.hi;
  const double tail = math::fma(fraction, kLn2.hi, -r) + fraction * kLn2.lo;
  const double mantissa = exp_of_reduced<A>(r, tail);
  if constexpr (A == kSingle) return mantissa * power_of_two(k.integer);
  return scale(mantissa, k.integer);
}

/// 2^k ((1 - 2^-k) + (e^r - 1)): the first bracket is exact where it matters.
template <Accuracy A>
BUFFERPROOF_INLINE double expm1(double x) {
  const double bounded = clamp_to(x, -50.0, A == kDouble ? 720.0 : 200.0);  // e^-50 is below half an ulp of 1
  const ReducedByLn2 at = reduce_by_ln2(bounded, 0.0);
  const double offset =
      1.0 - (bounded > 45.0 ? 0.0 : power_of_two(0 - at.k));  // 2^-k above is below half an ulp of 1
  const Pair tiny = fast_two_sum(at.r, math::fma(at.r * at.r, exp_quotient<A>(at.r), at.tail));
  const Pair sum = two_sum(offset, tiny.hi);
  const double result = scale(sum.hi + (sum.lo + tiny.lo), at.k);
  return magnitude(x) < 0x1p-54 ? x : result;
}

/// 1 / (1 + e^-x), as e^-|x| / (1 + e^-|x|) below zero so that nothing overflows.
template <Accuracy A>
BUFFERPROOF_INLINE double sigmoid(double x) {
  const double e = exp<A>(-magnitude(x));
  return (x < 0.0 ? e : 1.0) / (1.0 + e);
}

template <Accuracy A>
BUFFERPROOF_INLINE double tanh(double x) {
  const double size = magnitude(x);
  const double t = expm1<A>(2.0 * (size > 22.0 ? 22.0 : size));  // tanh(22) rounds to 1
  return with_sign(t / (t + 2.0), x);
}

template <Accuracy A>
BUFFERPROOF_INLINE double sinh(double x) {
  const double size = magnitude(x);
  const double t = expm1<A>(size > 30.0 ? 30.0 : size);
  const double near = 0.5 * (t + t / (t + 1.0));
  const double far = exp_pair<A>(size, 0.0, ~std::uint64_t{0});  // e^|x| / 2
  return with_sign(size > 30.0 ? far : near, x);
}

template <Accuracy A>
BUFFERPROOF_INLINE double cosh(double x) {
  const double size = magnitude(x);
  const double half = exp_pair<A>(size, 0.0, ~std::uint64_t{0});
  return size > 30.0 ? half : half + 0.25 / half;
}

}  // namespace bufferproof::kernels::math
