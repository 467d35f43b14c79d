#include "cli/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/wording.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/cli/run_cli.hpp"

namespace bufferproof::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

model::SourceLocation at(const std::string& file, int line) {
  return {std::make_shared<const std::string>(file), line, 5};
}

ReportedFinding unwritten(const std::string& file) {
  ReportedFinding f;
  f.finding = {.kind = model::FindingClass::unwritten,
               .buffer = "buf1",
               .reader = "extern_kernels.convolution",
               .writer = "mlir_fused_relu_0",
               .element = {0, 17},
               .rule = "C2",
               .path = "mlir_fused_relu_0=fallback",
               .where = at(file, 3),
               .writer_where = at(file, 2),
               .alloc_where = at(file, 1),
               .message = "the fallback hands nothing over"};
  f.plan.calls = {{{"s0", 2}}};
  f.plan.variants = {{"mlir_fused_relu_0", "fallback"}};
  f.runtimes = {"as-reported"};
  f.fallback_kernels = {"mlir_fused_relu_0"};
  f.fingerprint = "0123456789abcdef";
  return f;
}

/// A wrapper refuted by one profile, proved under an assumption by another, undecided by a third.
CheckReport sample(const std::string& file) {
  auto program = std::make_shared<model::Program>();
  program->dialect = model::Dialect::wrapper;
  program->file = file;
  program->symbols = {{"s0", 2, std::nullopt, 8, {}}};
  ProgramReport report{.program = program};
  report.findings = {unwritten(file)};
  report.runtimes = {
      {.name = "torch_npu-26.1.0", .assumptions = {"kernel k is well behaved"}},
      {.name = "odd", .outcome = Outcome::unsupported},
      {.name = "as-reported", .hypothetical = true, .outcome = Outcome::refuted, .findings = {0}}};
  report.runtimes[1].undecided = {{checker::Verdict::unsupported, at(file, 2), "no schema for my::op"}};
  report.runtimes[2].notes = {{"C1", at(file, 2), "output buf9 is never written, and nobody reads it"}};
  report.runtimes[2].risks = {{"B8", "one tiling buffer", at(file, 3)}};
  CheckReport out;
  out.programs = {report};
  settle(out);
  return out;
}

const char* const kFile =
    "buf1 = empty_strided((8, 64), (64, 1), device='npu', dtype=torch.float32)\n"
    "mlir_fused_relu_0.run(arg0_1, buf1, stream=stream0)\n"
    "    buf2 = extern_kernels.convolution(buf1, arg1_1)\n";

TEST(ReportText, SaysWhatWhereWhichElementWhichRoadAndWhatToDo) {
  const TemporaryFolder folder;
  const std::string text = print_text(sample(folder.write("w.py", kFile)));
  EXPECT_THAT(text, HasSubstr("torch_npu-26.1.0  proved under 1 assumption\n"));
  EXPECT_THAT(text, HasSubstr("as-reported       refuted  [1]  (hypothetical)\n"));
  EXPECT_THAT(text, HasSubstr("[1] UNWRITTEN buf1[0, 17] at extern_kernels.convolution\n"));
  EXPECT_THAT(text, HasSubstr("w.py:3:5  | buf2 = extern_kernels.convolution(buf1, arg1_1)\n"));
  EXPECT_THAT(text, HasSubstr("mlir_fused_relu_0 falls back, every other kernel is tuned\n"));
  EXPECT_THAT(text, HasSubstr("anir_config.force_fallback_kernel_names = {\"mlir_fused_relu_0\"}\n"));
  EXPECT_THAT(text, HasSubstr("s0 = 2\n"));
  EXPECT_THAT(text, HasSubstr("--runtime as-reported --fallback mlir_fused_relu_0 --size s0=2\n"));
  EXPECT_THAT(text, HasSubstr("w.py:2:5: unsupported: no schema for my::op  [odd]\n"));
  EXPECT_THAT(text, HasSubstr("kernel k is well behaved  [torch_npu-26.1.0]\n"));
  EXPECT_THAT(text, HasSubstr("B8: one tiling buffer"));
}

TEST(ReportText, ManyFindingsStayShortUnlessAskedFor) {
  CheckReport report = sample("w.py");
  ProgramReport& program = report.programs[0];
  for (int i = 1; i < 5; ++i) {
    program.findings.push_back(program.findings[0]);
    program.runtimes[2].findings.push_back(static_cast<std::size_t>(i));
  }
  settle(report);
  const std::string text = print_text(report);
  EXPECT_THAT(text, HasSubstr("refuted  [1]-[5]"));
  EXPECT_THAT(text, HasSubstr("\n[5] UNWRITTEN buf1[0, 17] at extern_kernels.convolution, line 3 when "
                              "mlir_fused_relu_0 falls back\n"));
  EXPECT_THAT(text, HasSubstr("(--full tells each as the first 3)\n"));
  EXPECT_THAT(print_text(report, true), Not(HasSubstr("--full")));
}

TEST(ReportText, SetAsideFindingsAreShownAndNotCounted) {
  CheckReport report = sample("w.py");
  report.programs[0].findings[0].standing = Standing::suppressed;
  report.programs[0].findings[0].reason = "fixed in 26.1";
  report.programs[0].findings[0].expires = "2030-01-01";
  settle(report);
  EXPECT_EQ(report.exit, kUnsupported) << "what is left is the undecided row";
  const std::string text = print_text(report);
  EXPECT_THAT(text, HasSubstr("proved (1 finding known or suppressed)  [1]"));
  EXPECT_THAT(text, HasSubstr("fixed in 26.1 (until 2030-01-01), not counted"));
}

TEST(ReportExit, TheWorstRowDecides) {
  CheckReport report = sample("w.py");
  EXPECT_EQ(report.exit, kFindings);
  report.programs[0].runtimes.pop_back();
  settle(report);
  EXPECT_EQ(report.exit, kUnsupported);
  report.programs[0].runtimes[1].undecided[0].kind = checker::Verdict::budget;
  settle(report);
  EXPECT_EQ(report.exit, kBudget);
  report.programs[0].runtimes.pop_back();
  settle(report);
  EXPECT_EQ(report.exit, kClean);
  report.strict = true;
  settle(report);
  EXPECT_EQ(report.exit, kUnsupported) << "an assumption counts when strict";
  report.programs[0].runtimes[0].risks = {{"B8", "m", {}}};
  settle(report);
  EXPECT_EQ(report.exit, kFindings) << "a risk counts when strict";
  report.programs[0].runtimes[0].outcome = Outcome::internal;
  settle(report);
  EXPECT_EQ(report.exit, kInternal);
}

json schema() {
  std::ifstream file(SOURCE_DIR "/docs/report.schema.json");
  return json::parse(file);
}

TEST(ReportJson, FitsItsSchema) {
  const json report = json::parse(print_json(sample("w.py")));
  EXPECT_THAT(JsonSchema(schema()).faults(report), IsEmpty());
  EXPECT_EQ(report["verdict"], "refuted");
  EXPECT_EQ(report["counterexample"], json({{"s0", 2}}));
  EXPECT_EQ(report["runtimes"][2]["findings"][0]["class"], "UNWRITTEN");
  EXPECT_EQ(report["findings"][0]["runtimes"], json({"as-reported"}));
  EXPECT_EQ(report["runtimes"][1]["undecided"][0]["location"]["line"], 2);
}

TEST(ReportJson, TheSchemaIsNotTooWide) {
  const JsonSchema checker(schema());
  json report = json::parse(print_json(sample("w.py")));
  report["findings"][0].erase("rule");
  EXPECT_THAT(checker.faults(report), Not(IsEmpty()));
  report = json::parse(print_json(sample("w.py")));
  report["verdict"] = "fine";
  EXPECT_THAT(checker.faults(report), Not(IsEmpty()));
}

TEST(ReportJson, SeveralProgramsStandSideBySide) {
  CheckReport report = sample("a.py");
  report.programs.push_back(sample("b.py").programs[0]);
  settle(report);
  const json both = json::parse(print_json(report));
  EXPECT_THAT(JsonSchema(schema()).faults(both), IsEmpty());
  EXPECT_EQ(both["programs"][1]["input"], "b.py");
  EXPECT_EQ(both["findings"].size(), 2U);
}

TEST(ReportSarif, TheFlowGoesFromAllocationToRead) {
  const json sarif = json::parse(print_sarif(sample("dir with blank/w.py")));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const json& run = sarif["runs"][0];
  ASSERT_EQ(run["results"].size(), 1U);
  const json& result = run["results"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<int>()]["id"], result["ruleId"]);
  EXPECT_EQ(result["partialFingerprints"]["bufferproof/v1"], "0123456789abcdef");
  const json& steps = result["codeFlows"][0]["threadFlows"][0]["locations"];
  ASSERT_EQ(steps.size(), 3U);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(steps[i]["location"]["physicalLocation"]["region"]["startLine"], i + 1);
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "dir%20with%20blank/w.py");
  EXPECT_EQ(run["invocations"][0]["toolExecutionNotifications"].size(), 1U);
}

TEST(ReportSarif, BaselineAndSuppressionsAreMarked) {
  CheckReport report = sample("w.py");
  report.programs[0].findings[0].standing = Standing::baseline;
  EXPECT_EQ(json::parse(print_sarif(report))["runs"][0]["results"][0]["baselineState"], "unchanged");
  report.programs[0].findings[0].standing = Standing::suppressed;
  report.programs[0].findings[0].reason = "why";
  const json result = json::parse(print_sarif(report))["runs"][0]["results"][0];
  EXPECT_THAT(result["suppressions"][0]["justification"], HasSubstr("why"));
}

TEST(Report, TextThatIsNoUtf8DoesNotBreakJson) {
  CheckReport report = sample("w.py");
  report.programs[0].findings[0].finding.message = "bad \xff byte";
  EXPECT_NO_THROW(json::parse(print_json(report)));
  EXPECT_NO_THROW(json::parse(print_sarif(report)));
}

TEST(Wording, RunsAreSpelledAsTheCommandLineTakesThem) {
  EXPECT_EQ(spelling(model::Fault{"K", 1, {{2, 4}, {0, 8}}}), "K:1[2:4,0:8]");
  ReportedFinding f = unwritten("my file.py");
  f.plan.faults = {{"K", 0, {}}};
  EXPECT_EQ(
      replay_command(f, "my file.py"),
      "bufferproof simulate 'my file.py' --runtime as-reported --fallback mlir_fused_relu_0 --fault K:0 "
      "--size s0=2");
}

}  // namespace
}  // namespace bufferproof::cli
