// Sizes are symbolic, not enumerated: raising the end of a range to 10^9 changes no verdict.
//
// The cases listed are those whose verdict does not depend on the end of any range.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "checker/check.hpp"
#include "model/read/bufprog/reader.hpp"

namespace bufferproof::checker {
namespace {

model::Program widened(const std::string& name) {
  std::ifstream in(std::string(TESTS_DIR "/cases/") + name);
  std::stringstream text;
  text << in.rdbuf();
  model::Program program = model::read_bufprog(text.str(), name).program;
  for (model::Symbol& symbol : program.symbols)
    if (!(symbol.lo == 0 && symbol.hi == 1)) symbol.hi = 1'000'000'000;
  return program;
}

class Widened : public testing::TestWithParam<std::pair<const char*, Verdict>> {};

TEST_P(Widened, VerdictStays) {
  const Result result = check(widened(GetParam().first));
  EXPECT_EQ(result.verdict, GetParam().second)
      << GetParam().first << ": " << (result.undecided.empty() ? "" : result.undecided[0].reason);
}

constexpr auto kRefuted = Verdict::refuted;
constexpr auto kProved = Verdict::proved;
INSTANTIATE_TEST_SUITE_P(
    Cases, Widened,
    testing::Values(std::pair{"07-reported.bufprog", kRefuted}, std::pair{"09-reported.bufprog", kRefuted},
                    std::pair{"13-reported.bufprog", kRefuted}, std::pair{"18-reported.bufprog", kRefuted},
                    std::pair{"25-reported.bufprog", kRefuted}, std::pair{"28-reported.bufprog", kRefuted},
                    std::pair{"29-reported.bufprog", kRefuted}, std::pair{"34-reported.bufprog", kRefuted},
                    std::pair{"38-reported.bufprog", kRefuted}, std::pair{"40-reported.bufprog", kRefuted},
                    std::pair{"41-reported.bufprog", kRefuted}, std::pair{"42-reported.bufprog", kRefuted},
                    std::pair{"52-reported.bufprog", kRefuted}, std::pair{"101-reported.bufprog", kRefuted},
                    std::pair{"102-reported.bufprog", kRefuted}, std::pair{"07-repaired.bufprog", kProved},
                    std::pair{"09-repaired.bufprog", kProved}, std::pair{"13-repaired.bufprog", kProved},
                    std::pair{"18-repaired.bufprog", kProved}, std::pair{"25-repaired.bufprog", kProved},
                    std::pair{"28-repaired.bufprog", kProved}, std::pair{"29-repaired.bufprog", kProved},
                    std::pair{"34-repaired.bufprog", kProved}, std::pair{"40-repaired.bufprog", kProved},
                    std::pair{"41-repaired.bufprog", kProved}, std::pair{"42-repaired.bufprog", kProved},
                    std::pair{"101-repaired.bufprog", kProved}, std::pair{"102-repaired.bufprog", kProved}));

/// Tiles of a symbolic width, with the rest behind the last whole tile or without it.
model::Program tiles(bool rest) {
  std::string text =
      "param n = 9 in 1..inf\nparam b = 4 in 1..inf\nbuf o[n] uninit\n"
      "loop p<n//b:\n  kernel K: write o[b*p:b*p+b]\n";
  if (rest) text += "kernel T: write o[(n//b)*b:n]\n";
  return model::read_bufprog(text + "result o[0:n] from K|T\n", "tiles").program;
}

TEST(Symbolic, AssumptionsNarrowWhatIsTriedValueByValue) {
  const model::SymExpr n = model::SymExpr::symbol("n"), b = model::SymExpr::symbol("b");
  Options options;
  EXPECT_EQ(check(tiles(true), options).verdict, Verdict::budget);
  options.assume = model::Cond::eq(b, 4);
  EXPECT_EQ(check(tiles(true), options).verdict, kProved);
  options.assume = model::Cond::le(b, 3) && model::Cond::le(n, 8);
  EXPECT_EQ(check(tiles(true), options).verdict, kProved);
}

/// b > n is wrong too, but not among equal sizes.
TEST(Symbolic, UnequalSmallSizesAreTriedBeforeTheBudgetIsSpent) {
  const Result result = check(tiles(false));
  ASSERT_EQ(result.verdict, kRefuted);
  EXPECT_EQ(result.refutations.at(0).plan.calls.at(0).at("n"), 1);
  EXPECT_EQ(result.refutations.at(0).plan.calls.at(0).at("b"), 2);
}

}  // namespace
}  // namespace bufferproof::checker
