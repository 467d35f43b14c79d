// erf and lgamma.
//
// erf: a polynomial in x^2 below 1, 1 - e^(-x^2) times a polynomial above. lgamma: one polynomial on [1, 2],
// from which the recurrence leads to any x > 0 below 8; Stirling's series from 8 on; the reflection formula
// below 0. Bounds: kernels_ref/math/bounds.hpp (lgamma has an absolute part: it has zeros that no f64 formula
// resolves relatively). Tested by tests/kernels_ref/math_golden_test.cpp and tests/kernels_ref/mpfr/.
#pragma once

#include "kernels_ref/math/exponential.hpp"
#include "kernels_ref/math/logarithm.hpp"
#include "kernels_ref/math/trigonometric.hpp"

namespace bufferproof::kernels::math {

template <Accuracy A>
BUFFERPROOF_INLINE double erf(double x) {
  const double size = magnitude(x);
  const double square = size * size;
  const double bounded = size > 6.5 ? 6.5 : size;
  const double t = (bounded - 2.0) / (bounded + 2.0);
  double near = 0.0;
  double tail = 0.0;
  if constexpr (A == kDouble) {
    near = horner(square, kErf64);
    tail = horner(t, kErfcx64);
  } else {
    near = horner(square, kErf32);
    tail = horner(t, kErfcx32);
  }
  const double far = 1.0 - exp<A>(-bounded * bounded) * tail;
  return with_sign(size < 1.0 ? size * near : far, x);
}

/// lgamma of 0 < x < 8: with w = x - floor(x), lgamma(1 + w) plus the log of the factors in between.
template <Accuracy A>
BUFFERPROOF_INLINE double lgamma_by_recurrence(double x) {
  const double near = nearest(x).value;
  const double floor = near > x ? near - 1.0 : near;
  const double w = x - floor;  // exact
  double product = 1.0;
  for (int i = 1; i < 7; ++i) product *= floor > i ? x - i : 1.0;
  const double factor = floor < 1.0 ? x : product;
  const double logarithm = log<A>(factor);
  const double base = A == kDouble ? horner(w, kLgamma64) : horner(w, kLgamma32);
  return math::fma(w * (w - 1.0), base, floor < 1.0 ? -logarithm : logarithm);
}

/// x >= 8, overflowing to infinity: (x - 1/2) (log x - 1) - 1/2 + log(2 pi) / 2 + 1 / (12 x) - ...
BUFFERPROOF_INLINE double lgamma_by_stirling(double x) {
  constexpr double kHalfLog2PiLessHalf = 0x1.acfe390c97d69p-2;
  constexpr double kSeries[] = {1.0 / 12,        -1.0 / 360, 1.0 / 1260,       -1.0 / 1680,     1.0 / 1188,
                                -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400, 43867.0 / 244188};
  const double inverse = 1.0 / x;
  const Pair natural = log_pair(x);
  const double height = (natural.hi - 1.0) + natural.lo;
  return math::fma(x - 0.5, height, kHalfLog2PiLessHalf + inverse * horner(inverse * inverse, kSeries));
}

/// log(pi / |x sin(pi x)|) - lgamma(-x) below 0; infinity at 0 and the negative integers, as in C.
template <Accuracy A>
BUFFERPROOF_INLINE double lgamma(double x) {
  const double size = magnitude(x);
  const double positive = size < 8.0 ? lgamma_by_recurrence<A>(size) : lgamma_by_stirling(size);
  const double integer = size < 0x1p52 ? (size + 0x1p52) - 0x1p52 : size;
  const double offset = magnitude(size - integer);
  const double angle = kPi.hi * (offset > 0.25 ? 0.5 - offset : offset);
  const double sine = offset > 0.25 ? cos_of_reduced<A>(angle, 0.0) : sin_of_reduced<A>(angle, 0.0);
  const double reflected = log<A>(kPi.hi / (size * sine)) - positive;
  const double negative = offset == 0.0 ? kInfinity : reflected;
  const double signed_result = x > 0.0 ? positive : negative;
  const double known = size < 0x1p-60 ? -log<A>(size) : signed_result;
  return size == kInfinity || x == 0.0 ? kInfinity : (x == x ? known : kNan);
}

}  // namespace bufferproof::kernels::math
