// Every fault planted into an emitted wrapper is refuted, and the refutation replays; the wrapper itself is
// proved.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/differential/emitted.hpp"
#include "tests/mutation/mutate.hpp"

namespace bufferproof::differential {
namespace {

/// Returns how many mutants of each kind there were.
std::map<mutation::Kind, int> expect_all_refuted(const model::Program& program, std::string_view profile,
                                                 std::size_t most_per_kind) {
  const model::Program judged = lowered(program, profile);
  EXPECT_EQ(checker::check(judged).verdict, checker::Verdict::proved) << profile;
  std::map<mutation::Kind, int> counts;
  for (const mutation::Mutant& mutant : mutation::mutants(judged, 1, most_per_kind)) {
    ++counts[mutant.kind];
    const checker::Result result = checker::check(mutant.program);
    EXPECT_EQ(result.verdict, checker::Verdict::refuted) << profile << ": " << mutant.description;
    for (const checker::Refutation& refutation : result.refutations)
      EXPECT_TRUE(replays(mutant.program, refutation))
          << mutant.description << ": " << model::name(refutation.finding.kind) << " "
          << refutation.finding.buffer << " at " << refutation.finding.reader << ", "
          << refutation.finding.path;
  }
  return counts;
}

TEST(Mutation, StaticWithReuse) {
  const model::Program program = read_emitted({.first_stage = 0, .last_stage = 2, .image = 32}, {.batch = 3});
  for (const char* profile : {"torch_npu-26.0.0", "torch_npu-26.1.0", "torch_npu-dev"})
    expect_all_refuted(program, profile, 4);
}

TEST(Mutation, SymbolicBatch) {
  const model::Program program =
      read_emitted({.first_stage = 3, .last_stage = 4, .image = 32}, {.dynamic = true});
  for (const char* profile : {"torch_npu-26.0.0", "stock"}) expect_all_refuted(program, profile, 4);
}

TEST(Mutation, LastStageAndHead) {
  const model::Program program = read_emitted({.first_stage = 4, .last_stage = 5, .image = 32}, {});
  for (const char* profile : {"torch_npu-26.0.0", "stock"}) expect_all_refuted(program, profile, 4);
}

/// C4: each wait of a wrapper on two streams is needed.
TEST(Mutation, C4WaitsBetweenStreams) {
  std::ifstream in(TESTS_DIR "/fixtures/wrappers/streams_ordered.py");
  std::stringstream text;
  text << in.rdbuf();
  const model::Program program = model::wrapper::read_wrappers(text.str(), "streams_ordered.py").at(0);
  for (const char* profile : {"torch_npu-26.1.0", "stock"}) {
    auto counts = expect_all_refuted(program, profile, 8);
    EXPECT_GE(counts[mutation::Kind::missing_event], 2) << profile;
  }
}

}  // namespace
}  // namespace bufferproof::differential
