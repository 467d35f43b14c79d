#include "model/lowering/dense_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bufferproof::model::lowering {
namespace {

using ::testing::ElementsAre;

TEST(DenseLayout, OnlyWithoutGapsAndOverlaps) {
  EXPECT_TRUE(DenseLayout::of(contiguous({2, 3})));
  EXPECT_TRUE(DenseLayout::of(Layout{{2, 1, 3}, {1, 77, 2}, 5}));
  EXPECT_FALSE(DenseLayout::of(Layout{{2, 3}, {4, 1}}));
  EXPECT_FALSE(DenseLayout::of(Layout{{2, 3}, {1, 1}}));
  EXPECT_FALSE(DenseLayout::of(Layout{{2, 3}, {0, 1}}));
  EXPECT_FALSE(DenseLayout::of(contiguous({0, 3})));
  EXPECT_FALSE(DenseLayout::of(contiguous({SymExpr::symbol("s0"), 3})));
  EXPECT_FALSE(DenseLayout::of(Layout{}));
}

TEST(DenseLayout, ElementsOfAddresses) {
  const auto channels_last = DenseLayout::of(Layout{{2, 3, 2, 2}, {12, 1, 6, 3}});
  EXPECT_THAT(channels_last->element(11), ElementsAre(0, 2, 1, 1));
  EXPECT_THAT(channels_last->element(23), ElementsAre(1, 2, 1, 1));
  EXPECT_THAT(channels_last->element(24), ElementsAre(2, 0, 0, 0));
  EXPECT_THAT(DenseLayout::of(contiguous({1, 1}))->element(7), ElementsAre(7, 0));
}

TEST(DenseLayout, RangesOfAddresses) {
  const auto rows = DenseLayout::of(contiguous({4, 5}));
  const IndexSet two = rows->between(5, 15);
  EXPECT_EQ(two.variables[0].lo, SymExpr(1));
  EXPECT_EQ(two.variables[0].hi, SymExpr(3));
  EXPECT_TRUE(two.where.is_true());
  const IndexSet ragged = rows->between(0, 13);
  EXPECT_EQ(ragged.variables[0].hi, SymExpr(4));
  const auto held = [&](std::int64_t row, std::int64_t column) {
    return ragged.where.evaluate({{ragged.variables[0].name, row}, {ragged.variables[1].name, column}});
  };
  EXPECT_EQ(held(2, 2), true);
  EXPECT_EQ(held(2, 3), false);
}

}  // namespace
}  // namespace bufferproof::model::lowering
