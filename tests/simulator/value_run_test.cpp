// Runs with values: what each road and each memory model leaves in the outputs.
#include "simulator/values/value_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/tensor_function.hpp"
#include "tests/simulator/wrapper_support.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::Tensor;
using model::Init;
using model::MemoryFill;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

/// A wrapper whose kernels compute: "double" is x + x.
class ValueBuilder : public WrapperBuilder {
 public:
  ValueBuilder() {
    model::KernelDef kernel;
    kernel.name = "double";
    kernel.kind = model::KernelKind::mlir_auto_fallback;
    kernel.num_outputs = 1;
    kernel.body = std::make_shared<const model::TensorFunction>(model::parse_tensor_function(
        "func @double(%x: f32[s0, 2]) { %y = add %x, %x : f32[s0, 2] return %y }"));
    program().kernels.push_back(kernel);
  }
};

std::map<std::string, Tensor> one_input() {
  std::map<std::string, Tensor> out;
  Tensor x(model::DType::f32, {2, 2});
  for (std::size_t i = 0; i < 4; ++i) x.elements<float>()[i] = static_cast<float>(i) + 1;
  out.emplace("x", std::move(x));
  return out;
}

std::vector<float> values(const Tensor& tensor) {
  const auto elements = tensor.elements<float>();
  return {elements.begin(), elements.end()};
}

std::vector<float> returned(WrapperBuilder& w, model::RunPlan plan = {}, std::size_t call = 0) {
  const auto tensors = one_input();
  ValueOptions options;
  options.tensors = &tensors;
  const ValueTrace trace = run_values(w.program(), plan, options);
  EXPECT_EQ(findings(trace.tags), findings(run_tags(w.program(), plan)));
  return values(trace.calls.at(call).at(0).tensor);
}

model::RunPlan falling_back(MemoryFill memory) {
  model::RunPlan plan;
  plan.variants = {{"K", "fallback"}};
  plan.memory = memory;
  return plan;
}

ValueBuilder chain(model::Variant road) {
  ValueBuilder w;
  w.alloc("x", {2, 2}, Init::input).alloc("b", {2, 2}).alloc("c", {2, 2});
  w.computes("K", "x", "b", {std::move(road)}).computes("L", "b", "c").returns("c");
  return w;
}

TEST(ValueRun, TunedKernelsCompute) {
  ValueBuilder w = chain(dropping());
  EXPECT_THAT(returned(w), ElementsAre(4, 8, 12, 16));
}

TEST(ValueRun, E5_DroppedResultsShowTheMemory) {
  ValueBuilder w = chain(dropping());
  for (const float value : returned(w, falling_back(MemoryFill::nan))) EXPECT_TRUE(std::isnan(value));
  EXPECT_THAT(returned(w, falling_back(MemoryFill::zero)), Each(0.0F));
  for (const float value : returned(w, falling_back(MemoryFill::random))) EXPECT_TRUE(std::isfinite(value));
}

TEST(ValueRun, E4_AFreshRebindGivesTheSameValues) {
  ValueBuilder w = chain(rebinding("b"));
  EXPECT_THAT(returned(w, falling_back(MemoryFill::nan)), ElementsAre(4, 8, 12, 16));
  ValueBuilder strided = chain(rebinding("b", model::Layout{{2, 2}, {1, 2}, 0}));
  std::get<model::Launch>(strided.program().body[4].node).variants[0].clauses[0].relies_on_declared = false;
  EXPECT_THAT(returned(strided, falling_back(MemoryFill::nan)), ElementsAre(4, 8, 12, 16));
}

TEST(ValueRun, S3_AViewTakenBeforeTheRebindShowsOldMemory) {
  ValueBuilder w;
  w.alloc("x", {2, 2}, Init::input).alloc("b", {2, 2}).view("v", "b", model::contiguous({4}));
  w.computes("K", "x", "b", {rebinding("b")}).returns("v");
  EXPECT_THAT(returned(w), ElementsAre(2, 4, 6, 8));
  for (const float value : returned(w, falling_back(MemoryFill::nan))) EXPECT_TRUE(std::isnan(value));
}

TEST(ValueRun, S5_APoolShowsTheEarlierTenant) {
  ValueBuilder w;
  w.alloc("x", {2, 2}, Init::input).alloc("a", {2, 2}).computes("J", "x", "a").free("a").alloc("b", {2, 2});
  w.computes("K", "x", "b", {dropping()}).returns("b");
  EXPECT_THAT(returned(w, falling_back(MemoryFill::pool)), ElementsAre(2, 4, 6, 8));  // a's
}

TEST(ValueRun, S5_ARenamedTenantLeavesWithItsLastName) {
  ValueBuilder w;
  w.alloc("x", {2, 2}, Init::input).alloc("a", {2, 2}).computes("J", "x", "a");
  w.add(model::Bind{model::Bind::Kind::rename, "c", "a"});
  w.free("c").alloc("b", {2, 2}).computes("K", "x", "b", {dropping()}).returns("b");
  EXPECT_THAT(returned(w, falling_back(MemoryFill::pool)), ElementsAre(2, 4, 6, 8));
}

TEST(ValueRun, S5_CallsShareThePool) {
  ValueBuilder
      w;  // what lies in b's place is written behind its last use: the first call shows nothing of it
  w.alloc("x", {2, 2}, Init::input).alloc("b", {2, 2}).computes("K", "x", "b", {dropping()}).returns("b");
  w.free("b").alloc("e", {2, 2}).computes("L", "x", "e");
  model::RunPlan plan = falling_back(MemoryFill::pool);
  plan.calls.resize(2);
  EXPECT_THAT(returned(w, plan, 0), Each(0.0F));
  EXPECT_THAT(returned(w, plan, 1), ElementsAre(2, 4, 6, 8));
}

TEST(ValueRun, Faults) {
  ValueBuilder w;
  w.alloc("x", {2, 2}, Init::input).alloc("b", {2, 2}).computes("K", "x", "b").returns("b");
  model::RunPlan plan;
  plan.faults = {{"K", 0, {{1, 2}, {0, 1}}}};
  const std::vector<float> out = returned(w, plan);
  EXPECT_THAT((std::vector<float>{out[0], out[1], out[3]}), ElementsAre(2, 4, 8));
  EXPECT_TRUE(std::isnan(out[2]));
}

TEST(ValueRun, SlicesAndCopies) {
  ValueBuilder w;
  w.alloc("x", {2, 2}, Init::input).alloc("cat", {2, 4}).alloc("t", {2, 2});
  w.view("s0", "cat", model::Layout{{2, 2}, {4, 1}, 0}).view("s1", "cat", model::Layout{{2, 2}, {4, 1}, 2});
  w.computes("K", "x", "s1").computes("L", "x", "t").copy("t", "s0").returns("cat");
  EXPECT_THAT(returned(w), ElementsAre(2, 4, 2, 4, 6, 8, 6, 8));
}

TEST(ValueRun, AWriteOfPartOfAnOutput) {
  ValueBuilder w;
  w.alloc("x", {2, 2}, Init::input).alloc("b", {2, 2}).computes("K", "x", "b").returns("b");
  const model::SymExpr i = model::SymExpr::symbol("i");
  const model::SymExpr j = model::SymExpr::symbol("j");
  auto& write = std::get<model::Launch>(w.program().body[2].node).variants[0].clauses[1];
  write.set = {false, {{"i", 0, 2}, {"j", 0, 2}}, {i, j}, model::Cond::ne(i, j)};
  const std::vector<float> out = returned(w);
  EXPECT_THAT((std::vector<float>{out[1], out[2]}), ElementsAre(4, 6));
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[3]));
}

TEST(ValueRun, MissingInputsAreGeneratedBySeed) {
  ValueBuilder w = chain(dropping());
  auto run = [&](std::uint64_t seed) {
    ValueOptions options;
    options.input_seed = seed;
    return values(run_values(w.program(), {}, options).calls[0][0].tensor);
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(ValueRun, LaunchesAreAnnounced) {
  ValueBuilder w = chain(dropping());
  std::vector<std::string> launched;
  ValueOptions options;
  options.on_launch = [&](const std::string& kernel) { launched.push_back(kernel); };
  run_values(w.program(), {}, options);
  EXPECT_THAT(launched, ElementsAre("K", "L"));
}

TEST(ValueRun, WhatCannotBeRunIsNamed) {
  auto error = [](const model::Program& program, const ValueOptions& options) -> std::string {
    try {
      run_values(program, {}, options);
    } catch (const model::InputError& e) {
      return e.what();
    }
    return "no error";
  };
  ValueBuilder w = chain(dropping());
  std::map<std::string, Tensor> tensors;
  tensors.emplace("weights", Tensor(model::DType::f32, {2, 2}));
  ValueOptions options;
  options.tensors = &tensors;
  EXPECT_THAT(error(w.program(), options), HasSubstr("'weights'"));
  tensors.clear();
  tensors.emplace("x", Tensor(model::DType::f32, {3, 2}));
  EXPECT_THAT(error(w.program(), options), HasSubstr("expected a tensor x of f32[2, 2], found f32[3, 2]"));
  ValueBuilder library;
  library.alloc("x", {2, 2}, Init::input)
      .external("extern_kernels.mm", {read_clause("x"), clause(model::Clause::Kind::unknown, "x")});
  EXPECT_THAT(error(library.program(), {}),
              HasSubstr("w.py:2:1: expected a call whose effects and computation are known, found "
                        "extern_kernels.mm"));
  EXPECT_THAT(error(model::read_bufprog("buf a[1] zero\n", "t").program, {}),
              HasSubstr("bufprog has no values"));
}

TEST(ValueRun, MemoryIsGivenBack) {
  ValueBuilder w = chain(dropping());
  model::RunPlan plan;
  plan.calls.resize(3);
  EXPECT_EQ(run_values(w.program(), plan).peak_bytes, 3 * 16);
}

}  // namespace
}  // namespace bufferproof::simulator
