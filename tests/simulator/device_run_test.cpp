// Launches judged by their own error bounds: which body, which operands, which version of a buffer.
#include "simulator/values/device_run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "simulator/body/enclosure.hpp"
#include "tests/simulator/wrapper_support.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::Tensor;
using model::DType;

Tensor f32(const kernels::Sizes& sizes, const std::vector<float>& values) {
  Tensor out(DType::f32, sizes);
  std::copy(values.begin(), values.end(), out.elements<float>().begin());
  return out;
}

class Device : public ::testing::Test {
 protected:
  WrapperBuilder w_;
  std::map<std::string, Tensor> inputs_;
  Buffers device_;

  void define(const std::string& name, const std::string& body, const std::string& traced = "") {
    model::KernelDef kernel;
    kernel.name = name;
    kernel.kind = model::KernelKind::mlir_auto_fallback;
    kernel.num_outputs = 1;
    kernel.body = std::make_shared<const model::TensorFunction>(model::parse_tensor_function(body));
    if (!traced.empty())
      kernel.fx_body = std::make_shared<const model::TensorFunction>(model::parse_tensor_function(traced));
    w_.program().kernels.push_back(kernel);
  }
  /// A launch of the kernel defined last but `back`.
  void launch(const std::string& input, const std::string& output, int back = 0) {
    const int definition = static_cast<int>(w_.program().kernels.size()) - 1 - back;
    w_.kernel(w_.program().kernels[static_cast<std::size_t>(definition)].name, {input}, {output});
    auto& node = std::get<model::Launch>(w_.program().body.back().node);
    node.definition = definition;
    node.arguments = {{input, std::nullopt}, {output, std::nullopt}};
  }
  std::vector<JudgedBuffer> judge() {
    ValueOptions options;
    options.tensors = &inputs_;
    BufferNames names;
    options.observer = &names;
    run_values(w_.program(), {}, options);
    DeviceRun run(w_.program(), device_, names);
    options.observer = &run;
    run_values(w_.program(), {}, options);
    return run.judged;
  }
};

const char* const kDouble = "func @k(%x: f32[2]) { %z = add %x, %x : f32[2] return %z }";
const char* const kSquare = "func @k(%x: f32[2]) { %z = mul %x, %x : f32[2] return %z }";

TEST_F(Device, TheTracedGraphMayHaveRunInstead) {
  define("K", kDouble, kSquare);
  w_.alloc("x", {2}, model::Init::input).alloc("a", {2});
  launch("x", "a");
  w_.returns("a");
  inputs_.emplace("x", f32({2}, {3, 5}));
  device_.emplace("a", f32({2}, {6, 10}));
  EXPECT_EQ(judge().at(0).outside, 0);
  device_.at("a") = f32({2}, {9, 25});
  EXPECT_EQ(judge().at(0).outside, 0) << "as the traced graph has it";
  device_.at("a") = f32({2}, {6, 25});
  EXPECT_EQ(judge().at(0).outside, 1) << "one of the two, not both";
}

TEST_F(Device, ANameStoredTwiceIsTheLastOne) {
  define("K", kDouble);
  define("L", kSquare);
  w_.alloc("x", {2}, model::Init::input).alloc("a", {2}).alloc("b", {2});
  launch("x", "a", 1);
  launch("a", "b", 1);
  launch("x", "a");
  launch("a", "b");
  w_.returns("b");
  inputs_.emplace("x", f32({2}, {3, 5}));
  device_.emplace("a", f32({2}, {9, 25}));
  device_.emplace("b", f32({2}, {81, 625}));
  const auto judged = judge();
  ASSERT_EQ(judged.size(), 2U);
  for (const JudgedBuffer& one : judged) {
    EXPECT_EQ(one.kernel, "L");
    EXPECT_EQ(one.outside, 0);
  }
}

TEST_F(Device, SlicesCountOnlyWhereAllIsGiven) {
  define("K", kDouble);
  define("L", "func @k(%x: f32[4]) { %z = neg %x : f32[4] return %z }");
  w_.alloc("x", {2}, model::Init::input).alloc("a", {4}).alloc("b", {4});
  w_.view("low", "a", model::contiguous({2}));
  model::Layout high = model::contiguous({2});
  high.offset = 2;
  w_.view("high", "a", high);
  launch("x", "low", 1);
  launch("x", "high", 1);
  launch("a", "b");
  w_.returns("b");
  inputs_.emplace("x", f32({2}, {3, 5}));
  device_.emplace("b", f32({4}, {-6, -10, -6, -7}));
  EXPECT_EQ(judge().at(0).unjudged, "a is not given");
  device_.emplace("low", f32({2}, {6, 10}));
  EXPECT_EQ(judge().at(1).unjudged, "a is not given") << "half of it is";
  device_.emplace("high", f32({2}, {6, 7}));
  const auto judged = judge();
  EXPECT_EQ(judged.at(1).outside, 1) << "high[1]";
  EXPECT_EQ(judged.at(2).outside, 0) << "the negation of what it was given";
}

TEST_F(Device, BoundsThatSayNothingDecideNothing) {
  define("K", R"(func @k(%x: f32[2]) { %z = sub %x, %x : f32[2] %y = div %x, %z : f32[2] return %y })");
  w_.alloc("x", {2}, model::Init::input).alloc("a", {2});
  launch("x", "a");
  w_.returns("a");
  inputs_.emplace("x", f32({2}, {3, 5}));
  device_.emplace("a", f32({2}, {HUGE_VALF, 7}));
  const auto judged = judge();
  EXPECT_EQ(judged.at(0).open, 2);
  EXPECT_EQ(judged.at(0).outside, 0);
}

/// HF32 operands: the wide enclosure holds what the narrow one does not, and not everything.
TEST(EnclosedArithmetic, ShortenedOperands) {
  const auto function = model::parse_tensor_function(
      "func @k(%x: f32[1, 2], %y: f32[2, 1]) { %z = matmul %x, %y : f32[1, 1] return %z }");
  const Tensor x = f32({1, 2}, {1 + 0x1p-12F, 1});
  const Tensor y = f32({2, 1}, {1, 0x1p-20F});
  const std::vector<BodyArgument> arguments{x.view(), y.view()};
  const Enclosure narrow = enclose(function, arguments).at(0);
  const Enclosure wide =
      enclose(function, arguments, {kernels::InputRounding::none, kernels::InputRounding::hf32_ties_even})
          .at(0);
  const double shortened = 1 + 0x1p-20;  // 1 + 2^-12 is halfway between neighbours of 11 bits
  EXPECT_LT(shortened, narrow.lo.elements<double>()[0]);
  EXPECT_LE(wide.lo.elements<double>()[0], shortened);
  EXPECT_GT(wide.lo.elements<double>()[0], 1 - 0x1p-10);
  EXPECT_LT(wide.hi.elements<double>()[0], 1 + 0x1p-10);
}

}  // namespace
}  // namespace bufferproof::simulator
