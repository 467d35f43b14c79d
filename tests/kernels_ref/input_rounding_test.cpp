#include "kernels_ref/input_rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels_ref/random_tensor.hpp"

namespace bufferproof::kernels {
namespace {

/// By definition: the nearest multiple of the unit in the last kept place, ties as asked.
float rounded_to(float value, int kept_bits, bool ties_even) {
  if (std::isnan(value) || std::isinf(value) || value == 0) return value;
  const int exponent = std::max(std::ilogb(value), -126);
  const double unit = std::ldexp(1.0, exponent - kept_bits);
  const double scaled = std::abs(static_cast<double>(value)) / unit;
  const double below = std::floor(scaled);
  double result = scaled - below > 0.5 ? below + 1 : below;
  if (scaled - below == 0.5 && ties_even && std::fmod(below, 2) != 0) result = below + 1;
  return std::copysign(static_cast<float>(result * unit), value);
}

template <typename Check>
void for_many_floats(Check&& check) {
  TestRandom random(1);
  for (int i = 0; i < 300000; ++i)
    check(__builtin_bit_cast(float, static_cast<std::uint32_t>(random.next() >> 32)));
  for (std::uint32_t high = 0; high < 0x20000;
       ++high)  // every pattern of the upper bits, at and next to the ties
    for (std::uint32_t low : {0x800U, 0x7ffU, 0x801U, 0x1000U, 0xfffU, 0x1001U}) {
      const std::uint32_t bits = (high << 15) | low;
      check(__builtin_bit_cast(float, bits));
    }
}

TEST(InputRounding, Hf32AndTf32RoundToTheNearestAndTiesAsSaid) {
  for_many_floats([](float value) {
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(round_input(value, InputRounding::hf32_ties_even)));
      return;
    }
    ASSERT_EQ(bits_of(round_input(value, InputRounding::hf32_ties_even)),
              bits_of(rounded_to(value, 11, true)))
        << value;
    ASSERT_EQ(bits_of(round_input(value, InputRounding::hf32_ties_toward_zero)),
              bits_of(rounded_to(value, 11, false)));
    ASSERT_EQ(bits_of(round_input(value, InputRounding::tf32)), bits_of(rounded_to(value, 10, true)))
        << value;
    ASSERT_EQ(bits_of(round_input(value, InputRounding::bf16)), bits_of(rounded_to(value, 7, true))) << value;
    ASSERT_EQ(bits_of(round_input(value, InputRounding::none)), bits_of(value));
  });
}

TEST(InputRounding, SpecialValues) {
  for (const InputRounding rounding : {InputRounding::hf32_ties_even, InputRounding::hf32_ties_toward_zero,
                                       InputRounding::tf32, InputRounding::bf16, InputRounding::f16}) {
    EXPECT_EQ(round_input(INFINITY, rounding), INFINITY);
    EXPECT_TRUE(std::isnan(round_input(NAN, rounding)));
    EXPECT_TRUE(std::signbit(round_input(-0.0F, rounding)));
    // A NaN whose payload sits in the dropped bits only must not become an infinity.
    EXPECT_TRUE(std::isnan(round_input(__builtin_bit_cast(float, 0x7f800001U), rounding)));
  }
  EXPECT_EQ(round_input(0x1.fffffep127F, InputRounding::hf32_ties_even), INFINITY);
  EXPECT_EQ(round_input(65520.0F, InputRounding::f16), INFINITY);
  EXPECT_EQ(round_input(0x1.002p0F, InputRounding::hf32_ties_toward_zero), 0x1.002p0F);
  EXPECT_EQ(round_input(0x1.001p0F, InputRounding::hf32_ties_even), 1.0F);
  EXPECT_EQ(round_input(0x1.003p0F, InputRounding::hf32_ties_even), 0x1.004p0F);
  EXPECT_EQ(round_input(0x1.003p0F, InputRounding::hf32_ties_toward_zero), 0x1.002p0F);
}

TEST(RoundToOdd, NarrowingTwiceRoundsOnce) {
  TestRandom random(2);
  for (int i = 0; i < 200000; ++i) {
    const auto half = static_cast<std::uint16_t>(random.next() >> 48);
    const double low = f16_to_f32(half & 0x7bffU);
    const double step = std::ldexp(1.0, std::max(std::ilogb(low == 0 ? 1e-9 : low), -14) - 10);
    const double tie = low + step / 2;
    const double above =
        std::nextafter(tie, INFINITY);  // rounding through f32 would forget this and tie to even
    const auto up = Eigen::numext::bit_cast<std::uint16_t>(as_element<Eigen::half>(above));
    EXPECT_EQ(up, (half & 0x7bffU) + 1);
    const auto down =
        Eigen::numext::bit_cast<std::uint16_t>(as_element<Eigen::half>(std::nextafter(tie, 0.0)));
    EXPECT_EQ(down, half & 0x7bffU);
  }
  EXPECT_EQ(round_to_odd(1e300), 0x1.fffffep127F);
  EXPECT_EQ(round_to_odd(-1e300), -0x1.fffffep127F);
  EXPECT_EQ(round_to_odd(1.5), 1.5F);
  EXPECT_EQ(round_to_odd(1.0 + 0x1p-40), 0x1.000002p0F);
}

}  // namespace
}  // namespace bufferproof::kernels
