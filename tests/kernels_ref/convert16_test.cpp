#include "kernels_ref/convert16.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bufferproof::kernels {
namespace {

/// f16 by the definition of the format: sign * 2^(e-25) * significand.
double f16_value(unsigned bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((bits >> 10) & 31U);
  const auto fraction = static_cast<double>(bits & 1023U);
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(1024.0 + fraction, exponent - 25);
}

TEST(Convert16, EveryF16PatternWidensExactlyAndComesBack) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const float value = f16_to_f32(static_cast<std::uint16_t>(bits));
    if (std::isnan(f16_value(bits))) {
      EXPECT_EQ(bits_of(value), kNanF32);
      EXPECT_EQ(f32_to_f16(value), kNanF16);
    } else {
      EXPECT_EQ(static_cast<double>(value), f16_value(bits)) << bits;
      EXPECT_EQ(f32_to_f16(value), bits);
    }
  }
}

TEST(Convert16, EveryBf16PatternWidensExactlyAndComesBack) {
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const float value = bf16_to_f32(static_cast<std::uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_EQ(f32_to_bf16(value), kNanBf16);
    else
      EXPECT_EQ(f32_to_bf16(value), bits);
  }
}

/// Between two neighbouring f16 values: below the midpoint down, above it up, at it to the even one.
TEST(Convert16, EveryF16MidpointRoundsToEven) {
  for (unsigned bits = 0; bits < 0x7bffU; ++bits) {
    const double low = f16_value(bits);
    const double high = f16_value(bits + 1);
    const auto middle = static_cast<float>((low + high) / 2);  // exact: 12 bits
    EXPECT_EQ(f32_to_f16(middle), (bits & 1U) == 0 ? bits : bits + 1) << bits;
    EXPECT_EQ(f32_to_f16(std::nextafter(middle, 0.0F)), bits);
    EXPECT_EQ(f32_to_f16(std::nextafter(middle, 1e9F)), bits + 1);
    EXPECT_EQ(f32_to_f16(-middle), 0x8000U | ((bits & 1U) == 0 ? bits : bits + 1));
  }
  EXPECT_EQ(f32_to_f16(65519.996F), 0x7bffU);
  EXPECT_EQ(f32_to_f16(65520.0F), 0x7c00U);
  EXPECT_EQ(f32_to_f16(3e38F), 0x7c00U);
  EXPECT_EQ(f32_to_f16(0x1p-149F), 0U);
}

TEST(Convert16, EveryBf16MidpointRoundsToEven) {
  for (unsigned bits = 0; bits < 0x7f80U; ++bits) {
    const float middle = __builtin_bit_cast(float, (bits << 16) | 0x8000U);
    EXPECT_EQ(f32_to_bf16(middle), (bits & 1U) == 0 ? bits : bits + 1);
    EXPECT_EQ(f32_to_bf16(__builtin_bit_cast(float, (bits << 16) | 0x7fffU)), bits);
    EXPECT_EQ(f32_to_bf16(__builtin_bit_cast(float, (bits << 16) | 0x8001U)), bits + 1);
  }
}

}  // namespace
}  // namespace bufferproof::kernels
