// Small exact steps that the functions of this folder are built from: bit patterns, selection, scaling,
// Horner.
//
// Everything is branch-free and internal (BUFFERPROOF_INLINE), so that a loop over an array vectorises in a
// source that is compiled once per instruction set. Each step is exact or one IEEE rounding; `fma` is always
// the fused operation. Tested by tests/kernels_ref/math_golden_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/convert16.hpp"

namespace bufferproof::kernels::math {

/// kSingle: computed in f64 with polynomials just good enough for one rounding to f32. kDouble: for f64
/// results.
enum Accuracy { kSingle, kDouble };

inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kNan = __builtin_bit_cast(double, kNanF64);
/// Adding it to |x| < 2^51 leaves round-to-nearest-even(x) in the low bits of the sum.
inline constexpr double kRoundMagic = 0x1.8p52;

BUFFERPROOF_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
BUFFERPROOF_INLINE double square_root(double x) { return __builtin_sqrt(x); }
BUFFERPROOF_INLINE double magnitude(double x) { return __builtin_fabs(x); }
BUFFERPROOF_INLINE double with_sign(double size, double sign) { return __builtin_copysign(size, sign); }
BUFFERPROOF_INLINE double from_bits(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }
/// NaN stays NaN.
BUFFERPROOF_INLINE double clamp_to(double x, double low, double high) {
  const double raised = x < low ? low : x;
  return raised > high ? high : raised;
}

/// The integer nearest to x (ties to even) as a double and as an integer; |x| < 2^51.
struct Nearest {
  double value;
  std::uint64_t integer;  ///< two's complement: arithmetic on it wraps instead of being undefined for NaN
};
BUFFERPROOF_INLINE Nearest nearest(double x) {
  const double shifted = x + kRoundMagic;
  return {shifted - kRoundMagic, bits_of(shifted) - bits_of(kRoundMagic)};
}
/// k as a double, for |k| < 2^51.
BUFFERPROOF_INLINE double to_double(std::uint64_t k) {
  return from_bits(k + bits_of(kRoundMagic)) - kRoundMagic;
}

/// 2^k for -1022 <= k <= 1023.
BUFFERPROOF_INLINE double power_of_two(std::uint64_t k) { return from_bits((k + 1023) << 52); }
/// x * 2^k, |k| <= 2040 and 0.25 <= |x| <= 4: the first factor is exact, the second rounds once (subnormal
/// results too).
BUFFERPROOF_INLINE double scale(double x, std::uint64_t k) {
  const std::uint64_t half = ((k + 4096) >> 1) - 2048;  // an arithmetic shift that every vector set has
  return x * power_of_two(half) * power_of_two(k - half);
}

/// c[0] + x (c[1] + x (...)), one fused step a coefficient.
template <int I = 0, int N>
BUFFERPROOF_INLINE double horner(double x, const double (&c)[N]) {
  if constexpr (I == N - 1) {
    return c[I];
  } else {
    return math::fma(horner<I + 1>(x, c), x, c[I]);
  }
}

/// An unevaluated sum: hi + lo exactly, |lo| <= ulp(hi) / 2 where it was normalised.
struct Pair {
  double hi;
  double lo;
};
/// a + b exactly, |a| >= |b|.
BUFFERPROOF_INLINE Pair fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
/// a + b exactly.
BUFFERPROOF_INLINE Pair two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
/// a * b exactly (away from underflow).
BUFFERPROOF_INLINE Pair two_product(double a, double b) {
  const double p = a * b;
  return {p, math::fma(a, b, -p)};
}

inline constexpr double kLn2Hi = 0x1.62e42fefa3800p-1;  // 42 bits: k * kLn2Hi is exact for |k| < 2048
inline constexpr double kLn2Lo = 0x1.ef35793c76730p-45;
inline constexpr Pair kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
inline constexpr Pair kLog2E{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
inline constexpr Pair kLog10E{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
inline constexpr Pair kPi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
inline constexpr Pair kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

}  // namespace bufferproof::kernels::math
