// The rules of the contract with values: what each delivery leaves in memory, and that values change no
// finding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/tensor_function.hpp"
#include "simulator/evaluate.hpp"
#include "tests/mutation/mutate.hpp"
#include "tests/simulator/emitted_support.hpp"
#include "tests/simulator/wrapper_support.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::Tensor;
using model::DType;
using model::Init;
using model::MemoryFill;
using testing::ElementsAre;

/// One input x of [2, 2] holding 1, 2, 3, 4 (f32), and kernels with the given bodies.
class ContractBuilder : public WrapperBuilder {
 public:
  explicit ContractBuilder(const std::vector<std::string>& bodies, int outputs = 1) {
    for (const std::string& text : bodies) {
      model::KernelDef kernel;
      kernel.name = "k" + std::to_string(program().kernels.size());
      kernel.kind = model::KernelKind::mlir_auto_fallback;
      kernel.num_outputs = outputs;
      kernel.body = std::make_shared<const model::TensorFunction>(model::parse_tensor_function(text));
      program().kernels.push_back(kernel);
    }
    alloc("x", {2, 2}, Init::input);
  }
  ValueTrace values(const model::RunPlan& plan = {}) {
    std::map<std::string, Tensor> tensors;
    Tensor x(DType::f32, {2, 2});
    for (std::size_t i = 0; i < 4; ++i) x.elements<float>()[i] = static_cast<float>(i) + 1;
    tensors.emplace("x", std::move(x));
    ValueOptions options;
    options.tensors = &tensors;
    ValueTrace trace = run_values(program(), plan, options);
    EXPECT_EQ(findings(trace.tags), findings(run_tags(program(), plan)));
    return trace;
  }
};

std::vector<float> f32(const ValueTrace& trace, std::size_t call = 0, std::size_t item = 0) {
  const auto elements = trace.calls.at(call).at(item).tensor.elements<float>();
  return {elements.begin(), elements.end()};
}

const char kDouble[] = "func @k(%x: f32[2, 2]) { %y = add %x, %x : f32[2, 2] return %y }";
const char kToInteger[] =
    "func @k(%x: f32[2, 2]) { %h = mul %x, %x : f32[2, 2] %y = cast %h {dtype = i32, round = \"trunc\"} : "
    "i32[2, 2] return %y }";
const char kRow[] =
    "func @k(%x: f32[2, 2]) { %s = slice %x {offsets = sizes[0, 0], sizes = sizes[1, 2], strides = [1, 1]} : "
    "f32[1, 2] return %s }";

model::Variant copying(const std::string& output) {
  model::Variant road;
  road.name = "fallback";
  road.fallback = true;
  road.clauses = {write_clause(output)};
  return road;
}

model::Variant storing(const std::string& output) {
  model::Variant road = copying(output);
  road.name = "tuned";
  road.fallback = false;
  return road;
}

TEST(ValueContract, E2_AKernelStoresItsBytesWhateverTheBufferHolds) {
  ContractBuilder w({kToInteger});
  w.alloc("b", {2, 2}).alloc("unused", {1});
  w.launch(0, {"x"}, {"b"}, storing("b")).view("v", "b", model::contiguous({2, 2}), DType::i32).returns("v");
  const auto trace = w.values();
  const auto elements = trace.calls.at(0).at(0).tensor.elements<std::int32_t>();
  EXPECT_THAT((std::vector<std::int32_t>{elements.begin(), elements.end()}), ElementsAre(1, 4, 9, 16));
}

TEST(ValueContract, E3_ACopyConvertsAndBroadcasts) {
  ContractBuilder w({kToInteger, kRow});
  w.alloc("b", {2, 2}).launch(0, {"x"}, {"b"}, copying("b")).returns("b");
  EXPECT_THAT(f32(w.values()), ElementsAre(1, 4, 9, 16));
  ContractBuilder rows({kToInteger, kRow});
  rows.alloc("b", {2, 2}).launch(1, {"x"}, {"b"}, copying("b")).returns("b");
  EXPECT_THAT(f32(rows.values()), ElementsAre(1, 2, 1, 2));
}

TEST(ValueContract, E3_CopyStepsConvert) {
  ContractBuilder w({});
  w.alloc("h", {2, 2}, Init::uninit, DType::f16)
      .alloc("b", {2, 2})
      .copy("x", "h")
      .copy("h", "b")
      .returns("b");
  EXPECT_THAT(f32(w.values()), ElementsAre(1, 2, 3, 4));
}

TEST(ValueContract, E4_AnotherElementTypeComesWithTheHandle) {
  ContractBuilder w({kToInteger});
  model::Variant road = rebinding("b");
  road.rebinds[0].dtype = DType::i32;
  w.alloc("b", {2, 2}).launch(0, {"x"}, {"b"}, road).returns("b");
  const auto trace = w.values();
  EXPECT_EQ(trace.calls.at(0).at(0).tensor.dtype(), DType::i32);
  EXPECT_EQ(trace.calls.at(0).at(0).tensor.elements<std::int32_t>()[3], 16);
}

TEST(ValueContract, E4_AResultThatIsAViewOfAnInputSharesItsMemory) {
  ContractBuilder w({"func @k(%x: f32[2, 2]) { return %x }", kDouble});
  model::Variant road = rebinding("b", model::contiguous({2, 2}));
  road.rebinds[0].alias_of = "a";
  w.alloc("a", {2, 2}).alloc("b", {2, 2}).launch(1, {"x"}, {"a"}, storing("a"));
  w.launch(0, {"a"}, {"b"}, road).launch(1, {"b"}, {"a"}, storing("a")).returns("b");
  EXPECT_THAT(f32(w.values()), ElementsAre(4, 8, 12, 16));  // b shows what was stored to a later
}

TEST(ValueContract, E6_MissingResultsLeaveTheirOutputs) {
  ContractBuilder w({kDouble}, 2);
  w.alloc("b", {2, 2})
      .alloc("c", {2, 2})
      .launch(0, {"x"}, {"b", "c"}, storing("b"))
      .returns("b")
      .returns("c");
  const auto trace = w.values();
  EXPECT_THAT(f32(trace), ElementsAre(2, 4, 6, 8));
  EXPECT_TRUE(std::isnan(f32(trace, 0, 1)[0]));
}

TEST(ValueContract, E7_ATemporaryIsCopiedBackWhole) {
  ContractBuilder w({kDouble});
  w.alloc("base", {2, 4}).view("b", "base", model::Layout{{2, 2}, {4, 2}, 1});
  w.launch(0, {"x"}, {"b"}, storing("b")).returns("base");
  const auto out = f32(w.values());
  EXPECT_THAT((std::vector<float>{out[1], out[3], out[5], out[7]}), ElementsAre(2, 4, 6, 8));
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[2]) && std::isnan(out[4]) && std::isnan(out[6]));
}

TEST(ValueContract, E10_TuningHidesWhatAKernelLeavesOutUntilItsSecondLaunch) {
  ContractBuilder w({kDouble});
  model::Variant road = storing("b");
  road.tunes = true;
  w.alloc("b", {2, 2}).launch(0, {"x"}, {"b"}, road).returns("b");
  model::RunPlan plan;
  plan.calls.resize(2);
  plan.faults = {{"k0", 0, {{1, 2}, {0, 2}}}};
  plan.tuning = true;
  const auto trace = w.values(plan);
  EXPECT_THAT(f32(trace, 0), ElementsAre(2, 4, 6, 8));
  EXPECT_TRUE(std::isnan(f32(trace, 1)[2]));
  EXPECT_EQ(trace.tags.findings.size(), 1U);
  plan.calls.resize(1);
  EXPECT_TRUE(w.values(plan).tags.findings.empty());
  plan.tuning = false;
  EXPECT_EQ(w.values(plan).tags.findings.size(), 1U);
}

TEST(ValueContract, E10_MutatedArgumentsAreTunedOnCopies) {
  ContractBuilder w({kDouble});
  model::Variant road = storing("x");
  road.tunes = true;
  w.launch(0, {"x"}, {"x"}, road).returns("x");
  model::RunPlan plan;
  plan.tuning = true;
  EXPECT_THAT(f32(w.values(plan)), ElementsAre(2, 4, 6, 8));
}

TEST(ValueContract, E11_NothingRunsAfterALaunchThatRaises) {
  ContractBuilder w({kDouble});
  model::Variant road = storing("b");
  road.raises = "TypeError";
  w.alloc("b", {2, 2}).launch(0, {"x"}, {"b"}, road).returns("b");
  const auto trace = w.values();
  EXPECT_TRUE(trace.calls.at(0).empty());
  EXPECT_FALSE(trace.tags.raised.empty());
}

TEST(ValueContract, InputsKeepWhatACallStored) {
  ContractBuilder w({kDouble});
  w.launch(0, {"x"}, {"x"}, storing("x")).returns("x");
  model::RunPlan plan;
  plan.calls.resize(2);
  const auto trace = w.values(plan);
  EXPECT_THAT(f32(trace, 0), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(f32(trace, 1), ElementsAre(4, 8, 12, 16));
}

TEST(ValueContract, C6_ALostTensorMakesResultsUnknown) {
  ContractBuilder w({kDouble});
  w.alloc("b", {2, 2}).alloc("c", {2, 2}).free("b").launch(0, {"b"}, {"c"}, storing("c")).returns("c");
  EXPECT_TRUE(std::isnan(f32(w.values())[0]));
}

TEST(ValueContract, C7_ACompiledKernelReadsTheDeclaredLayout) {
  ContractBuilder w({kDouble});
  w.alloc("b", {2, 2}).alloc("c", {2, 2});
  w.launch(0, {"x"}, {"b"}, rebinding("b", model::Layout{{2, 2}, {1, 2}, 0}));
  model::Variant road = storing("c");
  road.clauses.insert(road.clauses.begin(), read_clause("b", true));
  w.launch(0, {"b"}, {"c"}, road).returns("c");
  EXPECT_THAT(f32(w.values()), ElementsAre(4, 12, 8, 16));  // the transposed memory, read row by row
}

std::string error_or_nothing(const model::Program& program, const model::RunPlan& plan, TagTrace& trace) {
  try {
    trace = run_values(program, plan).tags;
  } catch (const model::InputError& error) {
    return error.what();
  }
  return {};
}

/// Values never change a finding: planted faults of every kind in a wrapper whose kernels can be executed.
TEST(ValueContract, FindingsOfMutantsAreThoseOfTheTagRun) {
  examples::WrapperOptions wrapper = batch(2);
  wrapper.text = examples::KernelText::torch;
  const model::Program program = emitted("torch_npu-26.0.0", small_network(1, 2), wrapper);
  std::size_t executed = 0;
  std::size_t with_findings = 0;
  for (const mutation::Mutant& mutant : mutation::mutants(program, 7, 4)) {
    model::Program mutated = mutant.program;
    mutated.kernels = program.kernels;
    for (const bool fallen : {false, true}) {
      model::RunPlan plan;
      if (fallen)
        for (const model::KernelDef& kernel : program.kernels) plan.variants[kernel.name] = "fallback";
      TagTrace with;
      const std::string error = error_or_nothing(mutated, plan, with);
      EXPECT_EQ(error, "") << mutant.description;
      if (!error.empty()) continue;
      ++executed;
      const Found wanted = findings(run_tags(mutated, plan));
      with_findings += wanted.empty() ? 0 : 1;
      EXPECT_EQ(findings(with), wanted) << mutant.description;
    }
  }
  EXPECT_GT(executed, 40U);
  EXPECT_GT(with_findings, 20U);
}

/// Nothing is lost and, under ASan, nothing leaks: 50 choices of roads, runtimes and memories.
TEST(ValueContract, RandomFallbackPlansOfResNet) {
  std::mt19937 random(5);
  const std::vector<MemoryFill> fills{MemoryFill::nan, MemoryFill::zero, MemoryFill::random,
                                      MemoryFill::pool};
  for (const char* profile :
       {"torch_npu-7.x", "torch_npu-26.0.0", "torch_npu-26.1.0", "torch_npu-dev", "as-reported"}) {
    const model::Program program = emitted(profile, small_network(), batch(1));
    const bool loses = std::string(profile) == "as-reported";
    const Tensor right = result(run_values(program, {}));
    for (int i = 0; i < 10; ++i) {
      model::RunPlan plan;
      plan.memory = fills[random() % fills.size()];
      plan.tuning = random() % 2 == 0;
      bool falls = false;
      for (const model::KernelDef& kernel : program.kernels)
        if (random() % 3 == 0) {
          plan.variants[kernel.name] = "fallback";
          falls = true;
        }
      const ValueTrace trace = run_values(program, plan);
      EXPECT_EQ(!trace.tags.findings.empty(), loses && falls) << profile;
      const bool same = std::equal(right.elements<float>().begin(), right.elements<float>().end(),
                                   result(trace).elements<float>().begin());
      EXPECT_EQ(same, !(loses && falls)) << profile;
      EXPECT_EQ(findings(trace.tags), findings(run_tags(program, plan)));
    }
  }
}

}  // namespace
}  // namespace bufferproof::simulator
