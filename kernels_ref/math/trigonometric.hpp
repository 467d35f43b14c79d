// sin, cos, tan of every double, radians.
//
// x = q pi/2 + r + tail with |r| <= pi/4. Up to |x| = 2^20 by subtracting q times pi/2 in four exact pieces
// (two for f32), which vectorises; beyond by multiplying with 192 bits of 2/pi (trigonometric.cpp, scalar). A
// vector loop uses the *_small functions and then patches the elements beyond kTrigSmall. Bounds:
// kernels_ref/math/bounds.hpp. Tested by tests/kernels_ref/math_golden_test.cpp and tests/kernels_ref/mpfr/.
#pragma once

#include "kernels_ref/math/bits.hpp"
#include "kernels_ref/math/coefficients.hpp"

namespace bufferproof::kernels::math {

inline constexpr double kTrigSmall = 0x1p20;

struct ReducedByHalfPi {
  double r;
  double tail;
  std::uint64_t quadrant;  ///< q modulo 4 in the low two bits
};

/// Any finite x; NaN for infinities and NaN. An ordinary function: no vector loop calls it.
ReducedByHalfPi reduce_large(double x);

template <Accuracy A>
BUFFERPROOF_INLINE ReducedByHalfPi reduce_small(double x) {
  // pi/2 = p1 + p2 + p3 + p4; the first three have 33 bits, so that q times each is exact for q < 2^20.
  constexpr double p1 = 0x1.921fb544p+0;
  const Nearest q = nearest(x * 0x1.45f306dc9c883p-1);
  const double r1 = math::fma(-q.value, p1, x);
  if constexpr (A == kSingle) {
    return {math::fma(-q.value, 0x1.0b4611a626331p-34, r1), 0.0, q.integer};
  }
  const Pair r2 = two_sum(r1, -q.value * 0x1.0b4611a6p-34);
  const Pair r3 = two_sum(r2.hi, -q.value * 0x1.3198a2ep-69);
  const double rest = math::fma(-q.value, 0x1.b839a252049c1p-104, r2.lo + r3.lo);
  const Pair r = two_sum(r3.hi, rest);
  return {r.hi, r.lo, q.integer};
}

template <Accuracy A>
BUFFERPROOF_INLINE double sin_of_reduced(double r, double tail) {
  const double z = r * r;
  if constexpr (A == kSingle) return math::fma(z * r, horner(z, kSin32), r);
  return r + math::fma(z * r, horner(z, kSin64), tail * math::fma(-0.5, z, 1.0));
}
template <Accuracy A>
BUFFERPROOF_INLINE double cos_of_reduced(double r, double tail) {
  const double z = r * r;
  const double half = 0.5 * z;
  const double head = 1.0 - half;
  if constexpr (A == kSingle) return math::fma(z * z, horner(z, kCos32), head);
  const double lost = (1.0 - head) - half + math::fma(r, r, -z) * -0.5;
  return head + (lost + math::fma(z * z, horner(z, kCos64), -(r * tail)));
}

template <Accuracy A>
BUFFERPROOF_INLINE double sin_of(const ReducedByHalfPi& x) {
  const double sine = sin_of_reduced<A>(x.r, x.tail);
  const double cosine = cos_of_reduced<A>(x.r, x.tail);
  const double size = (x.quadrant & 1) != 0 ? cosine : sine;
  return (x.quadrant & 2) != 0 ? -size : size;
}
template <Accuracy A>
BUFFERPROOF_INLINE double cos_of(const ReducedByHalfPi& x) {
  const double sine = sin_of_reduced<A>(x.r, x.tail);
  const double cosine = cos_of_reduced<A>(x.r, x.tail);
  const double size = (x.quadrant & 1) != 0 ? sine : cosine;
  return ((x.quadrant + 1) & 2) != 0 ? -size : size;
}
template <Accuracy A>
BUFFERPROOF_INLINE double tan_of(const ReducedByHalfPi& x) {
  const double sine = sin_of_reduced<A>(x.r, x.tail);
  const double cosine = cos_of_reduced<A>(x.r, x.tail);
  const bool odd = (x.quadrant & 1) != 0;
  return (odd ? -cosine : sine) / (odd ? sine : cosine);
}

/// |x| <= kTrigSmall. Below 2^-27, sin x and tan x round to x, which also keeps -0.
template <Accuracy A>
BUFFERPROOF_INLINE double sin_small(double x) {
  const double result = sin_of<A>(reduce_small<A>(x));
  return magnitude(x) < 0x1p-27 ? x : result;
}
template <Accuracy A>
BUFFERPROOF_INLINE double cos_small(double x) {
  return cos_of<A>(reduce_small<A>(x));
}
template <Accuracy A>
BUFFERPROOF_INLINE double tan_small(double x) {
  const double result = tan_of<A>(reduce_small<A>(x));
  return magnitude(x) < 0x1p-27 ? x : result;
}

template <Accuracy A>
BUFFERPROOF_INLINE double sin(double x) {
  return magnitude(x) <= kTrigSmall ? sin_small<A>(x) : sin_of<A>(reduce_large(x));
}
template <Accuracy A>
BUFFERPROOF_INLINE double cos(double x) {
  return magnitude(x) <= kTrigSmall ? cos_small<A>(x) : cos_of<A>(reduce_large(x));
}
template <Accuracy A>
BUFFERPROOF_INLINE double tan(double x) {
  return magnitude(x) <= kTrigSmall ? tan_small<A>(x) : tan_of<A>(reduce_large(x));
}

}  // namespace bufferproof::kernels::math
