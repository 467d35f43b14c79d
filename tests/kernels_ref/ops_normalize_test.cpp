// softmax, layer_norm, native_batch_norm: the fast run equals the definition by memcmp; and values by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr DType kFloats[] = {DType::f16, DType::bf16, DType::f32, DType::f64};

TEST(Normalize, RunEqualsDefinition) {
  for (const NumericsProfile& profile : numerics_profiles()) {
    for (DType dtype : kFloats) {
      for (bool edges : {false, true}) {
        for (Placement placement : {Placement::plain, Placement::reversed, Placement::spaced}) {
          const Operand x{dtype, {3, 5, 37}, placement};
          for (const std::string op : {"softmax", "log_softmax"})
            for (std::int64_t dim : {-1, 1}) check_call(op, {{"dim", dim}}, {x}, {x}, profile, edges);
          check_call("layer_norm", {{"normalized_shape", Ints{5, 37}}, {"eps", 1e-6}},
                     {x, {DType::f32, {5, 37}}, {dtype, {5, 37}}},
                     {x, {DType::f32, {3, 1, 1}}, {dtype, {3, 1, 1}}}, profile, edges);
          for (const std::string form : {"decomposed", "folded"})
            check_call("native_batch_norm", {{"form", form}, {"eps", 1e-5}},
                       {x, {DType::f32, {5}}, {DType::f32, {5}}, {dtype, {5}}, {DType::f32, {5}}}, {x},
                       profile, edges);
        }
      }
    }
  }
}

TEST(Normalize, ContractionMakesOneRoundingOfScaleAndShift) {
  NumericsProfile profile;
  profile.contract_mul_add = true;
  for (const std::string form : {"decomposed", "folded"})
    check_call("native_batch_norm", {{"form", form}},
               {{DType::f32, {2, 4, 300}},
                {DType::f32, {4}},
                {DType::f32, {4}},
                {DType::f32, {4}},
                {DType::f32, {4}}},
               {{DType::f32, {2, 4, 300}}}, profile, false);
  check_call("layer_norm", {{"normalized_shape", Ints{50}}},
             {{DType::f32, {7, 50}}, {DType::f32, {50}}, {DType::f32, {50}}}, {{DType::f32, {7, 50}}},
             profile, false);
}

TEST(Normalize, SoftmaxOfEqualValuesIsOneOverN) {
  Tensor x(DType::f32, {4}), out(DType::f32, {4});
  for (float& value : x.elements<float>()) value = 1000.0F;
  OpCall call{.op = "softmax",
              .inputs = {std::as_const(x).view()},
              .attributes = {{"dim", std::int64_t{0}}},
              .outputs = {out.view()}};
  OpRegistry::builtin().run(call);
  for (float value : out.elements<float>()) EXPECT_EQ(value, 0.25F);
  call.op = "log_softmax";
  OpRegistry::builtin().run(call);
  EXPECT_NEAR(out.elements<float>()[0], -std::log(4.0), 1e-7);
}

TEST(Normalize, BatchNormOptionalParameters) {
  Tensor x(DType::f32, {1, 2, 2}), mean(DType::f32, {2}), var(DType::f32, {2}), out(DType::f32, {1, 2, 2});
  const float values[] = {1, 2, 3, 4};
  std::copy(values, values + 4, x.elements<float>().begin());
  mean.elements<float>()[0] = 1, mean.elements<float>()[1] = 3;
  var.elements<float>()[0] = 0.25F, var.elements<float>()[1] = 4;
  OpCall call{
      .op = "native_batch_norm",
      .inputs = {std::as_const(x).view(), {}, {}, std::as_const(mean).view(), std::as_const(var).view()},
      .attributes = {{"eps", 0.0}},
      .outputs = {out.view()}};
  for (const std::string form : {"decomposed", "folded"}) {
    call.attributes["form"] = form;
    OpRegistry::builtin().run(call);
    const float wanted[] = {0, 2, 0, 0.5F};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(out.elements<float>()[i], wanted[i]) << form;
  }
}

}  // namespace
}  // namespace bufferproof::kernels::test
