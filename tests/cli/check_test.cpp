// check and simulate on the cases, through the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/read/bufprog/reader.hpp"
#include "tests/cli/json_schema.hpp"
#include "tests/cli/run_cli.hpp"

namespace bufferproof::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

JsonSchema report_schema() {
  return JsonSchema(json::parse(read_text(SOURCE_DIR "/docs/report.schema.json")));
}

std::vector<std::string> all_cases() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(TESTS_DIR "/cases"))
    if (entry.path().extension() == ".bufprog") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(Check, EveryCaseIsReplayedAndNamesAnExpectedFinding) {
  std::vector<std::string> arguments{"check", "--format", "json"};
  const std::vector<std::string> cases = all_cases();
  arguments.insert(arguments.end(), cases.begin(), cases.end());
  const json report = json::parse(call(arguments).out);
  ASSERT_EQ(report["programs"].size(), 128U);
  EXPECT_THAT(report_schema().faults(report), IsEmpty());
  for (const json& program : report["programs"]) {
    const std::string file = program["input"];
    const auto notes = model::read_bufprog(read_text(file), file).annotations;
    if (program["verdict"] == "proved") continue;
    // A disagreement of the engines would be "internal" here.
    EXPECT_EQ(program["verdict"], "refuted") << file;
    for (const json& finding : program["findings"]) {
      const bool expected =
          std::any_of(notes.expectations.begin(), notes.expectations.end(), [&](const auto& e) {
            return name(e.kind) == finding["class"] && e.buffer == finding["buffer"] &&
                   e.reader == finding["reader"];
          });
      EXPECT_TRUE(expected || notes.expect_safe) << file << finding;
    }
  }
}

TEST(Check, ReplayCommandShowsTheFinding) {
  const json report = json::parse(call({"check", example_case("01-reported"), "--format", "json"}).out);
  EXPECT_EQ(report["findings"][0]["replay"],
            "bufferproof simulate " + example_case("01-reported") + " --size tuned=0");
  const CliResult run = call({"simulate", example_case("01-reported"), "--size", "tuned=0"});
  EXPECT_EQ(run.code, kFindings);
  EXPECT_THAT(run.out, HasSubstr("UNWRITTEN buf0[0] at CONV2"));
  EXPECT_EQ(call({"simulate", example_case("01-reported"), "--size", "tuned=1"}).code, kClean);
}

TEST(Check, AssumptionsNarrowTheRuns) {
  EXPECT_EQ(call({"check", example_case("01-reported")}).code, kFindings);
  EXPECT_EQ(call({"check", example_case("01-reported"), "--assume", "tuned == 1"}).code, kClean);
  const CliResult wrong = call({"check", example_case("01-reported"), "--assume", "tune == 1"});
  EXPECT_EQ(wrong.code, kBadInput);
  EXPECT_THAT(wrong.err, HasSubstr("has no symbol 'tune'; did you mean tuned?"));
  EXPECT_EQ(call({"check", example_case("01-reported"), "--assume", "tuned =="}).code, kBadInput);
}

TEST(Check, AnEarlierReportIsABaseline) {
  const TemporaryFolder folder;
  const std::string report = folder.path("report.json");
  const CliResult first = call({"check", example_case("01-reported"), "--format", "json", "-o", report});
  EXPECT_EQ(first.code, kFindings);
  EXPECT_EQ(first.out, "");
  const CliResult second = call({"check", example_case("01-reported"), "--baseline", report});
  EXPECT_EQ(second.code, kClean);
  EXPECT_THAT(second.out, HasSubstr("in the baseline, not counted"));
  EXPECT_EQ(call({"check", example_case("97-reported"), "--baseline", report}).code, kFindings);
}

TEST(Check, SuppressionsAndTheirExpiry) {
  const TemporaryFolder folder;
  auto suppressions = [&](const char* expires) {
    return folder.write("s.json", std::string(R"({"suppressions": [{"class": "UNWRITTEN", "buffer": "buf0",
      "reader": "CONV2", "reason": "waits for the next release", "expires": ")") +
                                      expires + "\"}]}");
  };
  EXPECT_EQ(call({"check", example_case("01-reported"), "--suppressions", suppressions("9999-12-31")}).code,
            kClean);
  const CliResult expired =
      call({"check", example_case("01-reported"), "--suppressions", suppressions("2001-01-01")});
  EXPECT_EQ(expired.code, kFindings);
  EXPECT_THAT(expired.err, HasSubstr("expired on 2001-01-01"));
}

TEST(Check, SarifOfARealRun) {
  const json sarif = json::parse(call({"check", example_case("01-reported"), "--format", "sarif"}).out);
  EXPECT_EQ(sarif["runs"][0]["results"][0]["ruleId"], "UNWRITTEN");
  EXPECT_EQ(sarif["runs"][0]["invocations"][0]["exitCode"], 1);
}

TEST(Check, UnwritableOutputIsAnError) {
  EXPECT_EQ(call({"check", example_case("01-repaired"), "-o", "/no/such/folder/x"}).code, kBadInput);
}

TEST(Check, WallTimeIsABudgetOfItsOwn) {
  const CliResult result = call({"check", example_case("01-reported"), "--timeout", "0.000000001"});
  EXPECT_EQ(result.code, kBudget);
  EXPECT_THAT(result.out, HasSubstr("give more with --timeout"));
}

/// A runtime that is given up does not keep the others from being judged.
TEST(Check, EveryRuntimeIsBegun) {
  const CliResult result =
      call({"check", TESTS_DIR "/fixtures/wrappers/mlir_dynamic.py", "--timeout", "0.000000001", "--full"});
  EXPECT_THAT(result.out, HasSubstr("give more with --timeout"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("not begun")));
}

TEST(Simulate, JsonFitsTheSchema) {
  const json report = json::parse(call({"simulate", example_case("01-reported"), "--format", "json"}).out);
  EXPECT_THAT(report_schema().faults(report), IsEmpty());
  EXPECT_EQ(report["verdict"], "findings");
  EXPECT_EQ(report["findings"][0]["reader"], "CONV2");
}

TEST(Simulate, FaultsLeaveElementsUnwritten) {
  EXPECT_EQ(call({"simulate", example_case("01-repaired")}).code, kClean);
  const CliResult faulty = call({"simulate", example_case("01-repaired"), "--fault", "BNRELU:0[2:4]"});
  EXPECT_EQ(faulty.code, kFindings);
  EXPECT_THAT(faulty.out, HasSubstr("UNWRITTEN"));
}

TEST(Simulate, ValuesOutsideTheRangeAreRefused) {
  const CliResult result = call({"simulate", example_case("01-reported"), "--size", "tuned=7"});
  EXPECT_EQ(result.code, kBadInput);
  EXPECT_THAT(result.err, HasSubstr("tuned"));
}

}  // namespace
}  // namespace bufferproof::cli
