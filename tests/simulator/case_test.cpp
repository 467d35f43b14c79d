// The 128 cases: exactly what #expect says at the given values, safe exactly when #safe-when holds.
#include <gtest/gtest.h>

#include "tests/simulator/support.hpp"

namespace bufferproof::simulator {
namespace {

/// Where a range has no end, this many values are tried.
constexpr std::int64_t kCut = 8;

Found expected(const model::BufprogAnnotations& annotations) {
  Found out;
  for (const model::BufprogExpectation& e : annotations.expectations)
    out.insert(std::string(model::name(e.kind)) + " " + e.buffer + " at " + e.reader);
  return out;
}

/// Every combination of values the symbols may have.
std::vector<model::Valuation> all_values(const model::Program& program) {
  std::vector<model::Valuation> out{{}};
  for (const model::Symbol& symbol : program.symbols) {
    std::vector<model::Valuation> next;
    for (const model::Valuation& values : out)
      for (std::int64_t v = symbol.lo; v <= std::min(symbol.hi.value_or(kCut), symbol.lo + 64); ++v) {
        next.push_back(values);
        next.back()[symbol.name] = v;
      }
    out = std::move(next);
  }
  return out;
}

class Case : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Case, FindsExactlyWhatIsExpected) {
  const model::BufprogFile file = read_case(GetParam());
  EXPECT_EQ(findings(run_tags(file.program, {})), expected(file.annotations));
}

TEST_P(Case, IsSafeExactlyWhenStated) {
  const model::BufprogFile file = read_case(GetParam());
  const bool repaired = GetParam().stem().string().ends_with("-repaired");
  if (!file.annotations.safe_when && !repaired) return;
  const model::Cond safe_when = file.annotations.safe_when.value_or(model::Cond(true));
  for (const model::Valuation& values : all_values(file.program)) {
    model::RunPlan plan;
    plan.calls = {values};
    const Found what = findings(run_tags(file.program, plan));
    EXPECT_EQ(what.empty(), safe_when.evaluate(values).value())
        << testing::PrintToString(values) << " " << testing::PrintToString(what);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Case, testing::ValuesIn(case_files()), [](const auto& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return "case_" + name;
});

TEST(Cases, AreAllHere) { EXPECT_EQ(case_files().size(), 128U); }

}  // namespace
}  // namespace bufferproof::simulator
