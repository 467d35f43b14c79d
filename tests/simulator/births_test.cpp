// NaN and infinity born in arithmetic, told apart from those that were read.
#include "simulator/body/births.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "simulator/values/value_run.hpp"
#include "tests/simulator/wrapper_support.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::Tensor;
using model::DType;
using testing::ElementsAre;
using testing::IsEmpty;

Tensor f32(const kernels::Sizes& sizes, const std::vector<float>& values) {
  Tensor out(DType::f32, sizes);
  std::copy(values.begin(), values.end(), out.elements<float>().begin());
  return out;
}

/// "op kind [element] count" of each birth.
std::vector<std::string> births(const std::string& body, const std::vector<Tensor>& inputs) {
  std::vector<BodyArgument> arguments;
  for (const Tensor& input : inputs) arguments.emplace_back(input.view());
  std::vector<std::string> out;
  for (const Birth& birth : find_births(model::parse_tensor_function(body), arguments)) {
    std::string text = birth.op + " " + birth.kind + " [";
    for (const std::int64_t i : birth.element) text += std::to_string(i) + " ";
    out.push_back(text + "] " + std::to_string(birth.count));
  }
  return out;
}

const float kInf = HUGE_VALF;
const float kNan = std::nanf("");

TEST(Births, ElementwiseKinds) {
  const auto two = [](const char* op, float a, float b) {
    std::vector<Tensor> inputs;
    inputs.push_back(f32({1}, {a}));
    inputs.push_back(f32({1}, {b}));
    return births(
        std::string("func @k(%x: f32[1], %y: f32[1]) { %z = ") + op + " %x, %y : f32[1] return %z }", inputs);
  };
  EXPECT_THAT(two("mul", 0, kInf), ElementsAre("mul 0*inf [0 ] 1"));
  EXPECT_THAT(two("sub", kInf, kInf), ElementsAre("sub inf-inf [0 ] 1"));
  EXPECT_THAT(two("add", kInf, -kInf), ElementsAre("add inf-inf [0 ] 1"));
  EXPECT_THAT(two("div", 0, 0), ElementsAre("div 0/0 [0 ] 1"));
  EXPECT_THAT(two("div", 1, 0), ElementsAre("div x/0 [0 ] 1"));
  EXPECT_THAT(two("div", kInf, kInf), ElementsAre("div inf/inf [0 ] 1"));
  EXPECT_THAT(two("mul", 1e30F, 1e30F), ElementsAre("mul overflow [0 ] 1"));
  EXPECT_THAT(two("mul", 2, kInf), IsEmpty()) << "the infinity was read";
  EXPECT_THAT(two("add", kNan, kInf), IsEmpty()) << "the NaN was read";
}

TEST(Births, FunctionsOutsideOfTheirDomain) {
  const auto one = [](const char* op, std::vector<float> x) {
    std::vector<Tensor> inputs;
    inputs.push_back(f32({static_cast<std::int64_t>(x.size())}, x));
    return births(std::string("func @k(%x: f32[s0]) { %z = ") + op + " %x : f32[s0] return %z }", inputs);
  };
  EXPECT_THAT(one("sqrt", {1, -1, -4}), ElementsAre("sqrt sqrt(<0) [1 ] 2"));
  EXPECT_THAT(one("log", {1, 0, -1}), ElementsAre("log log(0) [1 ] 1", "log log(<0) [2 ] 1"));
  EXPECT_THAT(one("rsqrt", {0}), ElementsAre("rsqrt x/0 [0 ] 1"));
  EXPECT_THAT(one("exp", {1000}), ElementsAre("exp overflow [0 ] 1"));
}

TEST(Births, SumsAndProducts) {
  std::vector<Tensor> inputs;
  inputs.push_back(f32({2, 2}, {kInf, 0, 1, 2}));
  inputs.push_back(f32({2, 2}, {0, 1, -kInf, 1}));
  // [inf*0 + 0*-inf, inf*1 + 0*1; 1*0 + 2*-inf, 1 + 2]
  EXPECT_THAT(
      births("func @k(%x: f32[2, 2], %y: f32[2, 2]) { %z = matmul %x, %y : f32[2, 2] return %z }", inputs),
      ElementsAre("matmul 0*inf [0 0 ] 1"));
  std::vector<Tensor> rows;
  rows.push_back(f32({3, 2}, {kInf, -kInf, 3e38F, 3e38F, kNan, 1}));
  EXPECT_THAT(births("func @k(%x: f32[3, 2]) { %i = constant {bits = 0, dtype = f32} : f32[] "
                     "%b = broadcast %i {dims = [], shape = sizes[3]} : f32[3] "
                     "%z = reduce %x, %b {dims = [1], fn = \"sum\"} : f32[3] return %z }",
                     rows),
              ElementsAre("reduce inf-inf [0 ] 1", "reduce overflow [1 ] 1"));
}

TEST(Births, ConvolutionsLookAtTheirWindow) {
  std::vector<float> image(16, 1);
  image[0] = kInf;
  image[15] = kNan;
  std::vector<Tensor> inputs;
  inputs.push_back(f32({1, 1, 4, 4}, image));
  inputs.push_back(f32({1, 1, 2, 2}, {0, 1, 1, 1}));
  EXPECT_THAT(births("func @k(%x: f32[1, 1, 4, 4], %w: f32[1, 1, 2, 2]) { %z = convolution %x, %w "
                     "{dilation = [1, 1], groups = 1, padding = [0, 0], stride = [1, 1]} : f32[1, 1, 3, 3] "
                     "return %z }",
                     inputs),
              ElementsAre("convolution 0*inf [0 0 0 0 ] 1"));
}

TEST(Births, AreFoundBehindManyNansThatWereRead) {
  std::vector<float> x(20000, kNan);
  x[19000] = -1;
  std::vector<Tensor> inputs;
  inputs.push_back(f32({20000}, x));
  EXPECT_THAT(births("func @k(%x: f32[20000]) { %y = sqrt %x : f32[20000] return %y }", inputs),
              ElementsAre("sqrt sqrt(<0) [19000 ] 1"));
}

TEST(Births, RunsNameTheLaunch) {
  WrapperBuilder w;
  model::KernelDef kernel;
  kernel.name = "root";
  kernel.kind = model::KernelKind::mlir_auto_fallback;
  kernel.num_outputs = 1;
  kernel.body = std::make_shared<const model::TensorFunction>(
      model::parse_tensor_function("func @root(%x: f32[3]) { %y = sqrt %x : f32[3] return %y }"));
  w.program().kernels.push_back(kernel);
  w.alloc("x", {3}, model::Init::input).alloc("b", {3}).alloc("c", {3});
  w.computes("K", "x", "b").computes("L", "b", "c").returns("c");
  std::map<std::string, Tensor> tensors;
  tensors.emplace("x", f32({3}, {1, -1, 4}));
  ValueOptions options;
  options.tensors = &tensors;
  options.births = true;
  const ValueTrace trace = run_values(w.program(), {}, options);
  ASSERT_EQ(trace.births.size(), 1U);  // L reads a NaN and makes none
  EXPECT_EQ(trace.births[0].kernel, "K");
  EXPECT_EQ(trace.births[0].launch.line, 4);
  EXPECT_EQ(trace.births[0].birth.kind, "sqrt(<0)");
  EXPECT_THAT(trace.births[0].birth.element, ElementsAre(1));
  EXPECT_TRUE(run_values(w.program(), {}, {}).births.empty());
}

}  // namespace
}  // namespace bufferproof::simulator
