// Conversion of one element between any two element types: the scalar definition of `cast` in its default
// modes.
//
// To a floating type: to nearest, ties to even, one rounding whatever the source (an f64 or i64 does not pass
// through f32's rounding on its way to f16). Overflow gives infinity; NaN the canonical NaN. Float to
// integer: toward zero, saturating, NaN gives 0. Integer to a narrower integer: the low bits. To i1: whether
// it differs from zero (NaN does). The other rounding modes are in rounding.hpp. Usable in sources compiled
// once per instruction set. Tested by tests/kernels_ref/ops_cast_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/convert16.hpp"

namespace bufferproof::kernels {

/// Storage types of the elements that C++ has no type for.
struct F16 {
  std::uint16_t bits;
};
struct Bf16 {
  std::uint16_t bits;
};
struct B8 {
  std::uint8_t byte;
};

namespace convert {

using I64 = std::int64_t;

// --- from storage to the type an op computes in
BUFFERPROOF_INLINE float widen(F16 x) { return f16_to_f32(x.bits); }
BUFFERPROOF_INLINE float widen(Bf16 x) { return bf16_to_f32(x.bits); }
BUFFERPROOF_INLINE float widen(float x) { return canonical(x); }
BUFFERPROOF_INLINE double widen(double x) { return canonical(x); }
BUFFERPROOF_INLINE I64 widen(B8 x) { return x.byte != 0; }
template <typename Integer>
BUFFERPROOF_INLINE I64 widen(Integer x) {
  return static_cast<I64>(x);
}

/// f64 to f32 by rounding to odd: rounding the result again to 22 bits or fewer equals rounding x once.
BUFFERPROOF_INLINE float to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  const auto back = static_cast<double>(nearest);
  const bool inexact = back != x && x == x;
  const bool beyond = __builtin_fabs(back) > __builtin_fabs(x);
  const std::uint32_t toward_zero = bits_of(nearest) - (inexact && beyond ? 1 : 0);
  return __builtin_bit_cast(float, toward_zero | (inexact ? 1U : 0U));
}
/// An integer with its low bits replaced by one that says whether any was set: exact as a double, still right
/// for rounding.
BUFFERPROOF_INLINE double sticky_double(I64 x) {
  const std::uint64_t size = x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  const std::uint64_t sticky = (size & ~std::uint64_t{0xfff}) | ((size & 0xfff) != 0 ? 0x1000U : 0U);
  const auto kept = static_cast<double>(static_cast<I64>(size >> 33 != 0 ? sticky >> 1 : size)) *
                    (size >> 33 != 0 ? 2.0 : 1.0);  // halved so that 2^63 stays a positive I64
  return x < 0 ? -kept : kept;
}

/// Toward zero, saturating at the 64-bit range; NaN gives 0.
template <typename Float>
BUFFERPROOF_INLINE I64 to_integer(Float x) {
  constexpr I64 kLargest = INT64_MAX;
  const bool high = x >= static_cast<Float>(0x1p63);
  const bool low = x < static_cast<Float>(-0x1p63);
  const Float inside = x == x && !high && !low ? x : 0;
  const I64 value = static_cast<I64>(inside);
  return high ? kLargest : (low ? -kLargest - 1 : value);
}
BUFFERPROOF_INLINE I64 clamped(I64 x, I64 low, I64 high) { return x < low ? low : (x > high ? high : x); }

// --- from the type an op computes in to storage
template <typename To>
struct Narrow;
template <>
struct Narrow<float> {
  __attribute__((always_inline)) static float from(float x) { return canonical(x); }
  __attribute__((always_inline)) static float from(double x) { return canonical(static_cast<float>(x)); }
  __attribute__((always_inline)) static float from(I64 x) { return static_cast<float>(x); }
};
template <>
struct Narrow<double> {
  __attribute__((always_inline)) static double from(float x) { return canonical(static_cast<double>(x)); }
  __attribute__((always_inline)) static double from(double x) { return canonical(x); }
  __attribute__((always_inline)) static double from(I64 x) { return static_cast<double>(x); }
};
template <>
struct Narrow<F16> {
  __attribute__((always_inline)) static F16 from(float x) { return {f32_to_f16(x)}; }
  __attribute__((always_inline)) static F16 from(double x) { return {f32_to_f16(to_odd(x))}; }
  __attribute__((always_inline)) static F16 from(I64 x) { return from(sticky_double(x)); }
};
template <>
struct Narrow<Bf16> {
  __attribute__((always_inline)) static Bf16 from(float x) { return {f32_to_bf16(x)}; }
  __attribute__((always_inline)) static Bf16 from(double x) { return {f32_to_bf16(to_odd(x))}; }
  __attribute__((always_inline)) static Bf16 from(I64 x) { return from(sticky_double(x)); }
};
template <>
struct Narrow<B8> {
  template <typename T>
  __attribute__((always_inline)) static B8 from(T x) {
    return {static_cast<std::uint8_t>(x != 0)};
  }
};
template <typename Integer>
struct Narrow {
  static constexpr bool kSigned = static_cast<Integer>(-1) < 0;
  static constexpr int kBits = 8 * sizeof(Integer);
  static constexpr I64 kHigh = kBits == 64 ? INT64_MAX : (I64{1} << (kBits - (kSigned ? 1 : 0))) - 1;
  static constexpr I64 kLow = kSigned ? -kHigh - 1 : 0;
  __attribute__((always_inline)) static Integer from(float x) {
    return static_cast<Integer>(clamped(to_integer(x), kLow, kHigh));
  }
  __attribute__((always_inline)) static Integer from(double x) {
    return static_cast<Integer>(clamped(to_integer(x), kLow, kHigh));
  }
  __attribute__((always_inline)) static Integer from(I64 x) { return static_cast<Integer>(x); }
};

/// The cast of one element. To the same type it copies the bits.
template <typename To, typename From>
BUFFERPROOF_INLINE To element(From x) {
  if constexpr (__is_same(To, From)) {
    return x;
  } else {
    return Narrow<To>::from(widen(x));
  }
}

}  // namespace convert
}  // namespace bufferproof::kernels
