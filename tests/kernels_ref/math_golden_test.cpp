// The elementary functions, always run: fixed bit patterns (any change of a bit anywhere shows) and the
// special values.
//
// The patterns in math_golden_table.hpp were printed by this code after the MPFR test had passed;
// BUFFERPROOF_PRINT_GOLDEN=1 prints the table anew.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/math/bounds.hpp"
#include "kernels_ref/math/math.hpp"
#include "tests/kernels_ref/math_golden_table.hpp"

namespace bufferproof::kernels::math {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename T>
using Binary = T (*)(T, T);
struct Row {
  std::string_view name;
  Binary<float> f32;
  Binary<double> f64;
};
template <typename F>
constexpr Row unary(std::string_view name) {
  return {name, [](float x, float) { return F{}(x); }, [](double x, double) { return F{}(x); }};
}
template <typename F>
constexpr Row binary(std::string_view name) {
  return {name, [](float x, float y) { return F{}(x, y); }, [](double x, double y) { return F{}(x, y); }};
}
constexpr Row kRows[] = {
    unary<Exp>("exp"),     unary<Exp2>("exp2"),     unary<Expm1>("expm1"), unary<Sigmoid>("sigmoid"),
    unary<Tanh>("tanh"),   unary<Sinh>("sinh"),     unary<Cosh>("cosh"),   unary<Log>("log"),
    unary<Log2>("log2"),   unary<Log10>("log10"),   unary<Log1p>("log1p"), unary<Asinh>("asinh"),
    unary<Acosh>("acosh"), unary<Atanh>("atanh"),   unary<Sin>("sin"),     unary<Cos>("cos"),
    unary<Tan>("tan"),     unary<Asin>("asin"),     unary<Acos>("acos"),   unary<Atan>("atan"),
    unary<Erf>("erf"),     unary<Lgamma>("lgamma"), unary<Rsqrt>("rsqrt"), binary<Pow>("pow"),
    binary<Atan2>("atan2")};

/// Exact in f32, so that both types see the same arguments.
constexpr double kArguments[] = {0x1p-140, 0x1.5p-20, 0.3125,  -0.4375, 0.75,     -0.96875,
                                 1.1875,   2.71875,   -17.375, 88.5,    0x1.8p20, 0x1.23456p60};

std::uint64_t got(const Row& row, std::size_t argument, bool f64) {
  const double x = kArguments[argument];
  const double y = kArguments[(argument * 5 + 2) % std::size(kArguments)];
  if (f64) return std::bit_cast<std::uint64_t>(row.f64(x, y));
  return std::bit_cast<std::uint32_t>(row.f32(static_cast<float>(x), static_cast<float>(y)));
}

TEST(MathGolden, BitsAreTheStoredOnes) {
  const FpStateGuard state;
  const bool print = std::getenv("BUFFERPROOF_PRINT_GOLDEN") != nullptr;
  ASSERT_EQ(std::size(kGoldenBits), std::size(kRows) * std::size(kArguments) * 2);
  std::size_t at = 0;
  for (const Row& row : kRows) {
    for (int f64 = 0; f64 < 2; ++f64) {
      for (std::size_t i = 0; i < std::size(kArguments); ++i, ++at) {
        if (print)
          std::printf("0x%llx,%s", static_cast<unsigned long long>(got(row, i, f64 != 0)),
                      i + 1 == std::size(kArguments) ? "\n" : " ");
        else
          EXPECT_EQ(got(row, i, f64 != 0), kGoldenBits[at])
              << row.name << (f64 ? " f64 of " : " f32 of ") << kArguments[i];
      }
    }
  }
}

TEST(MathGolden, EveryFunctionHasABound) {
  for (const Row& row : kRows) EXPECT_NE(find_ulp_bound(row.name), nullptr) << row.name;
}

template <typename F>
void expect(double x, double wanted) {
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  EXPECT_TRUE(same(F{}(x), wanted)) << F{}(x) << " at " << x << ", not " << wanted;
  EXPECT_TRUE(same(static_cast<double>(F{}(static_cast<float>(x))), wanted))
      << "f32 at " << x << ", not " << wanted;
}

template <typename F>
void expect_binary(double x, double y, double wanted) {
  const auto same = [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  };
  EXPECT_TRUE(same(F{}(x, y), wanted)) << F{}(x, y) << " at " << x << ", " << y << ", not " << wanted;
  EXPECT_TRUE(same(static_cast<double>(F{}(static_cast<float>(x), static_cast<float>(y))), wanted)) << "f32";
}

TEST(MathSpecialValues, ExponentialFamily) {
  expect<Exp>(kInf, kInf);
  expect<Exp>(-kInf, 0.0);
  expect<Exp>(-0.0, 1.0);
  expect<Exp2>(-1.0, 0.5);
  expect<Exp2>(kInf, kInf);
  expect<Exp2>(-kInf, 0.0);
  expect<Expm1>(-0.0, -0.0);
  expect<Expm1>(-kInf, -1.0);
  expect<Expm1>(kInf, kInf);
  expect<Sigmoid>(kInf, 1.0);
  expect<Sigmoid>(-kInf, 0.0);
  expect<Sigmoid>(0.0, 0.5);
  expect<Tanh>(kInf, 1.0);
  expect<Tanh>(-kInf, -1.0);
  expect<Tanh>(-0.0, -0.0);
  expect<Sinh>(-kInf, -kInf);
  expect<Sinh>(-0.0, -0.0);
  expect<Cosh>(-kInf, kInf);
}

TEST(MathSpecialValues, Logarithms) {
  expect<Log>(0.0, -kInf);
  expect<Log>(-0.0, -kInf);
  expect<Log>(-1.0, kNan);
  expect<Log>(1.0, 0.0);
  expect<Log>(kInf, kInf);
  expect<Log2>(0x1p-130, -130.0);
  expect<Log2>(0.0, -kInf);
  expect<Log10>(1000.0, 3.0);
  expect<Log10>(-kInf, kNan);
  expect<Log1p>(-1.0, -kInf);
  expect<Log1p>(-0.0, -0.0);
  expect<Log1p>(-2.0, kNan);
  expect<Log1p>(kInf, kInf);
  expect<Asinh>(-kInf, -kInf);
  expect<Asinh>(-0.0, -0.0);
  expect<Acosh>(1.0, 0.0);
  expect<Acosh>(0.5, kNan);
  expect<Acosh>(kInf, kInf);
  expect<Atanh>(-1.0, -kInf);
  expect<Atanh>(-0.0, -0.0);
  expect<Atanh>(1.5, kNan);
}

TEST(MathSpecialValues, CircularFunctions) {
  expect<Sin>(-0.0, -0.0);
  expect<Sin>(kInf, kNan);
  expect<Cos>(-0.0, 1.0);
  expect<Cos>(-kInf, kNan);
  expect<Tan>(-0.0, -0.0);
  expect<Asin>(-0.0, -0.0);
  expect<Asin>(1.25, kNan);
  expect<Acos>(1.0, 0.0);
  expect<Acos>(-1.25, kNan);
  expect<Atan>(-0.0, -0.0);
  expect_binary<Atan2>(0.0, 1.0, 0.0);
  expect_binary<Atan2>(-0.0, 1.0, -0.0);
  EXPECT_EQ(Atan2{}(kInf, kInf), kHalfPi.hi / 2);
  EXPECT_EQ(Atan2{}(-0.0, -0.0), -kPi.hi);
  EXPECT_EQ(Atan2{}(3.0, -kInf), kPi.hi);
  EXPECT_EQ(Atan{}(-kInf), -kHalfPi.hi);
}

TEST(MathSpecialValues, PowersAndTheRest) {
  expect_binary<Pow>(kNan, 0.0, 1.0);
  expect_binary<Pow>(1.0, kNan, 1.0);
  expect_binary<Pow>(-2.0, 3.0, -8.0);
  expect_binary<Pow>(-8.0, 0.25, kNan);
  expect_binary<Pow>(-0.0, -3.0, -kInf);
  expect_binary<Pow>(-0.0, 2.0, 0.0);
  expect_binary<Pow>(-kInf, 3.0, -kInf);
  expect_binary<Pow>(-kInf, -3.0, -0.0);
  expect_binary<Pow>(-1.0, kInf, 1.0);
  expect_binary<Pow>(0.5, -kInf, kInf);
  expect_binary<Pow>(4.0, 0.5, 2.0);
  expect<Rsqrt>(-0.0, -kInf);
  expect<Rsqrt>(0.0, kInf);
  expect<Rsqrt>(kInf, 0.0);
  expect<Rsqrt>(-4.0, kNan);
  expect<Rsqrt>(4.0, 0.5);
  expect<Erf>(-0.0, -0.0);
  expect<Erf>(-kInf, -1.0);
  expect<Lgamma>(1.0, 0.0);
  expect<Lgamma>(2.0, 0.0);
  expect<Lgamma>(0.0, kInf);
  expect<Lgamma>(-3.0, kInf);
  expect<Lgamma>(-kInf, kInf);
}

TEST(MathSpecialValues, NanGivesTheCanonicalNan) {
  const double nan = std::bit_cast<double>(0xfff4dead00000001ULL);
  for (const Row& row : kRows) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(row.f64(nan, 2.0)), kNanF64) << row.name;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(row.f32(std::bit_cast<float>(0xffa4deadU), 2.0F)), kNanF32)
        << row.name;
  }
}

}  // namespace
}  // namespace bufferproof::kernels::math
