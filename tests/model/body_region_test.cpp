#include "model/body/region.hpp"

#include <gtest/gtest.h>

#include <set>

namespace bufferproof::model {
namespace {

SymExpr sym(const char* name) { return SymExpr::symbol(name); }

/// All elements of a region with constant bounds.
std::set<std::pair<std::int64_t, std::int64_t>> elements(const BoxParts& parts) {
  std::set<std::pair<std::int64_t, std::int64_t>> out;
  for (const BoxPart& part : parts) {
    const auto& a = part.box.axes[0];
    const auto& b = part.box.axes[1];
    for (std::int64_t i = *a.begin.constant(); i < *a.end.constant(); i += a.step)
      for (std::int64_t j = *b.begin.constant(); j < *b.end.constant(); j += b.step) out.emplace(i, j);
  }
  return out;
}

TEST(Region, ComparisonsUseThatSizesAreNotNegative) {
  EXPECT_TRUE(provably_le(0, sym("s0")));
  EXPECT_TRUE(provably_le(sym("s0"), sym("s0") * SymExpr(2)));
  EXPECT_TRUE(provably_lt(sym("s0"), sym("s0") + SymExpr(1)));
  EXPECT_FALSE(provably_le(sym("s0"), sym("s1")));
  EXPECT_FALSE(provably_lt(0, sym("s0")));
  EXPECT_TRUE(provably_lt(0, sym("s0"), SizeBounds{1}));
  EXPECT_TRUE(provably_le(min(sym("s0"), sym("s1")), sym("s1")));
  EXPECT_TRUE(provably_le(sym("s0"), max(sym("s0"), sym("s1"))));
  EXPECT_FALSE(provably_le(max(sym("s0"), sym("s1")), sym("s1")));
}

TEST(Region, SubtractionIsExactOnEveryElement) {
  for (std::int64_t step : {1, 2, 3}) {
    Box from{{{0, 7, 1}, {0, 5, 1}}};
    Box hole{{{1, 6, step}, {2, 4, 1}}};
    BoxParts rest = subtract(from, hole);
    auto left = elements(rest);
    auto cut = elements({{hole, true}});
    auto all = elements({{from, true}});
    std::size_t total = 0;
    for (const auto& element : all) {
      bool outside = cut.count(element) == 0;
      EXPECT_EQ(left.count(element) == 1, outside)
          << element.first << "," << element.second << " step " << step;
      total += outside;
    }
    EXPECT_EQ(left.size(), total);
    for (const BoxPart& part : rest) EXPECT_TRUE(part.exact);
  }
}

TEST(Region, SymbolicHoleThatCoversLeavesNothing) {
  Box from = full_box({sym("s0"), 4});
  EXPECT_TRUE(subtract(from, from).empty());
  Box most{{{0, sym("s0"), 1}, {0, 3, 1}}};
  BoxParts rest = subtract(from, most);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].box.str(), "[0:s0, 3:4]");
}

TEST(Region, ABoxSaysForWhichSizesItIsEmpty) {
  Box box{{{sym("n"), sym("s0"), 1}}};
  EXPECT_EQ(box.nonempty().evaluate({{"n", 3}, {"s0", 3}}), false);
  EXPECT_EQ(box.nonempty().evaluate({{"n", 2}, {"s0", 3}}), true);
}

TEST(Region, ManyBoxesCollapseToAnInexactWhole) {
  BoxParts parts;
  Box all = full_box({1000});
  for (std::int64_t i = 0; i < 10; ++i) add_part(parts, {{{{i * 10, i * 10 + 1, 1}}}, true}, all, {}, 4);
  ASSERT_LE(parts.size(), 4U);
  EXPECT_EQ(parts[0].box, all);
  EXPECT_FALSE(parts[0].exact);
}

}  // namespace
}  // namespace bufferproof::model
