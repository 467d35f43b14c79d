// Rounding of f32 operands before they are multiplied: HF32, TF32, bf16, f16.
//
// Shared by the definition and the fast kernels: it is a pure function of 32 bits, branch-free, with internal
// linkage, so it may stand in sources compiled once per instruction set. Infinities stay, every NaN stays a
// NaN, values beyond the largest finite one round to infinity as IEEE 754 asks. HF32 keeps f32's exponent
// range; what a cube does with subnormals is not published. Tested by
// tests/kernels_ref/input_rounding_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/convert16.hpp"

namespace bufferproof::kernels {

/// What the two operands of a product are rounded to before they are multiplied (convolution and matmul).
enum class InputRounding : std::uint8_t {
  none,
  hf32_ties_even,         ///< 11 explicit mantissa bits, nearest, ties to even (mode 0)
  hf32_ties_toward_zero,  ///< 11 explicit mantissa bits, nearest, ties toward zero (mode 1)
  tf32,                   ///< 10 explicit mantissa bits, nearest, ties to even
  bf16,                   ///< to bf16 and back
  f16,                    ///< to f16 and back, overflow to infinity, subnormals kept
};

/// Keeps the upper 32 - kDropped bits of `value`, to nearest; a tie goes to the even neighbour or toward
/// zero.
template <int kDropped, bool kTiesToEven>
BUFFERPROOF_INLINE float drop_low_bits(float value) {
  constexpr std::uint32_t kMask = (1U << kDropped) - 1U;
  constexpr std::uint32_t kHalf = 1U << (kDropped - 1);
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t tie_up = kTiesToEven ? (bits >> kDropped) & 1U : 0U;
  const std::uint32_t rounded = (bits + (kHalf - 1U) + tie_up) & ~kMask;
  return value - value == 0.0F ? __builtin_bit_cast(float, rounded) : value;  // infinities and NaN stay
}

template <InputRounding kRounding>
BUFFERPROOF_INLINE float round_input(float value) {
  switch (kRounding) {
    case InputRounding::none:
      break;
    case InputRounding::hf32_ties_even:
      return drop_low_bits<12, true>(value);
    case InputRounding::hf32_ties_toward_zero:
      return drop_low_bits<12, false>(value);
    case InputRounding::tf32:
      return drop_low_bits<13, true>(value);
    case InputRounding::bf16:
      return bf16_to_f32(f32_to_bf16(value));
    case InputRounding::f16:
      return f16_to_f32(f32_to_f16(value));
  }
  return value;
}

/// The same, chosen at run time.
BUFFERPROOF_INLINE float round_input(float value, InputRounding rounding) {
  switch (rounding) {
    case InputRounding::none:
      break;
    case InputRounding::hf32_ties_even:
      return round_input<InputRounding::hf32_ties_even>(value);
    case InputRounding::hf32_ties_toward_zero:
      return round_input<InputRounding::hf32_ties_toward_zero>(value);
    case InputRounding::tf32:
      return round_input<InputRounding::tf32>(value);
    case InputRounding::bf16:
      return round_input<InputRounding::bf16>(value);
    case InputRounding::f16:
      return round_input<InputRounding::f16>(value);
  }
  return value;
}

}  // namespace bufferproof::kernels
