// C3 where the planner laid buffers out in pools: the wrapper is proved, and with one mistake of a planner it
// is refuted and the refutation replays.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/differential/emitted.hpp"

namespace bufferproof::differential {
namespace {

std::string planned() {
  std::ifstream in(TESTS_DIR "/fixtures/wrappers/memory_planning.py");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

model::Program program_of(const std::string& text) {
  return lowered(model::wrapper::read_wrappers(text, "memory_planning.py").at(0), "stock");
}

void expect_stale(const std::string& text, const std::string& buffer) {
  const model::Program program = program_of(text);
  const checker::Result result = checker::check(program);
  // An mm whose operands share memory is a race of its own.
  EXPECT_TRUE(judgement(result) == "refuted STALE" || judgement(result) == "refuted RACE STALE")
      << judgement(result);
  bool found = false;
  for (const checker::Refutation& refutation : result.refutations) {
    found = found || refutation.finding.buffer == buffer;
    EXPECT_TRUE(replays(program, refutation)) << refutation.finding.message;
  }
  EXPECT_TRUE(found) << buffer;
}

TEST(Pool, C3TheWrapperAsPlannedIsProved) {
  const checker::Result result = checker::check(program_of(planned()));
  EXPECT_EQ(judgement(result), "proved") << (result.undecided.empty() ? "" : result.undecided[0].reason);
}

TEST(Pool, C3ASliceAtAnotherOnesOffset) {
  expect_stale(replaced(planned(), "alloc_from_pool(pool1, align(4*s9*s9)", "alloc_from_pool(pool1, 0"),
               "buf4");
}

TEST(Pool, C3ASliceThatBeginsBeforeItsNeighbourEnds) {
  expect_stale(
      replaced(planned(), "alloc_from_pool(pool1, align(4*s9*s9)", "alloc_from_pool(pool1, 4*s9*s9 - 4"),
      "buf4");
}

/// The block of buf0 is handed out again while buf1, its tenant, is still read.
TEST(Pool, C3ABlockHandedOutTooEarly) {
  const std::string early =
      replaced(planned(), "buf2 = alloc_from_pool(pool1, 0, torch.float32, (s9, s9), (s9, 1))",
               "buf2 = buf0  # alloc");
  expect_stale(replaced(early, "extern_kernels.mm(arg1_1, arg2_1, out=buf3)",
                        "extern_kernels.mm(buf1, arg2_1, out=buf3)"),
               "buf1");
}

/// What an earlier tenant left in a slice is nobody's value: the text means memory of its own.
TEST(Pool, C3WhatAnEarlierTenantLeftIsNotMeant) {
  expect_stale(replaced(planned(), "        extern_kernels.mm(buf4, buf5, out=buf6)\n",
                        "        buf7 = alloc_from_pool(pool0, 0, torch.float32, (s9, s9), (s9, 1))\n"
                        "        extern_kernels.mm(buf7, buf5, out=buf6)\n"),
               "buf7");
}

/// A second name of a slice in which nothing is yet is a part of it, not a later tenant.
TEST(Pool, S2AnAliasMadeBeforeAnythingIsWritten) {
  const std::string alias = replaced(planned(), "        extern_kernels.mm(arg1_1, arg2_1, out=buf3)\n",
                                     "        buf8 = buf3  # alias\n"
                                     "        extern_kernels.mm(arg1_1, arg2_1, out=buf8)\n");
  EXPECT_EQ(judgement(checker::check(program_of(alias))), "proved");
}

}  // namespace
}  // namespace bufferproof::differential
