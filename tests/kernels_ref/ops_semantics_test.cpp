// What elementwise ops do with NaN, infinities, signed zeros and integer extremes: the written rules, value
// by value.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename T>
Tensor tensor_of(std::initializer_list<T> values) {
  Tensor made(kDTypeOf<T>, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), made.elements<T>().begin());
  return made;
}
template <typename Out, typename T>
Out apply(const std::string& op, std::initializer_list<T> operands) {
  std::vector<Tensor> held;
  OpCall call{.op = op};
  for (T value : operands) held.push_back(tensor_of<T>({value}));
  for (const Tensor& operand : held) call.inputs.emplace_back(operand.view());
  Tensor out(kDTypeOf<Out>, {1});
  call.outputs = {out.view()};
  OpRegistry::builtin().run(call);
  return out.elements<Out>()[0];
}
float f(const std::string& op, std::initializer_list<float> operands) { return apply<float>(op, operands); }
std::int8_t i8(const std::string& op, std::initializer_list<std::int8_t> operands) {
  return apply<std::int8_t>(op, operands);
}

void expect_bits(float got, float wanted) {
  EXPECT_EQ(bits_of(got), bits_of(wanted)) << got << " not " << wanted;
}

TEST(Semantics, ZerosAndNanOfOneOperandOps) {
  expect_bits(f("relu", {-0.0F}), 0.0F);
  expect_bits(f("relu", {kNan}), kNan);
  expect_bits(f("neg", {0.0F}), -0.0F);
  expect_bits(f("sign", {-0.0F}), -0.0F);
  expect_bits(f("sqrt", {-0.0F}), -0.0F);
  expect_bits(f("sqrt", {-1.0F}), kNan);
  expect_bits(f("rec", {-0.0F}), -kInf);
  expect_bits(f("rsqrt", {0.0F}), kInf);
  expect_bits(f("abs", {-kInf}), kInf);
}

TEST(Semantics, RoundingToIntegers) {
  expect_bits(f("rint", {2.5F}), 2.0F);
  expect_bits(f("rint", {-0.25F}), -0.0F);
  expect_bits(f("round", {2.5F}), 3.0F);
  expect_bits(f("round", {0.49999997F}), 0.0F);
  expect_bits(f("floor", {-0.5F}), -1.0F);
  expect_bits(f("floor", {-0.0F}), -0.0F);
  expect_bits(f("ceil", {-0.5F}), -0.0F);
  expect_bits(f("trunc", {-7.9F}), -7.0F);
  expect_bits(f("trunc", {8388609.0F}), 8388609.0F);
  expect_bits(f("floor", {kInf}), kInf);
  expect_bits(f("ilogb", {0.0F}), -kInf);
  expect_bits(f("ilogb", {-0x1.8p-149F}), -148.0F);
}

TEST(Semantics, MaxMinPropagateNanAndOrderZeros) {
  expect_bits(f("max", {kNan, 1.0F}), kNan);
  expect_bits(f("max", {1.0F, kNan}), kNan);
  expect_bits(f("maxnum", {1.0F, kNan}), 1.0F);
  expect_bits(f("minnum", {kNan, kNan}), kNan);
  expect_bits(f("max", {-0.0F, 0.0F}), 0.0F);
  expect_bits(f("max", {0.0F, -0.0F}), 0.0F);
  expect_bits(f("min", {0.0F, -0.0F}), -0.0F);
  expect_bits(f("clamp", {5.0F, 0.0F, 1.0F}), 1.0F);
  expect_bits(f("clamp", {kNan, 0.0F, 1.0F}), kNan);
  expect_bits(f("clamp", {0.5F, 3.0F, 2.0F}), 2.0F);
}

TEST(Semantics, QuotientsAndRemainders) {
  expect_bits(f("mod", {-7.5F, 2.0F}), -1.5F);
  expect_bits(f("mod", {7.0F, kInf}), 7.0F);
  expect_bits(f("mod", {kInf, 2.0F}), kNan);
  expect_bits(f("mod", {5.0F, 0.0F}), kNan);
  expect_bits(f("mod", {0x1p127F, 3.0F}), std::fmod(0x1p127F, 3.0F));
  expect_bits(f("mod", {1.0F, 0x1p-149F}), 0.0F);
  expect_bits(f("remainder", {-7.5F, 2.0F}), 0.5F);
  expect_bits(f("remainder", {7.5F, -2.0F}), -0.5F);
  expect_bits(f("remainder", {4.0F, -2.0F}), -0.0F);
  expect_bits(f("floordiv", {-7.5F, 2.0F}), -4.0F);
  expect_bits(f("floordiv", {1.0F, 0.0F}), kInf);
  expect_bits(f("div", {1.0F, -0.0F}), -kInf);
}

TEST(Semantics, FusedMultiplyAddRoundsOnce) {
  const float a = 1.0F + 0x1p-12F;
  expect_bits(f("fma", {a, a, -(1.0F + 0x1p-11F)}), 0x1p-24F);
  EXPECT_EQ(apply<double>("fma", {1.0 + 0x1p-30, 1.0 + 0x1p-30, -(1.0 + 0x1p-29)}), 0x1p-60);
}

TEST(Semantics, ComparisonsAndTests) {
  EXPECT_EQ((apply<Bool8>("eq", {kNan, kNan}).byte), 0);
  EXPECT_EQ((apply<Bool8>("ne", {kNan, kNan}).byte), 1);
  EXPECT_EQ((apply<Bool8>("eq", {0.0F, -0.0F}).byte), 1);
  EXPECT_EQ((apply<Bool8>("lt", {1.0F, kNan}).byte), 0);
  EXPECT_EQ((apply<Bool8>("isnan", {kNan}).byte), 1);
  EXPECT_EQ((apply<Bool8>("isinf", {-kInf}).byte), 1);
  EXPECT_EQ((apply<Bool8>("isfinite", {kNan}).byte), 0);
  EXPECT_EQ((apply<Bool8>("ltu", {std::int8_t{1}, std::int8_t{-1}}).byte), 1);
}

TEST(Semantics, IntegersWrapAndDivisionIsTotal) {
  EXPECT_EQ(i8("add", {127, 1}), -128);
  EXPECT_EQ(i8("mul", {64, 4}), 0);
  EXPECT_EQ(i8("abs", {-128}), -128);
  EXPECT_EQ(i8("div", {-128, -1}), -128);
  EXPECT_EQ(i8("div", {5, 0}), 0);
  EXPECT_EQ(i8("div", {-7, 2}), -3);
  EXPECT_EQ(i8("floordiv", {-7, 2}), -4);
  EXPECT_EQ(i8("ceildiv", {7, 2}), 4);
  EXPECT_EQ(i8("ceildiv", {-7, 2}), -3);
  EXPECT_EQ(i8("mod", {-7, 2}), -1);
  EXPECT_EQ(i8("mod", {-7, 0}), -7);
  EXPECT_EQ(i8("remainder", {-7, 2}), 1);
  EXPECT_EQ(i8("divu", {-2, 2}), 127);
  EXPECT_EQ(i8("maxu", {-1, 1}), -1);
  EXPECT_EQ(i8("shl", {1, 9}), 0);
  EXPECT_EQ(i8("shrs", {-128, 9}), -1);
  EXPECT_EQ(i8("shru", {-128, 7}), 1);
  EXPECT_EQ(i8("shru", {-1, -1}), 0);
  EXPECT_EQ(i8("not", {5}), -6);
  EXPECT_EQ(i8("pow", {3, 5}), static_cast<std::int8_t>(243));
  EXPECT_EQ(i8("pow", {2, -1}), 0);
  EXPECT_EQ(i8("pow", {-1, -3}), -1);
  EXPECT_EQ((apply<std::int64_t>("div", {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}})),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ((apply<Bool8>("not", {Bool8{0x5a}}).byte), 0);
  EXPECT_EQ((apply<Bool8>("add", {Bool8{1}, Bool8{1}}).byte), 1);
}

TEST(Semantics, ModIsExactAgainstTheRemainderOfIntegers) {
  Maker maker(53);
  for (int i = 0; i < 2000; ++i) {
    const auto a = static_cast<std::int64_t>(maker.random()() >> 12);
    const auto b = static_cast<std::int64_t>(maker.random()() >> (12 + maker.random()() % 50)) + 1;
    const double scaled = std::ldexp(static_cast<double>(b), -10);
    EXPECT_EQ(apply<double>("mod", {static_cast<double>(a), static_cast<double>(b)}),
              static_cast<double>(a % b));
    EXPECT_EQ(apply<double>("mod", {static_cast<double>(a), scaled}),
              std::fmod(static_cast<double>(a), scaled));
  }
}

TEST(Semantics, RsqrtFollowsTheProfile) {
  Tensor x = tensor_of<float>({3.0F}), out(DType::f32, {1});
  OpCall call{.op = "rsqrt", .inputs = {std::as_const(x).view()}, .outputs = {out.view()}};
  call.numerics.rsqrt_is_sqrt_then_rec = true;
  for (float value : {3.0F, 7.0F, 0.1F, 11.0F}) {
    x.elements<float>()[0] = value;
    OpRegistry::builtin().run(call);
    expect_bits(out.elements<float>()[0], 1.0F / std::sqrt(value));
  }
}

}  // namespace
}  // namespace bufferproof::kernels::test
