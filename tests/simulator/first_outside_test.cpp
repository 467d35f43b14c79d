#include "simulator/first_outside.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace bufferproof::simulator {
namespace {

using ::testing::ElementsAre;
using Point = std::vector<std::int64_t>;

std::optional<Point> by_looking(const std::vector<Bounded>& forms, const Point& counts) {
  Point point(counts.size(), 0);
  for (;;) {
    for (const Bounded& b : forms)
      if (const std::int64_t at = b.form.at(point); at < b.lo || at > b.hi) return point;
    std::size_t v = counts.size();
    while (v > 0 && ++point[v - 1] == counts[v - 1]) point[--v] = 0;
    if (v == 0) return std::nullopt;
  }
}

TEST(FirstOutside, C5OfABoxOfMillions) {
  const Bounded address{{0, {524288, 512, 1}}, 0, 4193824 - 1};
  const auto found = first_outside({address}, {8, 1024, 512});
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(*found, ElementsAre(7, 1023, 32));
  EXPECT_FALSE(first_outside({{address.form, 0, 4194303}}, {8, 1024, 512}).has_value());
}

TEST(FirstOutside, C5AtTheEndsOfTheRange) {
  EXPECT_EQ(first_outside({{{INT64_MIN + 1, {1}}, 0, INT64_MAX}}, {4}), Point{0});
  EXPECT_EQ(first_outside({{{INT64_MAX - 5, {1}}, 0, INT64_MAX - 3}}, {4}), Point{3});
}

TEST(FirstOutside, C5AsWhenEachPointIsLookedAt) {
  std::mt19937_64 random(5);
  const auto number = [&](std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1));
  };
  int outside = 0;
  for (int round = 0; round < 2000; ++round) {
    Point counts(static_cast<std::size_t>(number(0, 3)));
    for (std::int64_t& count : counts) count = number(1, 5);
    std::vector<Bounded> forms(static_cast<std::size_t>(number(1, 3)));
    for (Bounded& b : forms) {
      b.form.constant = number(-3, 6);
      for (std::size_t v = 0; v < counts.size(); ++v) b.form.coefficients.push_back(number(-4, 6));
      b.lo = number(-8, 0);
      b.hi = number(2, 25);
    }
    const auto expected = by_looking(forms, counts);
    outside += expected ? 1 : 0;
    EXPECT_EQ(first_outside(forms, counts), expected) << "round " << round;
  }
  EXPECT_GT(outside, 500);
  EXPECT_LT(outside, 1900);
}

}  // namespace
}  // namespace bufferproof::simulator
