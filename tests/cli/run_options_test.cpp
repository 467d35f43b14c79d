#include "cli/run_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/diagnostic.hpp"
#include "model/read/bufprog/reader.hpp"

namespace bufferproof::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

model::Program program() {
  model::Program out = model::read_bufprog(
                           "param n = 5 in 1..8\nparam m = 3 in 2..inf\nbuf b[n+m] uninit\nloop i<2:\n  "
                           "kernel CONV{i}: write b[0:n]\n",
                           "p.bufprog")
                           .program;
  for (model::Symbol& symbol : out.symbols)
    if (symbol.name == "m") symbol.value.reset();
  return out;
}

auto plan_error(const RunOptions& options) {
  return [options] { plan_of(options, program()); };
}

TEST(RunOptions, EverySymbolHasAValue) {
  EXPECT_THAT(plan_of({}, program()).calls, ElementsAre(ElementsAre(Pair("m", 2), Pair("n", 5))));
}

TEST(RunOptions, SizesMayDifferCallByCall) {
  const auto plan = plan_of({.sizes = {"n=3,4"}, .calls = 3}, program());
  EXPECT_THAT(plan.calls,
              ElementsAre(Contains(Pair("n", 3)), Contains(Pair("n", 4)), Contains(Pair("n", 4))));
}

TEST(RunOptions, FaultsNameAnOutputAndARegion) {
  const model::Fault whole = parse_fault("CONV0:1");
  EXPECT_EQ(whole.kernel, "CONV0");
  EXPECT_EQ(whole.output, 1);
  EXPECT_TRUE(whole.region.empty());
  EXPECT_THAT(parse_fault("K:0[2:4,7]").region, ElementsAre(Pair(2, 4), Pair(7, 8)));
  for (const char* wrong :
       {"", "K", ":0", "K:", "K:x", "K:0[", "K:0[1:2:3]", "K:0[a:b]", "K:-1", "K:99999999999999999999"})
    EXPECT_THROW(parse_fault(wrong), model::InputError) << wrong;
}

TEST(RunOptions, UnknownNamesGetTheNearest) {
  EXPECT_THAT(
      plan_error({.sizes = {"nn=3"}}),
      ThrowsMessage<model::InputError>(HasSubstr("--size: no symbol is named 'nn'; did you mean n?")));
  EXPECT_THAT(plan_error({.faults = {"CONS{i}:0"}}), ThrowsMessage<model::InputError>(HasSubstr("CONV{i}")));
  EXPECT_THAT(plan_error({.fallbacks = {"RELU"}}),
              ThrowsMessage<model::InputError>(HasSubstr("no kernel is named")));
  EXPECT_NO_THROW(plan_of({.faults = {"CONV1:0"}}, program())) << "a name that a hole can make";
}

TEST(RunOptions, BadValuesAreToldApart) {
  EXPECT_THAT(plan_error({.sizes = {"n"}}),
              ThrowsMessage<model::InputError>(HasSubstr("expected SYMBOL=VALUE")));
  EXPECT_THAT(plan_error({.sizes = {"n=99999999999999999999"}}),
              ThrowsMessage<model::InputError>(HasSubstr("within 64 bits")));
  EXPECT_THAT(plan_error({.memory = "nans"}), ThrowsMessage<model::InputError>(HasSubstr("--memory")));
  EXPECT_THAT(plan_error({.memory = "random:"}), ThrowsMessage<model::InputError>(HasSubstr("whole number")));
  EXPECT_THAT(plan_error({.fallbacks = {"CONV1"}}),
              ThrowsMessage<model::InputError>(HasSubstr("has no fallback under this runtime")));
}

TEST(RunOptions, AllKernelsFallBack) {
  model::Program two = program();
  const auto launch = [&](const char* name) {
    model::Step step;
    model::Launch node;
    node.kernel = node.choice = name;
    node.variants.resize(2);
    node.variants[0].name = "tuned";
    node.variants[1].name = "fallback";
    node.variants[1].fallback = true;
    step.node = node;
    two.body.push_back(step);
  };
  EXPECT_THAT(plan_error({.fallbacks = {"all"}}),
              ThrowsMessage<model::InputError>(HasSubstr("no kernel has a fallback under this runtime")));
  launch("K");
  launch("L");
  EXPECT_THAT(plan_of({.fallbacks = {"all"}}, two).variants,
              ElementsAre(Pair("K", "fallback"), Pair("L", "fallback")));
}

TEST(RunOptions, MemoryModels) {
  EXPECT_EQ(plan_of({.memory = "pool"}, program()).memory, model::MemoryFill::pool);
  const auto plan = plan_of({.memory = "random:7"}, program());
  EXPECT_EQ(plan.memory, model::MemoryFill::random);
  EXPECT_EQ(plan.seed, 7U);
}

}  // namespace
}  // namespace bufferproof::cli
