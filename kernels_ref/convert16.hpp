// f16 and bf16 bit patterns to f32 and back: round to nearest, ties to even, subnormals kept, NaN canonical.
//
// Branch-free, so that loops over arrays vectorise. Every function has internal linkage and calls nothing, so
// the header may be used both in ordinary sources and in sources compiled once per instruction set
// (kernels_ref/isa/isa.hpp). Tested by tests/kernels_ref/convert16_test.cpp (all 65,536 patterns, and every
// f32 near a tie).
#pragma once

#include <cstdint>

#define BUFFERPROOF_INLINE static inline __attribute__((always_inline))

namespace bufferproof::kernels {

/// The quiet NaN every arithmetic op gives, whatever NaN it was given: which payload and sign survive an
/// operation differs between processors (x86 gives a negative default NaN, Arm a positive one). Moving data
/// keeps NaN bits.
inline constexpr std::uint64_t kNanF64 = 0x7ff8000000000000ULL;
inline constexpr std::uint32_t kNanF32 = 0x7fc00000U;
inline constexpr std::uint16_t kNanF16 = 0x7e00U;
inline constexpr std::uint16_t kNanBf16 = 0x7fc0U;

BUFFERPROOF_INLINE std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
BUFFERPROOF_INLINE std::uint64_t bits_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }
BUFFERPROOF_INLINE float canonical(float x) { return x == x ? x : __builtin_bit_cast(float, kNanF32); }
BUFFERPROOF_INLINE double canonical(double x) { return x == x ? x : __builtin_bit_cast(double, kNanF64); }

BUFFERPROOF_INLINE float bf16_to_f32(std::uint16_t bits) {
  const float value = __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
  return canonical(value);
}

BUFFERPROOF_INLINE std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  return value == value ? static_cast<std::uint16_t>(rounded) : kNanBf16;
}

BUFFERPROOF_INLINE float f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  // A subnormal is magnitude * 2^-24, exact in f32; a normal moves its exponent from bias 15 to bias 127.
  const std::uint32_t subnormal =
      bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  const std::uint32_t normal = (magnitude << 13) + (112U << 23);
  const std::uint32_t special = magnitude > 0x7c00U ? kNanF32 : 0x7f800000U;
  const std::uint32_t finite = magnitude < 0x0400U ? subnormal : normal;
  const std::uint32_t result = magnitude >= 0x7c00U ? special : finite;
  return __builtin_bit_cast(float, magnitude > 0x7c00U ? kNanF32 : (result | sign));
}

BUFFERPROOF_INLINE std::uint16_t f32_to_f16(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Below 2^-14 the last place is 2^-24 = the last place of f32 at 0.5: adding 0.5 rounds there.
  const float shifted = __builtin_bit_cast(float, magnitude) + 0.5F;
  const std::uint32_t subnormal = bits_of(shifted) - 0x3f000000U;
  // Rounding may carry into the exponent, which gives infinity from 65520 on, as it must.
  const std::uint32_t normal = (magnitude + 0xfffU + ((magnitude >> 13) & 1U) - (112U << 23)) >> 13;
  const std::uint32_t finite = magnitude < 0x38800000U ? subnormal : normal;
  const std::uint32_t rounded = magnitude >= 0x47800000U ? 0x7c00U : finite;
  const auto result = static_cast<std::uint16_t>(rounded | ((bits >> 16) & 0x8000U));
  return magnitude > 0x7f800000U ? kNanF16 : result;
}

}  // namespace bufferproof::kernels
