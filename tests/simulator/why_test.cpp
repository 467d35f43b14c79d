// Explanations: from an output's element back to the memory at fault.
#include "simulator/why.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulator/wrapper_support.hpp"

namespace bufferproof::simulator {
namespace {

using model::Init;
using testing::HasSubstr;

const std::map<std::string, std::string> kFallback{{"K", "fallback"}};

model::RunPlan plan_with(const std::map<std::string, std::string>& variants) {
  model::RunPlan plan;
  plan.variants = variants;
  return plan;
}

/// x -> K -> b -> L -> c -> M -> d, K with a road that hands nothing over.
WrapperBuilder chain() {
  WrapperBuilder w;
  w.alloc("x", {4}, Init::input).alloc("b", {4}).alloc("c", {4}).alloc("d", {2, 2});
  w.kernel("K", {"x"}, {"b"}, {dropping()})
      .kernel("L", {"b"}, {"c"})
      .kernel("M", {"c", "x"}, {"d"})
      .returns("d");
  return w;
}

TEST(Why, FollowsWritersToTheUnwrittenElement) {
  WrapperBuilder w = chain();
  const Explanation why = explain(w.program(), plan_with(kFallback), "d", {1, 0});
  EXPECT_TRUE(why.at_fault);
  ASSERT_EQ(why.links.size(), 3U);
  EXPECT_EQ(why.links[0].writer, "M");
  EXPECT_EQ(why.links[1].step, "M");
  EXPECT_EQ(why.links[1].buffer, "c");
  EXPECT_EQ(why.links[2].step, "L");
  EXPECT_EQ(why.links[2].buffer, "b");
  EXPECT_EQ(why.links[2].writer, "");
  EXPECT_EQ(why.links[2].due, "K");
  EXPECT_EQ(why.links[2].due_where.line, 5);
  EXPECT_EQ(why.links[2].alloc_where.line, 2);
  EXPECT_THAT(text(why), HasSubstr("which nothing has written; due from K (w.py:5:1); memory of w.py:2:1"));
}

TEST(Why, AWholeProgramHasNothingToExplain) {
  WrapperBuilder w = chain();
  const Explanation why = explain(w.program(), {}, "d", {1, 0});
  EXPECT_FALSE(why.at_fault);
  EXPECT_EQ(why.links.size(), 1U);
  EXPECT_THAT(text(why), HasSubstr("everything it can rest on"));
}

TEST(Why, TheOutputItselfMayBeAtFaultInPlaces) {
  WrapperBuilder w;
  w.alloc("b", {2, 4}).kernel("K", {}, {"b"}).returns("b");
  model::RunPlan plan;
  plan.faults = {{"K", 0, {{1, 2}, {2, 4}}}};
  EXPECT_TRUE(explain(w.program(), plan, "b", {1, 3}).at_fault);
  EXPECT_TRUE(explain(w.program(), plan, "b", {1, 2}).at_fault);
  EXPECT_FALSE(explain(w.program(), plan, "b", {1, 1}).at_fault);
  EXPECT_FALSE(explain(w.program(), plan, "b", {0, 3}).at_fault);
}

TEST(Why, StaleMemoryNamesBothWriters) {
  WrapperBuilder w;
  w.alloc("a", {4})
      .alloc("o", {4})
      .view("v", "a", model::contiguous({4}))
      .kernel("K", {}, {"a"})
      .rename("b", "a");
  w.kernel("L", {}, {"b"}).kernel("M", {"v"}, {"o"}).returns("o");
  const Explanation why = explain(w.program(), {}, "o", {0});
  ASSERT_TRUE(why.at_fault);
  EXPECT_EQ(why.links.back().writer, "L");
  EXPECT_EQ(why.links.back().due, "K");
}

// E10
TEST(Why, TuningHidesAFaultInTheFirstCallOnly) {
  WrapperBuilder w;
  w.alloc("b", {4}).kernel("K", {}, {"b"}).returns("b");
  auto& launch = std::get<model::Launch>(w.program().body[1].node);
  launch.variants[0].tunes = true;
  model::RunPlan plan;
  plan.faults = {{"K", 0, {{1, 2}}}};
  plan.tuning = true;
  EXPECT_FALSE(explain(w.program(), plan, "b", {1}).at_fault);
  plan.calls.emplace_back();
  EXPECT_TRUE(explain(w.program(), plan, "b", {1}).at_fault);
  EXPECT_FALSE(explain(w.program(), plan, "b", {2}).at_fault);
}

TEST(Why, CopiesAndSlicesMoveElements) {
  WrapperBuilder w;
  w.alloc("a", {4}).alloc("c", {8});
  w.view("low", "c", model::contiguous({4})).kernel("K", {}, {"low"}).kernel("A", {}, {"a"});
  model::Layout high = model::contiguous({4});
  high.offset = 4;
  w.view("high", "c", high).copy("a", "high").returns("c");
  model::RunPlan plan;
  plan.faults = {{"A", 0, {{1, 2}}}, {"K", 0, {{2, 3}}}};
  for (std::int64_t i = 0; i < 8; ++i) {
    const Explanation why = explain(w.program(), plan, "c", {i});
    ASSERT_EQ(why.at_fault, i == 2 || i == 5) << i;
    EXPECT_EQ(why.links.back().due, i == 2 ? "K" : i == 5 ? "A" : "") << i;
  }
}

TEST(Why, ABodyThatCannotBeReadIsSaid) {
  WrapperBuilder w = chain();
  const Explanation why = explain(w.program(), plan_with(kFallback), "d", {1, 0});
  EXPECT_EQ(why.links[0].basis, WhyBasis::positions) << "the caller reads what it returns";
  EXPECT_EQ(why.links[1].basis, WhyBasis::reads);
  EXPECT_EQ(why.links[2].basis, WhyBasis::reads);
}

TEST(Why, UnknownCallsEndTheSearch) {
  WrapperBuilder w;
  w.alloc("a", {4}).alloc("o", {4}).external("custom.op", {clause(model::Clause::Kind::unknown, "a")});
  w.kernel("M", {"a"}, {"o"}).returns("o");
  const Explanation why = explain(w.program(), {}, "o", {0});
  EXPECT_FALSE(why.at_fault);
  EXPECT_TRUE(why.unknown);
}

TEST(Why, BufprogResults) {
  const model::Program program = model::read_bufprog(
                                     "buf a[4] uninit\nbuf b[4] uninit\nkernel K: write a[0:2]\nkernel L: "
                                     "read a[0:4] from K; write b[0:4]\n"
                                     "result b[0:4] from L\n",
                                     "t.bufprog")
                                     .program;
  const Explanation why = explain(program, {}, "b", {1});
  ASSERT_TRUE(why.at_fault);
  EXPECT_EQ(why.links.back().step, "L");
  EXPECT_EQ(why.links.back().element, std::vector<std::int64_t>{2});
  EXPECT_EQ(why.links.back().due, "K");
}

/// Every fault of a generated suite is traced to its kernel, line and storage.
TEST(Why, NamesTheKernelOfEveryInjectedFault) {
  int faults = 0;
  for (int length = 1; length <= 12; ++length)
    for (int broken = 0; broken < length; ++broken)
      for (std::int64_t element = 0; element < 2; ++element) {
        WrapperBuilder w;
        w.alloc("b0", {2}, Init::input);
        for (int k = 1; k <= length; ++k) w.alloc("b" + std::to_string(k), {2});
        for (int k = 1; k <= length; ++k)
          w.kernel("K" + std::to_string(k), {"b" + std::to_string(k - 1)}, {"b" + std::to_string(k)});
        const std::string last = "b" + std::to_string(length);
        w.returns(last);
        model::RunPlan plan;
        plan.faults = {{"K" + std::to_string(broken + 1), 0, {{element, element + 1}}}};
        const Explanation why = explain(w.program(), plan, last, {element});
        ASSERT_TRUE(why.at_fault);
        EXPECT_EQ(why.links.back().due, plan.faults[0].kernel);
        EXPECT_EQ(why.links.back().due_where.line, 1 + length + broken + 1);
        EXPECT_EQ(why.links.back().alloc_where.line, broken + 2);
        EXPECT_EQ(why.links.back().element, std::vector<std::int64_t>{element});
        ++faults;
      }
  EXPECT_GE(faults, 100);
}

TEST(Why, AsksForWhatIsReturned) {
  WrapperBuilder w = chain();
  EXPECT_THROW(explain(w.program(), {}, "c", {0}), model::InputError);
  EXPECT_THROW(explain(w.program(), {}, "d", {2, 0}), model::InputError);
  EXPECT_THROW(explain(w.program(), {}, "d", {0}), model::InputError);
}

TEST(Why, TagsOfOutputs) {
  WrapperBuilder w;
  w.alloc("b", {2, 4}).kernel("K", {}, {"b"}).returns("b");
  model::RunPlan plan;
  plan.faults = {{"K", 0, {{0, 2}, {1, 3}}}};
  const auto tags = output_tags(w.program(), plan);
  ASSERT_EQ(tags.size(), 1U);
  EXPECT_EQ(tags[0].sizes, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(tags[0].spans,
            (std::vector<TagSpan>{
                {0, 1, "K"}, {1, 3, "unwritten"}, {3, 5, "K"}, {5, 7, "unwritten"}, {7, 8, "K"}}));
  EXPECT_EQ(output_tags(w.program(), {})[0].spans, (std::vector<TagSpan>{{0, 8, "K"}}));
}

}  // namespace
}  // namespace bufferproof::simulator
