#include "model/lowering/self_overlap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/lowering/launch_context.hpp"

namespace bufferproof::model::lowering {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;
using ::testing::SizeIs;

std::optional<std::vector<SymExpr>> shared(const Layout& layout) {
  const auto element = shared_element(layout);
  return element ? std::optional(element->index) : std::nullopt;
}

TEST(SelfOverlap, ElementsThatShareAnAddress) {
  EXPECT_EQ(shared(contiguous({4, 8})), std::nullopt);
  EXPECT_EQ(shared(Layout{{4, 8}, {9, 1}}), std::nullopt);
  EXPECT_EQ(shared(Layout{{2, 3}, {3, 2}}), std::nullopt);  // 0 2 4 and 3 5 7
  EXPECT_EQ(shared(Layout{{1, 3}, {0, 1}}), std::nullopt);
  EXPECT_EQ(shared(Layout{{4, SymExpr::symbol("s0")}, {4, 1}}), std::nullopt);
  EXPECT_THAT(shared(Layout{{4, 8}, {7, 1}}), Optional(ElementsAre(0, 7)));
  EXPECT_THAT(shared(Layout{{32, 128, 256}, {32767, 256, 1}}), Optional(ElementsAre(0, 127, 255)));
  EXPECT_THAT(shared(Layout{{2, 3}, {1, 1}}), Optional(ElementsAre(0, 1)));
  EXPECT_THAT(shared(Layout{{4, 3}, {0, 1}}), Optional(ElementsAre(1, 0)));
  EXPECT_THAT(shared(Layout{{3, 4}, {3, 2}}), Optional(ElementsAre(0, 3)));  // 0 2 4 6 and 3 5 7 9, 6 8 10 12
  const auto batch = shared_element(Layout{{SymExpr::symbol("s0"), 8}, {7, 1}});
  ASSERT_TRUE(batch.has_value());
  EXPECT_THAT(batch->index, ElementsAre(0, 7));
  EXPECT_EQ(batch->where, Cond::lt(1, SymExpr::symbol("s0")));
}

std::vector<Clause> stored(const Layout& layout, Within within) {
  Environment environment;
  environment.step(Step{-1, {}, Alloc{"b", DType::f32, layout, Init::uninit}});
  Launch launch{.kernel = "k"};
  launch.variants.push_back({.clauses = {whole(Clause::Kind::write, "b")}});
  launch.variants[0].clauses[0].within = within;
  store_shared_twice(environment, launch);
  return launch.variants[0].clauses;
}

TEST(SelfOverlap, C4IsStoredTwice) {
  EXPECT_THAT(stored(contiguous({4, 8}), Within::unordered), SizeIs(1));
  EXPECT_THAT(stored(Layout{{4, 8}, {4, 1}}, Within::ordered), SizeIs(1));
  const auto clauses = stored(Layout{{4, 8}, {4, 1}}, Within::unordered);
  ASSERT_THAT(clauses, SizeIs(2));
  EXPECT_FALSE(clauses[1].set.whole);
  EXPECT_THAT(clauses[1].set.index, ElementsAre(0, 4));
}

}  // namespace
}  // namespace bufferproof::model::lowering
