// The 128 reduced public reports (tests/cases): what the checker says of each, and of each at the stated
// condition.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "checker/check.hpp"
#include "model/read/bufprog/reader.hpp"

namespace bufferproof::checker {
namespace {

using model::Cond;

std::vector<std::string> case_files() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(TESTS_DIR "/cases"))
    if (entry.path().extension() == ".bufprog") out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

model::BufprogFile load(const std::string& name) {
  std::ifstream in(std::string(TESTS_DIR "/cases/") + name);
  std::stringstream text;
  text << in.rdbuf();
  return model::read_bufprog(text.str(), name);
}

std::string describe(const Result& result) {
  std::string out(name(result.verdict));
  for (const Refutation& r : result.refutations)
    out += "\n  " + std::string(model::name(r.finding.kind)) + " " + r.finding.buffer + " at " +
           r.finding.reader + " [" + r.finding.path + "]";
  for (const Undecided& u : result.undecided) out += "\n  " + u.where.str() + " " + u.reason;
  return out;
}

class Cases : public testing::TestWithParam<std::string> {};

TEST_P(Cases, VerdictIsTheExpectedOne) {
  const auto file = load(GetParam());
  const Result result = check(file.program);
  const auto& expected = file.annotations;
  const bool safe = expected.safe_when ? expected.safe_when->is_true() : expected.expect_safe;
  if (GetParam().find("repaired") != std::string::npos || safe) {
    EXPECT_EQ(result.verdict, Verdict::proved) << describe(result);
    return;
  }
  ASSERT_EQ(result.verdict, Verdict::refuted) << describe(result);
  for (const Refutation& r : result.refutations)
    EXPECT_FALSE(expected.safe_when && *expected.safe_when->evaluate(r.plan.calls[0])) << describe(result);
  const bool named =
      std::any_of(result.refutations.begin(), result.refutations.end(), [&](const Refutation& r) {
        return std::any_of(expected.expectations.begin(), expected.expectations.end(), [&](const auto& e) {
          return e.kind == r.finding.kind && e.buffer == r.finding.buffer && e.reader == r.finding.reader;
        });
      });
  EXPECT_TRUE(named) << describe(result);
}

TEST_P(Cases, UnderItsSafeConditionItIsProved) {
  const auto file = load(GetParam());
  if (!file.annotations.safe_when || file.annotations.safe_when->is_false()) return;
  Options options;
  options.assume = *file.annotations.safe_when;
  const Result result = check(file.program, options);
  EXPECT_EQ(result.verdict, Verdict::proved) << describe(result);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string out = info.param;
  for (char& c : out)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
}

INSTANTIATE_TEST_SUITE_P(Reports, Cases, testing::ValuesIn(case_files()), test_name);

}  // namespace
}  // namespace bufferproof::checker
