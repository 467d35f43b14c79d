// Every refutation of a case is replayed: the simulator, given its run plan, must report the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "checker/check.hpp"
#include "model/read/bufprog/reader.hpp"
#include "simulator/tag_run.hpp"

namespace bufferproof {
namespace {

model::Program load(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return model::read_bufprog(text.str(), path.filename().string()).program;
}

bool reports(const simulator::TagTrace& trace, const model::Finding& wanted) {
  return std::any_of(trace.findings.begin(), trace.findings.end(), [&](const model::Finding& f) {
    return f.kind == wanted.kind && f.buffer == wanted.buffer && f.reader == wanted.reader;
  });
}

TEST(Replay, EveryRefutationOfACaseHappens) {
  int replayed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TESTS_DIR "/cases")) {
    if (entry.path().extension() != ".bufprog") continue;
    const model::Program program = load(entry.path());
    for (const auto& refutation : checker::check(program).refutations) {
      EXPECT_TRUE(reports(simulator::run_tags(program, refutation.plan), refutation.finding))
          << entry.path().filename() << ": " << refutation.finding.message << " [" << refutation.finding.path
          << "]";
      ++replayed;
    }
  }
  EXPECT_GT(replayed, 60);
}

}  // namespace
}  // namespace bufferproof
