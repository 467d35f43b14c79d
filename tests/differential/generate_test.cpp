// The generators give well-formed programs of every verdict, the same ones every time.
#include <gtest/gtest.h>

#include <set>

#include "model/finding.hpp"
#include "model/print.hpp"
#include "simulator/tag_run.hpp"
#include "tests/differential/generate.hpp"

namespace bufferproof::differential {
namespace {

struct Tally {
  int safe = 0;
  int runs = 0;
  std::set<std::string> classes;
};

void simulate(const model::Program& program, Tally& tally) {
  bool clean = true;
  for (const model::RunPlan& plan : all_runs(program)) {
    const simulator::TagTrace trace = simulator::run_tags(program, plan);
    ++tally.runs;
    clean = clean && trace.findings.empty();
    for (const model::Finding& f : trace.findings) tally.classes.emplace(model::name(f.kind));
  }
  tally.safe += clean;
}

const std::set<std::string> kBufprogClasses{"UNWRITTEN", "STALE", "INCOMPLETE", "EXTRA",
                                            "OOB",       "RACE",  "NOALLOC",    "DEAD"};

TEST(Generate, SmallBufprogWorldHasEveryClassAndSafePrograms) {
  Tally tally;
  constexpr std::uint64_t kSamples = 3000;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const std::uint64_t index = i * (small_bufprog_size() / kSamples) + i % 97;
    ASSERT_NO_THROW(simulate(small_world(index), tally)) << small_bufprog_text(index);
  }
  EXPECT_GT(tally.safe, 100);
  for (const char* kind : {"UNWRITTEN", "STALE", "INCOMPLETE", "OOB", "RACE", "DEAD"})
    EXPECT_TRUE(tally.classes.count(kind)) << kind;
}

TEST(Generate, SmallWrapperWorldHasEveryClassAndSafePrograms) {
  Tally tally;
  constexpr std::uint64_t kSamples = 3000;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const std::uint64_t index = small_bufprog_size() + i * (small_wrapper_size() / kSamples) + i % 97;
    ASSERT_NO_THROW(simulate(small_world(index), tally)) << index;
  }
  for (const char* kind : {"UNWRITTEN", "STALE", "RACE", "DEAD", "MISMATCH"})
    EXPECT_TRUE(tally.classes.count(kind)) << kind;
}

TEST(Generate, RandomProgramsAreWellFormed) {
  Tally bufprog;
  Tally wrapper;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    try {
      simulate(random_program(seed), seed % 2 ? wrapper : bufprog);
    } catch (const model::InputError& error) {
      FAIL() << error.what() << "\n" << (seed % 2 ? "" : random_bufprog_text(seed));
    }
  }
  EXPECT_GT(bufprog.safe, 30);
  EXPECT_GT(wrapper.safe, 100);
  for (const std::string& kind : kBufprogClasses)
    if (kind != "NOALLOC") {
      EXPECT_TRUE(bufprog.classes.count(kind)) << kind;
    }
  EXPECT_TRUE(wrapper.classes.count("MISMATCH"));
  RecordProperty("safe_bufprog", bufprog.safe);
  RecordProperty("safe_wrapper", wrapper.safe);
  RecordProperty("runs", bufprog.runs + wrapper.runs);
}

TEST(Generate, OneSeedOneProgram) {
  EXPECT_EQ(random_bufprog_text(42), random_bufprog_text(42));
  EXPECT_NE(random_bufprog_text(42), random_bufprog_text(44));
  EXPECT_EQ(all_runs(small_wrapper(5)).size(), 2U * 3U * 3U);
}

}  // namespace
}  // namespace bufferproof::differential
