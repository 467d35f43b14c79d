// Planted faults show on some road; the program they were planted into is clean on every road.
#include <gtest/gtest.h>

#include "simulator/tag_run.hpp"
#include "tests/mutation/mutate.hpp"
#include "tests/mutation/small_wrapper.hpp"

namespace bufferproof::simulator {
namespace {

/// Some choice of roads for k1, k2, k3 gives a finding.
bool goes_wrong(const model::Program& program) {
  for (int bits = 0; bits < 8; ++bits) {
    model::RunPlan plan;
    for (int kernel = 0; kernel < 3; ++kernel)
      plan.variants["k" + std::to_string(kernel + 1)] = (bits >> kernel & 1) != 0 ? "fallback" : "tuned";
    if (!run_tags(program, plan).findings.empty()) return true;
  }
  return false;
}

TEST(MutantRun, EveryMutantOfTheSmallWrapperGoesWrong) {
  for (const char* profile : {"torch_npu-26.0.0", "torch_npu-26.1.0", "torch_npu-dev"}) {
    const model::Program program = mutation::small_wrapper(profile);
    EXPECT_FALSE(goes_wrong(program)) << profile;
    for (const mutation::Mutant& mutant : mutation::mutants(program, 1, 100))
      EXPECT_TRUE(goes_wrong(mutant.program)) << profile << ": " << mutant.description;
  }
}

}  // namespace
}  // namespace bufferproof::simulator
