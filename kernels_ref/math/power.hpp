// x^y, and roots and reciprocals.
//
// pow is e^(y log|x|) with the logarithm and the product carried as pairs; the special cases are C's (annex
// F): pow(x, 0) = 1 and pow(1, y) = 1 even for NaN. sqrt, 1 / x are IEEE operations; rsqrt is corrected once.
// Bounds: kernels_ref/math/bounds.hpp. Tested by tests/kernels_ref/math_golden_test.cpp and
// tests/kernels_ref/mpfr/.
#pragma once

#include "kernels_ref/math/exponential.hpp"
#include "kernels_ref/math/logarithm.hpp"

namespace bufferproof::kernels::math {

BUFFERPROOF_INLINE bool is_integer(double x) {
  const double size = magnitude(x);
  return (size >= 0x1p52) |
         ((size + 0x1p52) - 0x1p52 == size);  // false for NaN; no branches, for vector loops
}
BUFFERPROOF_INLINE bool is_odd_integer(double y) { return is_integer(y) & !is_integer(0.5 * y); }

/// |x|^y for positive finite |x|.
template <Accuracy A>
BUFFERPROOF_INLINE double pow_of_magnitude(double size, double y) {
  if constexpr (A == kSingle) {
    const Decomposed at = decompose(size);
    return exp_pair<A>(y * log_of_parts<kDouble>(at.k, at.f, 0.0), 0.0, 0);
  }
  const Pair natural = log_pair(size);
  const Pair product = two_product(y, natural.hi);
  const double tail = product.lo + y * natural.lo;
  return exp_pair<A>(product.hi, magnitude(product.hi) < 1000.0 ? tail : 0.0, 0);
}

/// |x|^y where x is zero or infinite or y is infinite; sizes only.
BUFFERPROOF_INLINE double pow_of_extremes(double size, double y, double otherwise) {
  const double at_zero = y < 0.0 ? kInfinity : 0.0;
  const double at_infinity = y < 0.0 ? 0.0 : kInfinity;
  const double base = size == 0.0 ? at_zero : (size == kInfinity ? at_infinity : otherwise);
  const double grows = (size > 1.0) == (y > 0.0) ? kInfinity : 0.0;
  return magnitude(y) == kInfinity ? (size == 1.0 ? 1.0 : grows) : base;
}

template <Accuracy A>
BUFFERPROOF_INLINE double pow(double x, double y) {
  const double size = magnitude(x);
  const double positive = pow_of_extremes(size, y, pow_of_magnitude<A>(size, y));
  const bool negative = bits_of(x) >> 63 != 0;
  const double signed_result = (negative & is_odd_integer(y)) ? -positive : positive;
  const bool no_root = (x < 0.0) & (size < kInfinity) & (magnitude(y) < kInfinity) & !is_integer(y);
  const bool invalid = no_root | (x != x) | (y != y);
  return (x == 1.0) | (y == 0.0) ? 1.0 : (invalid ? kNan : signed_result);
}

/// 1 / sqrt(x), with one Newton correction of the rounded quotient; -0 gives -infinity.
template <Accuracy A>
BUFFERPROOF_INLINE double rsqrt(double x) {
  if constexpr (A == kSingle) return 1.0 / square_root(x);
  // The residual 1 - x r^2 is exact to rounding only away from the ends, so move x to the middle: by an even
  // power of two.
  const double up = x < 0x1p-900 ? 0x1p100 : 1.0;
  const double moved = x * up * (x > 0x1p900 ? 0x1p-100 : 1.0);
  const double back = (x < 0x1p-900 ? 0x1p50 : 1.0) * (x > 0x1p900 ? 0x1p-50 : 1.0);
  const double r = 1.0 / square_root(moved);
  const Pair square = two_product(r, r);
  const double residual = math::fma(-moved, square.hi, 1.0) - moved * square.lo;
  const double corrected = math::fma(0.5 * r, residual, r) * back;
  return x > 0.0 && x < kInfinity ? corrected : r;
}

}  // namespace bufferproof::kernels::math
