#include "tests/mutation/mutate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/mutation/small_wrapper.hpp"

namespace bufferproof::mutation {
namespace {

TEST(Mutants, EveryKindFindsASite) {
  std::map<Kind, int> count;
  for (const Mutant& mutant : mutants(small_wrapper("torch_npu-26.0.0"), 1)) {
    ++count[mutant.kind];
    EXPECT_NO_THROW(model::validate(mutant.program)) << mutant.description;
  }
  for (const Kind kind : all_kinds()) EXPECT_GE(count[kind], 1) << name(kind);
  EXPECT_EQ(count[Kind::drop_output], 3);
  EXPECT_EQ(count[Kind::reuse_too_early], 1) << "only b1 is needed after another allocation of its shape";
}

TEST(Mutants, SameSeedSameMutants) {
  const model::Program program = small_wrapper("torch_npu-26.1.0");
  const auto texts = [&](std::uint64_t seed) {
    std::vector<std::string> all;
    for (const Mutant& mutant : mutants(program, seed, 1)) all.push_back(mutant.description);
    return all;
  };
  EXPECT_EQ(texts(7), texts(7));
  std::set<std::vector<std::string>> different;
  for (std::uint64_t seed = 0; seed < 8; ++seed) different.insert(texts(seed));
  EXPECT_GT(different.size(), 1u);
}

TEST(Mutants, DescriptionsSayWhereAndWhat) {
  std::vector<std::string> texts;
  for (const Mutant& mutant : mutants(small_wrapper("torch_npu-26.1.0"), 1))
    texts.push_back(mutant.description);
  EXPECT_THAT(texts, ::testing::Contains("drop_output: k1 (line 3): b1"));
  EXPECT_THAT(texts, ::testing::Contains("slice_output: k3 (line 7): b3 without the last index of axis 0"));
  EXPECT_THAT(texts,
              ::testing::Contains("reuse_too_early: k2 (line 5): b2 takes over b1, which is read later"));
}

TEST(Mutants, TheProgramItselfStaysAsItWas) {
  const model::Program program = small_wrapper("torch_npu-26.1.0");
  const std::size_t steps = program.body.size();
  mutants(program, 1);
  EXPECT_EQ(program.body.size(), steps);
}

}  // namespace
}  // namespace bufferproof::mutation
