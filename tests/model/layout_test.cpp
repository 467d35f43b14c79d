#include "model/layout.hpp"

#include <gtest/gtest.h>

namespace bufferproof::model {
namespace {

const SymExpr s = SymExpr::symbol("s0");

TEST(Layout, ContiguousIsRowMajor) {
  const Layout l = contiguous({s, 3, 5});
  EXPECT_EQ(l.strides, (std::vector<SymExpr>{15, 5, 1}));
  EXPECT_TRUE(l.is_contiguous());
  EXPECT_EQ(l.address({2, 1, 4}), SymExpr(39));
  EXPECT_EQ(l.extent(), s * 15);
}

TEST(Layout, AnEmptyWindowTouchesNothingWhateverItsStrides) {
  EXPECT_EQ((Layout{{16, 0, 4}, {128, 8, 1}, 0}.extent()), SymExpr(0));
  EXPECT_EQ((Layout{{0}, {1}, 5}.extent()), SymExpr(5));
}

TEST(Layout, StrideOfASizeOneAxisDoesNotMatter) {
  EXPECT_TRUE((Layout{{1, 16, 1, 1}, {16, 1, 16, 16}, 0}).is_contiguous());
  EXPECT_TRUE(same_placement(Layout{{1, 4}, {99, 1}, 0}, Layout{{1, 4}, {4, 1}, 0}));
}

TEST(Layout, PermutedIsNotContiguous) {
  EXPECT_FALSE((Layout{{3, 4}, {1, 3}, 0}).is_contiguous());
  EXPECT_FALSE(same_placement(Layout{{3, 4}, {1, 3}, 0}, Layout{{3, 4}, {4, 1}, 0}));
}

}  // namespace
}  // namespace bufferproof::model
