// asin, acos, atan, atan2.
//
// atan: |x| is moved to |t| <= 7/16 about one of five centres (0, 1/2, 1, 3/2, infinity) whose atan is stored
// as a pair. asin and acos: a series below 1/2, sqrt((1 - x) / 2) above. atan2 carries the rounding error of
// its quotient along. Bounds: kernels_ref/math/bounds.hpp. Tested by tests/kernels_ref/math_golden_test.cpp
// and tests/kernels_ref/mpfr/.
#pragma once

#include "kernels_ref/math/bits.hpp"
#include "kernels_ref/math/coefficients.hpp"

namespace bufferproof::kernels::math {

template <Accuracy A>
BUFFERPROOF_INLINE double atan_series(double z) {
  if constexpr (A == kDouble) {
    return horner(z, kAtan64);
  } else {
    return horner(z, kAtan32);
  }
}

/// atan of size >= 0 as centre.hi + lo, |lo| small against it (or centre 0): the caller may add to the centre
/// first.
template <Accuracy A>
BUFFERPROOF_INLINE double atan_of_size(double size) {
  const bool c1 = size >= 0.4375;
  const bool c2 = size >= 0.6875;
  const bool c3 = size >= 1.1875;
  const bool c4 = size >= 2.4375;
  const double centre = c3 ? 1.5 : (c2 ? 1.0 : 0.5);
  const double top = c4 ? -1.0 : (c1 ? size - centre : size);
  const double bottom = c4 ? size : (c1 ? math::fma(centre, size, 1.0) : 1.0);
  const double hi = c3 ? 0x1.f730bd281f69bp-1 : (c2 ? 0x1.921fb54442d18p-1 : 0x1.dac670561bb4fp-2);
  const double lo = c3 ? 0x1.007887af0cbbdp-56 : (c2 ? 0x1.1a62633145c07p-55 : 0x1.a2b7f222f65e2p-56);
  const double base = c4 ? kHalfPi.hi : (c1 ? hi : 0.0);
  const double base_lo = c4 ? kHalfPi.lo : (c1 ? lo : 0.0);
  const double t = top / bottom;
  const double z = t * t;
  const double rest = math::fma(z * t, atan_series<A>(z), base_lo);
  const Pair sum = fast_two_sum(base, t);
  const double moved = sum.hi + (sum.lo + rest);
  return c1 ? moved : t + rest;
}

template <Accuracy A>
BUFFERPROOF_INLINE double atan(double x) {
  return with_sign(atan_of_size<A>(magnitude(x)), x);
}

/// Angle of the point (x, y), the signs of zeros as in C (annex F).
template <Accuracy A>
BUFFERPROOF_INLINE double atan2(double y, double x) {
  const double ay = magnitude(y);
  const double ax = magnitude(x);
  const bool swap = ay > ax;
  const double small = swap ? ax : ay;
  const double large = swap ? ay : ax;
  const double quotient = small / large;
  const double ratio = large == 0.0 ? 0.0 : (small == kInfinity ? 1.0 : quotient);
  const double error = math::fma(-ratio, large, small) / large / math::fma(ratio, ratio, 1.0);
  const double kept = magnitude(error) < 0x1p-50 ? error : 0.0;
  const double angle = atan_of_size<A>(ratio);
  const bool left = bits_of(x) >> 63 != 0;
  const Pair base = swap ? kHalfPi : (left ? kPi : Pair{0.0, 0.0});
  const double sign = swap != left ? -1.0 : 1.0;  // away from the base axis towards the point
  const Pair sum = fast_two_sum(base.hi, sign * angle);
  const double turned = sum.hi + (sum.lo + (base.lo + sign * kept));
  const double size = swap || left ? turned : angle + kept;
  return x == x && y == y ? with_sign(size, y) : kNan;
}

/// The series part of asin: asin(v) = v + v p with z = v^2.
template <Accuracy A>
BUFFERPROOF_INLINE double asin_series(double z) {
  if constexpr (A == kDouble) {
    return z * horner(z, kAsin64);
  } else {
    return z * horner(z, kAsin32);
  }
}

/// asin(sqrt(z)) = hi + lo for z = (1 - |x|) / 2 <= 1/4.
template <Accuracy A>
BUFFERPROOF_INLINE Pair asin_of_root(double z) {
  const double s = square_root(z);
  const double lost = s > 0.0 ? math::fma(-s, s, z) / (2.0 * s) : 0.0;
  return {s, math::fma(s, asin_series<A>(z), lost)};
}

template <Accuracy A>
BUFFERPROOF_INLINE double asin(double x) {
  const double size = magnitude(x);
  const double near = math::fma(size, asin_series<A>(size * size), size);
  const Pair root = asin_of_root<A>(0.5 * (1.0 - size));
  const Pair sum = fast_two_sum(kHalfPi.hi, -2.0 * root.hi);
  const double far = sum.hi + (sum.lo + (kHalfPi.lo - 2.0 * root.lo));
  const double result = size < 0.5 ? near : far;
  return size <= 1.0 ? with_sign(result, x) : kNan;
}

template <Accuracy A>
BUFFERPROOF_INLINE double acos(double x) {
  const double size = magnitude(x);
  const Pair centre = fast_two_sum(kHalfPi.hi, -x);
  const double middle = centre.hi + (centre.lo + (kHalfPi.lo - x * asin_series<A>(x * x)));
  const Pair root = asin_of_root<A>(0.5 * (1.0 - size));
  const double right = 2.0 * (root.hi + root.lo);
  const Pair sum = fast_two_sum(kPi.hi, -2.0 * root.hi);
  const double left = sum.hi + (sum.lo + (kPi.lo - 2.0 * root.lo));
  const double result = size < 0.5 ? middle : (x > 0.0 ? right : left);
  return size <= 1.0 ? result : kNan;
}

}  // namespace bufferproof::kernels::math
