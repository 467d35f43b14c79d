// L3: every op's result lies within its proven bound of the exact one. The exact results come from an
// independent source: the same call in f64 (its own bound added), and for sums from integers, where exactness
// is known. And the bounds are not vacuous.
#include "kernels_ref/bounds/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels_ref/ops/elementwise_table.hpp"
#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

using Ints = std::vector<std::int64_t>;

struct Case {
  std::string op;
  std::vector<Sizes> inputs;
  std::vector<Sizes> outputs;
  Attributes attributes;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.op; }

std::vector<Case> cases() {
  std::vector<Case> all{
      {"sum", {{40, 130}}, {{40}}, {{"dims", Ints{1}}}},
      {"sum", {{5000}}, {{}}, {}},
      {"prod", {{6, 9}}, {{6}}, {{"dims", Ints{1}}}},
      {"mean", {{5, 6, 7}}, {{6}}, {{"dims", Ints{0, 2}}}},
      {"reduce", {{20, 33}, {33}}, {{33}}, {{"fn", std::string("sum")}, {"dims", Ints{0}}}},
      {"var_mean", {{8, 50}}, {{8}, {8}}, {{"dims", Ints{1}}}},
      {"cumulative", {{4, 60}}, {{4, 60}}, {{"fn", std::string("sum")}, {"dim", std::int64_t{1}}}},
      {"softmax", {{6, 40}}, {{6, 40}}, {{"dim", std::int64_t{1}}}},
      {"log_softmax", {{6, 40}}, {{6, 40}}, {{"dim", std::int64_t{0}}}},
      {"layer_norm", {{6, 40}, {40}, {40}}, {{6, 40}, {6, 1}, {6, 1}}, {{"normalized_shape", Ints{40}}}},
      {"native_batch_norm",
       {{2, 3, 20}, {3}, {3}, {3}, {3}},
       {{2, 3, 20}},
       {{"form", std::string("decomposed")}}},
      {"native_batch_norm",
       {{2, 3, 20}, {3}, {3}, {3}, {3}},
       {{2, 3, 20}},
       {{"form", std::string("folded")}}},
      {"avg_pool2d", {{2, 9, 9}}, {{2, 4, 4}}, {{"kernel", Ints{3}}, {"stride", Ints{2}}}},
      {"adaptive_avg_pool2d", {{2, 9, 9}}, {{2, 2, 4}}, {{"output", Ints{2, 4}}}},
  };
  for (const ElementwiseSpec& spec : elementwise_specs()) {
    if (!(spec.floating || spec.math) || spec.gives_mask || spec.name == "floordiv") continue;
    all.push_back({std::string(spec.name),
                   std::vector<Sizes>(static_cast<std::size_t>(spec.operands), {400}),
                   {{400}},
                   {}});
  }
  return all;
}

double value_at(const Tensor& x, std::int64_t i) {
  Tensor wide(DType::f64, x.sizes());
  OpCall call{.op = "cast", .inputs = {x.view()}, .outputs = {wide.view()}};
  OpRegistry::builtin().run(call);
  return wide.elements<double>()[static_cast<std::size_t>(i)];
}

/// Values of a moderate size, positive for variances and arguments of log and the like.
Tensor operand(Maker& maker, DType dtype, const Sizes& sizes, bool positive) {
  Tensor made = maker.tensor(dtype, sizes, false);
  if (!positive) return made;
  OpCall call{.op = "abs", .inputs = {std::as_const(made).view()}, .outputs = {made.view()}};
  OpRegistry::builtin().run(call);
  return made;
}

class Bounds : public ::testing::TestWithParam<Case> {};

TEST_P(Bounds, ResultsLieWithin) {
  const Case& c = GetParam();
  for (const NumericsProfile& profile : numerics_profiles()) {
    for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      Maker maker(83);
      OpCall call{.op = c.op, .attributes = c.attributes};
      call.numerics = profile;
      std::vector<Tensor> in, out;
      for (std::size_t i = 0; i < c.inputs.size(); ++i)
        in.push_back(operand(maker, dtype, c.inputs[i], i == 4));
      for (const Tensor& x : in) call.inputs.emplace_back(x.view());
      for (const Sizes& sizes : c.outputs) out.emplace_back(dtype, sizes);
      for (Tensor& x : out) call.outputs.push_back(x.view());
      OpRegistry::builtin().run(call);
      for (std::size_t k = 0; k < out.size(); ++k) {
        const ErrorBounds bounds = error_bounds(call, k);
        ASSERT_EQ(bounds.elements.size(), static_cast<std::size_t>(out[k].element_count()));
        for (std::int64_t i = 0; i < out[k].element_count(); ++i) {
          const Ball& ball = bounds.elements[static_cast<std::size_t>(i)];
          const double got = value_at(out[k], i);
          if (std::isnan(ball.value)) {
            EXPECT_TRUE(std::isnan(got)) << c.op;
            continue;
          }
          if (std::isinf(ball.bound())) continue;
          ASSERT_LE(std::abs(got - ball.value), ball.bound())
              << c.op << " " << model::name(dtype) << " element " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Bounds, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.op + std::to_string(info.index); });

TEST(BoundsSize, AreOfTheOrderOfTheRoundingNotVacuous) {
  Maker maker(89);
  const Tensor x = maker.tensor(DType::f32, {1, 4096}, false);
  Tensor out(DType::f32, {1});
  OpCall call{.op = "sum", .inputs = {x.view()}, .attributes = {{"dims", Ints{1}}}, .outputs = {out.view()}};
  double size = 0;
  for (float value : x.elements<float>()) size += std::abs(value);
  const Ball ball = error_bounds(call).elements[0];
  EXPECT_GT(ball.bound(), 0.0);
  EXPECT_LT(ball.bound(), (64 + 5 + 2 + 1) * 0x1p-24 * size);  // the a-priori bound of the same order
}

TEST(BoundsSize, ExactOpsHaveNone) {
  Maker maker(97);
  const Tensor x = maker.tensor(DType::f32, {50}, false);
  Tensor out(DType::f32, {50});
  for (const std::string op : {"relu", "abs", "neg", "copy", "floor"}) {
    OpCall call{.op = op, .inputs = {x.view()}, .outputs = {out.view()}};
    for (const Ball& ball : error_bounds(call).elements) EXPECT_EQ(ball.bound(), 0.0) << op;
  }
}

TEST(BoundsSize, OverflowClaimsNothing) {
  Tensor x(DType::f32, {1}), out(DType::f32, {1});
  x.elements<float>()[0] = 3e38F;
  OpCall call{
      .op = "add", .inputs = {std::as_const(x).view(), std::as_const(x).view()}, .outputs = {out.view()}};
  EXPECT_TRUE(std::isinf(error_bounds(call).elements[0].bound()));
}

TEST(BoundsTable, EveryBoundedOpHasBounds) {
  // Convolution and matmul have theirs with their kernels; floordiv jumps.
  for (const auto& [name, entry] : OpRegistry::builtin().entries()) {
    const bool product =
        name == "convolution" || name == "matmul" || name == "bmm" || name == "addmm" || name == "baddbmm";
    if (product || name == "floordiv" || name == "arange") continue;
    EXPECT_TRUE(has_error_bounds(name)) << name;
  }
}

}  // namespace
}  // namespace bufferproof::kernels::test
