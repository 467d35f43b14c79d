// Interval arithmetic over symbol ranges, and the two second looks: rounded sizes and polynomials.
#include "checker/ranges.hpp"

#include <gtest/gtest.h>

#include "checker/cover.hpp"

namespace bufferproof::checker {
namespace {

using model::Layout;
using model::SymExpr;

const SymExpr s = SymExpr::symbol("s");
const SymExpr n = SymExpr::symbol("n");

Ranges at_least_two() {
  Ranges ranges;
  ranges.set("s", {2, std::nullopt});
  ranges.set("n", {0, 7});
  return ranges;
}

TEST(Ranges, Intervals) {
  const Ranges ranges = at_least_two();
  EXPECT_TRUE(ranges.surely_le(4, s * s));
  EXPECT_FALSE(ranges.surely_lt(4, s * s));
  EXPECT_TRUE(ranges.surely_lt(n, 8));
  EXPECT_FALSE(ranges.surely_le(n, 6));
}

TEST(Ranges, PolynomialsBeyondTheLeastValue) {
  const Ranges ranges = at_least_two();
  EXPECT_TRUE(ranges.surely_le(s * 2, s * s));
  EXPECT_FALSE(ranges.surely_lt(s * 2, s * s));  // equal at 2
  EXPECT_TRUE(ranges.surely_le(s + n, s * s + n - 2));
  EXPECT_FALSE(ranges.surely_le(s * n, s * s));
}

TEST(Ranges, RoundedSizes) {
  const Ranges ranges = at_least_two();
  const SymExpr bytes = s * s * 4;
  const SymExpr rounded = floordiv(bytes + 63, 64) * 64;
  EXPECT_TRUE(ranges.surely_le(bytes, rounded));
  EXPECT_TRUE(ranges.surely_le(rounded, bytes + 63));
  EXPECT_FALSE(ranges.surely_lt(rounded, bytes + 63));
  EXPECT_FALSE(ranges.surely_le(bytes, floordiv(bytes, 64) * 64));
  EXPECT_TRUE(ranges.surely_le(floordiv(s, 2) + floordiv(s, 3), s));
}

/// What is said to hold does hold, for every value near the ends.
TEST(Ranges, NothingIsClaimedThatFails) {
  const Ranges ranges = at_least_two();
  const std::vector<SymExpr> parts{s,         n, s * n, s * s, floordiv(s + 1, 2), floordiv(s * s + n, 4) * 3,
                                   SymExpr(5)};
  for (const SymExpr& a : parts)
    for (const SymExpr& b : parts)
      for (std::int64_t k = -3; k <= 3; ++k) {
        const SymExpr left = a * SymExpr(k) + b;
        const SymExpr right = b * SymExpr(2) + SymExpr(k);
        if (!ranges.surely_le(left, right)) continue;
        for (std::int64_t x = 2; x < 12; ++x)
          for (std::int64_t y = 0; y <= 7; ++y)
            EXPECT_LE(*left.evaluate({{"s", x}, {"n", y}}), *right.evaluate({{"s", x}, {"n", y}}))
                << left.str() << " <= " << right.str() << " at " << x << ", " << y;
      }
}

TEST(Cover, SlicesOfAPoolThatDoNotMeet) {
  const Ranges ranges = at_least_two();
  Access first;
  first.storage = 0;
  first.whole = true;
  first.layout = Layout{{s, s, 4}, {s * 4, 4, 1}, 0};
  Access second = first;
  second.layout->offset = floordiv(s * s * 4 + 63, 64) * 64;
  EXPECT_TRUE(surely_disjoint(first, second, ranges));
  second.layout->offset = s * s * 4 - 4;
  EXPECT_FALSE(surely_disjoint(first, second, ranges));
  EXPECT_FALSE(surely_covers(first, second, ranges));
  second.layout->offset = 0;
  EXPECT_TRUE(surely_covers(first, second, ranges));
}

}  // namespace
}  // namespace bufferproof::checker
