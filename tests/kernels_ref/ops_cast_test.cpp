// Casts: every pair of element types and every rounding mode. Run equals definition; and the values are
// checked against rules that share no code with either: exact neighbours in f64 arithmetic, and the
// processor's own conversions.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels_ref/ops/rounding.hpp"
#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

constexpr std::string_view kModes[] = {"rint", "round", "floor", "ceil", "trunc", "odd", "truncwithoverflow"};

TEST(Cast, RunEqualsDefinitionForEveryPairAndMode) {
  Maker maker(41);
  for (DType from : kAllTypes) {
    const Placed x = place(maker, from, {1031}, Placement::plain);
    for (DType to : kAllTypes) {
      for (std::size_t mode = 0; mode <= std::size(kModes); ++mode) {
        OpCall call{.op = "cast", .inputs = {x.view()}};
        if (mode < std::size(kModes)) call.attributes.emplace("round", std::string(kModes[mode]));
        const auto make = [&] {
          Maker fresh(43);
          std::vector<Placed> outputs;
          outputs.push_back(place(fresh, to, {1031}, Placement::plain));
          return outputs;
        };
        expect_run_equals_define(call, make,
                                 std::string(model::name(from)) + " to " + std::string(model::name(to)));
      }
    }
  }
}

TEST(Cast, EveryHalfPatternAndItsNeighbourhoodOnEveryInstructionSet) {
  Tensor halves(DType::f16, {65536}), singles(DType::f32, {65536 * 4});
  const std::span<float> values = singles.elements<float>();
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto pattern = static_cast<std::uint16_t>(i);
    std::memcpy(halves.view().bytes() + 2 * i, &pattern, 2);
    const std::uint32_t wide = bits_of(f16_to_f32(pattern));
    for (std::uint32_t k = 0; k < 4; ++k)  // the value, a tie, and just beside the tie
      values[4 * i + k] = __builtin_bit_cast(float, wide + (k == 0 ? 0 : 0xffeU + k));
  }
  for (const auto& [from, to] : {std::pair(&halves, DType::f32), std::pair(&singles, DType::f16)}) {
    OpCall call{.op = "cast", .inputs = {std::as_const(*from).view()}};
    const auto make = [&, size = from->sizes(), type = to] {
      Maker fresh(43);
      std::vector<Placed> outputs;
      outputs.push_back(place(fresh, type, size, Placement::plain));
      return outputs;
    };
    expect_run_equals_define(call, make, "f16 conversions");
  }
}

Tensor cast(const Tensor& x, DType to, const std::string& mode) {
  Tensor out(to, x.sizes());
  OpCall call{.op = "cast", .inputs = {x.view()}, .outputs = {out.view()}};
  if (!mode.empty()) call.attributes.emplace("round", mode);
  OpRegistry::builtin().run(call);
  return out;
}

std::uint64_t element_bits(const Tensor& x, std::int64_t i) {
  std::uint64_t bits = 0;
  const auto width = static_cast<std::size_t>(model::size_in_bytes(x.dtype()));
  std::memcpy(&bits, x.view().bytes() + static_cast<std::size_t>(i) * width, width);
  return bits;
}
double value_of(DType dtype, std::uint64_t bits) {
  switch (dtype) {
    case DType::f16:
      return f16_to_f32(static_cast<std::uint16_t>(bits));
    case DType::bf16:
      return bf16_to_f32(static_cast<std::uint16_t>(bits));
    case DType::f32:
      return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
    default:
      return __builtin_bit_cast(double, bits);
  }
}

/// A result is right when no value of the target type lies between it and x on the side the mode asks for.
void expect_rounded(double x, DType to, std::uint64_t bits, std::string_view mode) {
  const double got = value_of(to, bits);
  if (std::isnan(x)) {
    EXPECT_TRUE(std::isnan(got));
    return;
  }
  ASSERT_EQ(std::signbit(got), std::signbit(x)) << x << " gave " << got << " " << mode;
  if (got == x) return;
  const std::uint64_t sign = std::uint64_t{1} << (8 * model::size_in_bytes(to) - 1);
  const std::uint64_t size = bits & ~sign;
  // Size of the candidate on the other side of |x|; a step past the largest finite value is infinity, taken
  // as 2^(e+1).
  const auto magnitude = [&](std::uint64_t pattern) {
    const double value = value_of(to, pattern);
    return std::isinf(value) ? 2 * value_of(to, pattern - 1) - value_of(to, pattern - 2) : value;
  };
  const std::uint64_t infinity = to == DType::f16 ? 0x7c00 : (to == DType::bf16 ? 0x7f80 : 0x7f800000);
  const bool nearest = mode == "rint" || mode == "round";
  if (std::abs(x) >= magnitude(infinity)) {
    const bool away = nearest || (mode == "floor" && x < 0) || (mode == "ceil" && x > 0);
    EXPECT_EQ(size, away ? infinity : infinity - 1) << x << " " << mode;
    return;
  }
  const bool above = magnitude(size) > std::abs(x);
  const double below_value = magnitude(above ? size - 1 : size);
  const double above_value = magnitude(above ? size : size + 1);
  const bool overflow = (above ? size : size + 1) == infinity;
  ASSERT_LT(below_value, std::abs(x)) << x << " gave " << got << " " << mode;
  ASSERT_GT(above_value, std::abs(x)) << x << " gave " << got << " " << mode;
  const double middle = below_value / 2 + above_value / 2;
  const bool odd_below = ((above ? size - 1 : size) & 1) != 0;
  bool want_above = false;
  if (mode == "rint") want_above = std::abs(x) > middle || (std::abs(x) == middle && odd_below);
  if (mode == "round") want_above = std::abs(x) >= middle;
  if (mode == "floor") want_above = x < 0;
  if (mode == "ceil") want_above = x > 0;
  if (mode == "odd") want_above = !odd_below && !overflow;
  EXPECT_EQ(above, want_above) << x << " gave " << got << " " << mode << " to " << model::name(to);
}

TEST(Cast, FloatToFloatTakesTheNeighbourTheModeNames) {
  Maker maker(47);
  for (DType to : {DType::f16, DType::bf16, DType::f32}) {
    Tensor x(DType::f64, {6000});
    for (std::int64_t i = 0; i < 6000; ++i) {
      // Values on, just beside and half way between neighbours of the target type, and arbitrary ones.
      const std::uint64_t pattern = maker.bits(to);
      const double exact = value_of(to, pattern);
      const double step = value_of(to, pattern + 1) - exact;
      const double offsets[] = {0.0, 0.5, 0.25, 0.75, 0.5 + 0x1p-20, 0.5 - 0x1p-20};
      double value = exact + step * offsets[i % 6];
      if (std::isnan(value) || std::isinf(value))
        value = std::ldexp(static_cast<double>(i + 1), static_cast<int>(i % 300) - 150);
      x.elements<double>()[static_cast<std::size_t>(i)] = value;
    }
    for (const std::string mode : {"rint", "round", "floor", "ceil", "trunc", "odd"}) {
      const Tensor out = cast(x, to, mode);
      for (std::int64_t i = 0; i < 6000; ++i)
        expect_rounded(x.elements<double>()[static_cast<std::size_t>(i)], to, element_bits(out, i), mode);
      if (HasFailure()) return;
    }
  }
}

TEST(Cast, ToHalfRoundsOnceFromF64) {
  Tensor x(DType::f64, {2});
  // Just above a tie of f16: rounding to f32 first would land on the tie and then go to even.
  x.elements<double>()[0] = 1.0 + 0x1p-11 + 0x1p-40;
  x.elements<double>()[1] = 1.0 + 0x1p-8 + 0x1p-50;
  EXPECT_EQ(element_bits(cast(x, DType::f16, ""), 0), 0x3c01U);
  EXPECT_EQ(element_bits(cast(x, DType::bf16, ""), 1), 0x3f81U);
}

TEST(Cast, FloatToIntegerTruncatesAndSaturates) {
  Tensor x(DType::f32, {8});
  const float values[] = {2.9F, -2.9F, 300.0F, -300.0F, NAN, INFINITY, -INFINITY, 3e9F};
  for (std::size_t i = 0; i < 8; ++i) x.elements<float>()[i] = values[i];
  const Tensor bytes = cast(x, DType::i8, "");
  const std::int8_t wanted[] = {2, -2, 127, -128, 0, 127, -128, 127};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(bytes.elements<std::int8_t>()[i], wanted[i]) << values[i];
  EXPECT_EQ(cast(x, DType::u8, "").elements<std::uint8_t>()[3], 0);
  EXPECT_EQ(cast(x, DType::i32, "").elements<std::int32_t>()[7], std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(cast(x, DType::i8, "truncwithoverflow").elements<std::int8_t>()[2], 44);
  EXPECT_EQ(cast(x, DType::i8, "truncwithoverflow").elements<std::int8_t>()[3], -44);
  EXPECT_EQ(cast(x, DType::i32, "truncwithoverflow").elements<std::int32_t>()[7], -1294967296);
}

TEST(Cast, IntegerRoundingModes) {
  Tensor x(DType::f64, {6});
  const double values[] = {2.5, -2.5, 3.5, 2.25, -2.25, 2.75};
  for (std::size_t i = 0; i < 6; ++i) x.elements<double>()[i] = values[i];
  const struct {
    std::string mode;
    std::int16_t wanted[6];
  } rows[] = {{"rint", {2, -2, 4, 2, -2, 3}},  {"round", {3, -3, 4, 2, -2, 3}},
              {"floor", {2, -3, 3, 2, -3, 2}}, {"ceil", {3, -2, 4, 3, -2, 3}},
              {"trunc", {2, -2, 3, 2, -2, 2}}, {"odd", {3, -3, 3, 3, -3, 3}}};
  for (const auto& row : rows) {
    const Tensor out = cast(x, DType::i16, row.mode);
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_EQ(out.elements<std::int16_t>()[i], row.wanted[i]) << row.mode << values[i];
  }
}

TEST(Cast, IntegersKeepLowBitsAndRoundOnceToFloats) {
  Tensor x(DType::i64, {4});
  const std::int64_t values[] = {0x1234567890, -1, (std::int64_t{1} << 54) + (std::int64_t{1} << 46) + 1,
                                 65519};
  for (std::size_t i = 0; i < 4; ++i) x.elements<std::int64_t>()[i] = values[i];
  EXPECT_EQ(cast(x, DType::i32, "").elements<std::int32_t>()[0], 0x34567890);
  EXPECT_EQ(cast(x, DType::u8, "").elements<std::uint8_t>()[1], 255);
  EXPECT_EQ(element_bits(cast(x, DType::bf16, ""), 2),
            0x5a81U);  // just above a tie: up, though f64 would lose the 1
  EXPECT_EQ(element_bits(cast(x, DType::f16, ""), 3), 0x7bffU);  // 65519 rounds down to the largest f16
  EXPECT_EQ(cast(x, DType::f32, "").elements<float>()[0], static_cast<float>(values[0]));
}

TEST(Cast, BoolIsWhetherItDiffersFromZero) {
  Tensor x(DType::f32, {4});
  const float values[] = {0.0F, -0.0F, NAN, 1e-45F};
  for (std::size_t i = 0; i < 4; ++i) x.elements<float>()[i] = values[i];
  const Tensor out = cast(x, DType::i1, "");
  const std::uint64_t wanted[] = {0, 0, 1, 1};
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(element_bits(out, i), wanted[i]);
}

}  // namespace
}  // namespace bufferproof::kernels::test
