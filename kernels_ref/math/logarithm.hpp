// Logarithms: log, log2, log10, log1p, and the inverse hyperbolic functions that are logarithms.
//
// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); with s = f / (2 + f), log(1 + f) = 2 atanh(s), an odd
// series in s. log_pair carries about 65 bits, for pow and for the other bases. Bounds:
// kernels_ref/math/bounds.hpp. Tested by tests/kernels_ref/math_golden_test.cpp and tests/kernels_ref/mpfr/.
#pragma once

#include "kernels_ref/math/bits.hpp"
#include "kernels_ref/math/coefficients.hpp"

namespace bufferproof::kernels::math {

/// x = 2^k (1 + f), x positive and finite (anything else gives nonsense that the caller replaces).
struct Decomposed {
  double k;
  double f;
};
BUFFERPROOF_INLINE Decomposed decompose(double x) {
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdULL;
  const bool subnormal = x < 0x1p-1022;
  const std::uint64_t bits = bits_of(subnormal ? x * 0x1p54 : x) - kSqrtHalf;
  const std::uint64_t k = bits >> 52;  // 12 bits, two's complement
  const double power =
      to_double(((k + 2048) & 0xfff) - 2048);  // its sign extended without an arithmetic shift
  const double mantissa = from_bits((bits & 0x000fffffffffffffULL) + kSqrtHalf);
  return {power - (subnormal ? 54.0 : 0.0), mantissa - 1.0};
}

template <Accuracy A>
BUFFERPROOF_INLINE double log_series(double z) {
  if constexpr (A == kDouble) {
    return horner(z, kLog64);
  } else {
    return horner(z, kLog32);
  }
}

/// k ln2 + log(1 + f) + correction.
template <Accuracy A>
BUFFERPROOF_INLINE double log_of_parts(double k, double f, double correction) {
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double half_square = 0.5 * f * f;
  const double small = s * (half_square + z * log_series<A>(z)) + (k * kLn2Lo + correction);
  return k * kLn2Hi - ((half_square - small) - f);
}

/// What every logarithm of x gives at x = 0, x < 0, infinity and NaN.
BUFFERPROOF_INLINE double log_special(double x, double result) {
  const double positive = x == kInfinity ? kInfinity : result;
  const double nonnegative = x == 0.0 ? -kInfinity : positive;
  return x >= 0.0 ? nonnegative : kNan;
}

template <Accuracy A>
BUFFERPROOF_INLINE double log(double x) {
  const Decomposed at = decompose(x);
  return log_special(x, log_of_parts<A>(at.k, at.f, 0.0));
}

/// log(1 + f) as a pair, relative error below 2^-63.
BUFFERPROOF_INLINE Pair log_pair_of_mantissa(double f) {
  constexpr Pair kTwoThirds{0x1.5555555555555p-1, 0x1.5555555555555p-55};
  const Pair denominator = fast_two_sum(2.0, f);
  const double s = f / denominator.hi;
  const double s_lo = (math::fma(-s, denominator.hi, f) - s * denominator.lo) / denominator.hi;
  const Pair square = two_product(s, s);
  const double square_lo = square.lo + 2.0 * s * s_lo;
  const Pair cube = two_product(square.hi, s);
  const double cube_lo = cube.lo + (square.hi * s_lo + square_lo * s);
  const Pair third = two_product(cube.hi, kTwoThirds.hi);
  const double third_lo = third.lo + (cube.hi * kTwoThirds.lo + cube_lo * kTwoThirds.hi);
  const double tail = cube.hi * (square.hi * horner(square.hi, kLogTail64));
  const Pair sum = fast_two_sum(2.0 * s, third.hi);
  return fast_two_sum(sum.hi, sum.lo + (tail + (2.0 * s_lo + third_lo)));
}

/// log(x) as a pair; x positive and finite.
BUFFERPROOF_INLINE Pair log_pair(double x) {
  const Decomposed at = decompose(x);
  const Pair mantissa = log_pair_of_mantissa(at.f);
  const Pair sum = two_sum(at.k * kLn2Hi, mantissa.hi);
  return fast_two_sum(sum.hi, sum.lo + (mantissa.lo + at.k * kLn2Lo));
}

/// k + log(1 + f) / ln2: exact at powers of two.
template <Accuracy A>
BUFFERPROOF_INLINE double log2(double x) {
  const Decomposed at = decompose(x);
  if constexpr (A == kSingle) {
    return log_special(x, math::fma(log_of_parts<A>(0.0, at.f, 0.0), kLog2E.hi, at.k));
  }
  const Pair natural = log_pair_of_mantissa(at.f);
  const Pair scaled = two_product(natural.hi, kLog2E.hi);
  const double scaled_lo = scaled.lo + (natural.hi * kLog2E.lo + natural.lo * kLog2E.hi);
  const Pair sum = two_sum(at.k, scaled.hi);
  return log_special(x, sum.hi + (sum.lo + scaled_lo));
}

template <Accuracy A>
BUFFERPROOF_INLINE double log10(double x) {
  if constexpr (A == kSingle) return log<A>(x) * kLog10E.hi;
  const Pair natural = log_pair(x);
  const Pair scaled = two_product(natural.hi, kLog10E.hi);
  return log_special(x, scaled.hi + (scaled.lo + (natural.hi * kLog10E.lo + natural.lo * kLog10E.hi)));
}

/// log(1 + x + x_tail) + extra ln2, x > -1: u = 1 + x rounded, what the rounding lost divided by u comes back
/// at the end.
template <Accuracy A>
BUFFERPROOF_INLINE double log1p_of_pair(double x, double x_tail, double extra) {
  const Pair u = two_sum(1.0, x);
  const Decomposed at = decompose(u.hi);
  return log_of_parts<A>(at.k + extra, at.f, (u.lo + x_tail) / u.hi);
}

template <Accuracy A>
BUFFERPROOF_INLINE double log1p(double x) {
  const double result = log1p_of_pair<A>(x, 0.0, 0.0);
  const double positive = x == kInfinity ? kInfinity : result;
  const double known = x == -1.0 ? -kInfinity : positive;
  return magnitude(x) < 0x1p-54 ? x : (x >= -1.0 ? known : kNan);
}

/// log(|x| + sqrt(x^2 + 1)); above 2^28 that is log(2|x|).
template <Accuracy A>
BUFFERPROOF_INLINE double asinh(double x) {
  const double size = magnitude(x);
  const bool large = size > 0x1p28;
  const double bounded = large ? 1.0 : size;
  const double square = bounded * bounded;
  const double rest = square / (1.0 + square_root(square + 1.0));
  const Pair sum = two_sum(bounded, rest);
  const double result =
      log1p_of_pair<A>(large ? size - 1.0 : sum.hi, large ? 0.0 : sum.lo, large ? 1.0 : 0.0);
  const double finite = size < 0x1p-28 ? size : result;
  return with_sign(size == kInfinity ? size : finite, x);
}

/// log(x + sqrt(x^2 - 1)) = log1p(t + sqrt(2t + t^2)), t = x - 1.
template <Accuracy A>
BUFFERPROOF_INLINE double acosh(double x) {
  const bool large = x > 0x1p28;
  const double t = (large ? 2.0 : x) - 1.0;
  const Pair sum = two_sum(square_root(2.0 * t + t * t), t);
  const double result = log1p_of_pair<A>(large ? x - 1.0 : sum.hi, large ? 0.0 : sum.lo, large ? 1.0 : 0.0);
  return x == kInfinity ? x : (x >= 1.0 ? result : kNan);
}

/// log1p(2x / (1 - x)) / 2.
template <Accuracy A>
BUFFERPROOF_INLINE double atanh(double x) {
  const double size = magnitude(x);
  const double ratio = 2.0 * size / (1.0 - size);
  const double result = 0.5 * log1p_of_pair<A>(ratio, 0.0, 0.0);
  const double inside = size < 0x1p-28 ? size : result;
  const double known = size == 1.0 ? kInfinity : inside;
  return size <= 1.0 ? with_sign(known, x) : kNan;
}

}  // namespace bufferproof::kernels::math
