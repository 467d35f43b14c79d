// Reductions: the fast folds equal the element-by-element definition by memcmp, in every layout; and their
// values by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr Placement kPlacements[] = {Placement::plain, Placement::reversed, Placement::spaced,
                                     Placement::repeated};

TEST(Reduce, RunEqualsDefinitionForEveryFoldTypeAndLayout) {
  for (const std::string fn :
       {"sum", "prod", "max", "min", "maxnum", "minnum", "maxu", "minu", "and", "or", "xor"}) {
    for (DType dtype : kAllTypes) {
      const bool bitwise = fn == "and" || fn == "or" || fn == "xor" || fn.back() == 'u';
      const bool number = fn == "maxnum" || fn == "minnum";
      if (model::is_floating(dtype) ? bitwise : number) continue;
      for (Placement placement : kPlacements) {
        check_call("reduce", {{"fn", fn}, {"dims", Ints{0, 2}}},
                   {{dtype, {5, 13, 7}, placement}, {dtype, {13}, placement}}, {{dtype, {13}, placement}});
      }
      check_call("reduce", {{"fn", fn}, {"dims", Ints{0}}}, {{dtype, {70, 70}}, {dtype, {70}}},
                 {{dtype, {70}}});
    }
  }
}

TEST(Reduce, LongFoldsSplitIntoBlocks) {
  for (DType dtype : {DType::f16, DType::f32, DType::f64, DType::i32}) {
    for (const NumericsProfile& profile : numerics_profiles()) {
      check_call("sum", {}, {{dtype, {5000}}}, {{dtype, {}}}, profile, false);
      check_call("sum", {{"dims", Ints{1}}}, {{dtype, {3, 4100}, Placement::reversed}}, {{dtype, {3}}},
                 profile, false);
      check_call("sum", {{"dims", Ints{0}}}, {{dtype, {4100, 11}}}, {{dtype, {11}}}, profile, false);
    }
  }
  NumericsProfile stepwise;
  stepwise.half_reductions_in_f32 = false;
  for (DType dtype : {DType::f16, DType::bf16})
    check_call("sum", {}, {{dtype, {3000}}}, {{dtype, {}}}, stepwise, false);
}

TEST(Reduce, NamedReductions) {
  for (DType dtype : kAllTypes) {
    for (Placement placement : kPlacements) {
      const Operand x{dtype, {4, 9, 6}, placement};
      for (const std::string op : {"sum", "prod", "amax", "amin"}) {
        check_call(op, {{"dims", Ints{-1}}, {"keepdim", true}}, {x}, {{dtype, {4, 9, 1}}});
        check_call(op, {}, {x}, {{dtype, {}}});
      }
      check_call("any", {{"dims", Ints{1}}}, {x}, {{DType::i1, {4, 6}, Placement::spaced}});
      check_call("all", {{"dims", Ints{1}}}, {x}, {{DType::i1, {4, 6}}});
      if (!model::is_floating(dtype)) check_call("sum", {{"dims", Ints{0}}}, {x}, {{DType::i64, {9, 6}}});
      if (!model::is_floating(dtype)) continue;
      check_call("mean", {{"dims", Ints{0, 2}}}, {x}, {{dtype, {9}}});
      check_call("var_mean", {{"dims", Ints{0, 2}}}, {x}, {{dtype, {9}}, {dtype, {9}}});
      check_call("var_mean", {{"correction", std::int64_t{0}}, {"keepdim", true}, {"dims", Ints{1}}}, {x},
                 {{dtype, {4, 1, 6}}, {dtype, {4, 1, 6}, Placement::reversed}}, {}, false);
    }
  }
}

TEST(Reduce, ScansAndPositions) {
  for (DType dtype : kAllTypes) {
    for (Placement placement : kPlacements) {
      const Operand x{dtype, {3, 40, 5}, placement};
      for (const std::string fn : {"max", "min"}) {
        check_call("arg_reduce", {{"fn", fn}, {"dim", std::int64_t{1}}}, {x},
                   {{dtype, {3, 5}, placement}, {DType::i64, {3, 5}}});
      }
      for (const std::string fn : {"sum", "prod"}) {
        check_call("cumulative", {{"fn", fn}, {"dim", std::int64_t{1}}}, {x},
                   {{dtype, {3, 40, 5}, Placement::reversed}});
        check_call("cumulative", {{"fn", fn}, {"dim", std::int64_t{-1}}, {"reverse", true}}, {x},
                   {{dtype, {3, 40, 5}}});
      }
    }
  }
}

float sum_of(std::vector<float> values) {
  Tensor x(DType::f32, {static_cast<std::int64_t>(values.size())}), out(DType::f32, {});
  std::copy(values.begin(), values.end(), x.elements<float>().begin());
  OpCall call{.op = "sum", .inputs = {std::as_const(x).view()}, .outputs = {out.view()}};
  OpRegistry::builtin().run(call);
  return out.elements<float>()[0];
}

TEST(Reduce, TheOrderIsLanesOf32ThenHalves) {
  // 2^24 + 1 is lost, 1 + 1 is not: lane 0 holds 2^24 and takes e[32] = 1 (lost); lane 16 holds 1 and takes
  // e[48] = 1.
  std::vector<float> values(64, 0.0F);
  values[0] = 0x1p24F;
  values[32] = 1.0F;
  EXPECT_EQ(sum_of(values), 0x1p24F);
  values[32] = 0.0F;
  values[16] = 1.0F, values[48] = 1.0F;
  EXPECT_EQ(sum_of(values), 0x1p24F + 2.0F);
  // Two blocks: the second block's total is summed by itself first.
  std::vector<float> two(2050, 0.0F);
  two[0] = 0x1p24F, two[2048] = 1.0F, two[2049] = 1.0F;
  EXPECT_EQ(sum_of(two), 0x1p24F + 2.0F);
}

TEST(Reduce, EmptyAndSpecialValues) {
  EXPECT_EQ(sum_of({}), 0.0F);
  EXPECT_EQ(bits_of(sum_of({-0.0F})), 0U);
  EXPECT_TRUE(std::isnan(sum_of({INFINITY, 1.0F, -INFINITY})));
  Tensor x(DType::f32, {0, 2}), out(DType::f32, {2});
  OpCall call{.op = "mean",
              .inputs = {std::as_const(x).view()},
              .attributes = {{"dims", Ints{0}}},
              .outputs = {out.view()}};
  OpRegistry::builtin().run(call);
  EXPECT_EQ(bits_of(out.elements<float>()[1]), kNanF32);
}

TEST(Reduce, ArgReduceTakesTheFirstExtremeAndTheFirstNan) {
  Tensor x(DType::f32, {6}), value(DType::f32, {}), index(DType::i64, {});
  const auto at = [&](std::vector<float> values) {
    std::copy(values.begin(), values.end(), x.elements<float>().begin());
    OpCall call{.op = "arg_reduce",
                .inputs = {std::as_const(x).view()},
                .attributes = {{"fn", std::string("max")}, {"dim", std::int64_t{0}}},
                .outputs = {value.view(), index.view()}};
    OpRegistry::builtin().run(call);
    return index.elements<std::int64_t>()[0];
  };
  EXPECT_EQ(at({1, 3, 2, 3, 0, 1}), 1);
  EXPECT_EQ(at({1, 3, NAN, 9, NAN, 1}), 2);
}

}  // namespace
}  // namespace bufferproof::kernels::test
