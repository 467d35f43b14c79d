// Symbolic inputs against given tensors.
#include "cli/value_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/diagnostic.hpp"

namespace bufferproof::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ValueOptions, EveryCallMustFit) {
  const model::SymExpr s0 = model::SymExpr::symbol("s0");
  const std::vector<DeclaredInput> inputs{{"x", model::DType::f32, model::contiguous({s0, 2}), {}}};
  Tensors tensors;
  tensors.emplace("x", kernels::Tensor(model::DType::f32, {3, 2}));
  model::RunPlan plan;
  plan.calls = {{{"s0", 3}}};
  EXPECT_NO_THROW(check_tensors(tensors, inputs, plan));
  plan.calls.push_back({{"s0", 4}});
  EXPECT_THAT([&] { check_tensors(tensors, inputs, plan); },
              ThrowsMessage<model::InputError>(
                  HasSubstr("expected f32 [4, 2] for input x, found f32 [3, 2] in --tensors; --size sets")));
}

TEST(ValueOptions, InputsAreCounted) {
  const std::vector<DeclaredInput> inputs{{"x", {}, {}, {}}, {"y", {}, {}, {}}};
  Tensors tensors;
  EXPECT_EQ(inputs_text(tensors, {}, 1), "no inputs");
  EXPECT_EQ(inputs_text(tensors, inputs, 1), "2 inputs generated from seed 1");
  tensors.emplace("x", kernels::Tensor(model::DType::f32, {3, 2}));
  EXPECT_EQ(inputs_text(tensors, inputs, 1), "1 input given, 1 generated from seed 1");
}

}  // namespace
}  // namespace bufferproof::cli
