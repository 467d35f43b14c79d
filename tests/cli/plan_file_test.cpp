// Plans from files: what a report's finding says is run again.
#include "cli/plan_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/diagnostic.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/cli/run_cli.hpp"
#include "tests/cli/small_wrappers.hpp"

namespace bufferproof::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

TEST(PlanFile, ByItself) {
  const model::RunPlan plan =
      read_plan(R"({"calls": [{"s0": 3}, {"s0": 4}], "variants": {"K": "fallback"}, "faults": ["K:0[1:2]"]})",
                "p.json", 1);
  EXPECT_EQ(plan.calls.size(), 2U);
  EXPECT_THAT(plan.calls[1], ElementsAre(Pair("s0", 4)));
  EXPECT_THAT(plan.variants, ElementsAre(Pair("K", "fallback")));
  EXPECT_EQ(plan.faults.at(0).region.at(0), (std::pair<std::int64_t, std::int64_t>{1, 2}));
  EXPECT_EQ(read_plan("{}", "p.json", 1).calls.size(), 1U);
}

TEST(PlanFile, TheRuntimeOfAFinding) {
  const std::string report =
      R"({"findings": [{"plan": {}}, {"plan": {}, "runtimes": ["torch_npu-7.x", "torch_npu-dev"]}]})";
  EXPECT_EQ(runtime_of_plan(report, "r.json", 2), "torch_npu-7.x");
  EXPECT_EQ(runtime_of_plan(report, "r.json", 1), "");
  EXPECT_EQ(runtime_of_plan("{}", "p.json", 1), "");
}

TEST(PlanFile, WhatIsNoPlan) {
  const auto refused = [](const char* text, const char* message) {
    EXPECT_THAT([&] { read_plan(text, "p.json", 2); }, ThrowsMessage<model::InputError>(HasSubstr(message)))
        << text;
  };
  refused("nonsense", "p.json: is not JSON");
  refused("[1]", "expected a plan or a report");
  refused(R"({"calls": 3})", "expected an array for 'calls'");
  refused(R"({"calls": [3]})", "object of symbol values");
  refused(R"({"calls": [{"s0": 1.5}]})", "whole number for symbol 's0'");
  refused(R"({"variants": {"K": 1}})", "road's name for kernel 'K'");
  refused(R"({"faults": ["K"]})", "--fault");
  refused(R"({"faults": [7]})", "expected strings");
  refused(R"({"findings": [{}]})", "holds 1 findings, there is no number 2");
  refused(R"({"findings": [{}, {}]})", "finding 2 has no plan");
  refused(std::string(100'000, '[').c_str(), "is not JSON");
}

class Replay : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string file_ = folder_.write("view.py", captured_view_wrapper());
};

TEST_F(Replay, AReportsFindingIsRunAgain) {
  const std::string report = folder_.path("report.json");
  call({"check", file_, "--runtime", "torch_npu-26.0.0", "--format", "json", "-o", report});
  const std::vector<std::string> run{"simulate", file_, "--runtime", "torch_npu-26.0.0", "--plan", report};
  const CliResult result = call(run);
  EXPECT_EQ(result.code, kFindings);
  EXPECT_THAT(result.out, HasSubstr("UNWRITTEN buf0_view[0, 0] at mlir_fused_mul_1"));
  auto other = run;
  other.insert(other.end(), {"--finding", "2"});
  EXPECT_EQ(call(other).code, kBadInput) << "there is one";
  other = run;
  other.insert(other.end(), {"--fallback", "mlir_fused_add_0"});
  EXPECT_EQ(call(other).code, kBadInput) << "either a plan or options";
}

TEST_F(Replay, PlansOfAnotherProgramAreRefused) {
  const std::string plan = folder_.write("plan.json", R"({"variants": {"mlir_fused_gone_9": "fallback"}})");
  const CliResult result = call({"simulate", file_, "--plan", plan});
  EXPECT_EQ(result.code, kBadInput) << result.out;
  EXPECT_THAT(result.err, HasSubstr("mlir_fused_gone_9"));
}

TEST_F(Replay, ALogSaysWhichKernelsFellBack) {
  const std::string log =
      folder_.write("run.log",
                    "mlir_fused_add_0: Tuning accuracy failed, no valid kernels found, using fallback\n"
                    "mlir_fused_other_3: Tuning accuracy failed, no valid kernels found, using fallback\n");
  const std::vector<std::string> run{"simulate", file_, "--runtime", "torch_npu-26.0.0", "--log", log};
  const CliResult result = call(run);
  EXPECT_EQ(result.code, kFindings);
  EXPECT_THAT(result.out, HasSubstr("mlir_fused_add_0 falls back"));
  EXPECT_THAT(result.err, HasSubstr("kernel mlir_fused_other_3 is not one of"));
  EXPECT_EQ(call({"simulate", file_, "--runtime", "torch_npu-26.0.0", "--log",
                  folder_.write("quiet.log", "all is well\n")})
                .code,
            kClean);
  EXPECT_EQ(call({"simulate", file_, "--log", folder_.path("gone.log")}).code, kBadInput);
}

}  // namespace
}  // namespace bufferproof::cli
