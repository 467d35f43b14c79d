// Elements and the bytes they lie in.
#include "simulator/why/place.hpp"

#include <gtest/gtest.h>

namespace bufferproof::simulator {
namespace {

model::Box box(std::vector<std::pair<std::int64_t, std::int64_t>> axes) {
  model::Box out;
  for (const auto& [begin, end] : axes) out.axes.push_back({begin, end, 1});
  return out;
}

TEST(Place, AddressesAndBack) {
  const Place place{{3, 4}, {64, 8}, 16, 4};  // padded rows, gaps between elements
  EXPECT_EQ(place.address({2, 3}), 16 + 128 + 24);
  EXPECT_EQ(place.at(16 + 64 + 8 + 3), (Index{1, 1}));
  EXPECT_EQ(place.at(16 + 64 + 8 + 4), std::nullopt) << "a gap";
  EXPECT_EQ(place.at(12), std::nullopt) << "before the first element";
}

TEST(Place, RunsOfBoxes) {
  const Place place = dense_place({4, 8}, 4);
  bool exact = true;
  EXPECT_EQ(runs_of(place, box({{1, 3}, {0, 8}}), exact), (Runs{{32, 96}}));
  EXPECT_EQ(runs_of(place, box({{1, 3}, {2, 4}}), exact), (Runs{{40, 48}, {72, 80}}));
  EXPECT_TRUE(exact);
}

TEST(Place, ElementsOfRuns) {
  const Place place = dense_place({4, 8}, 4);
  bool exact = true;
  for (const auto& [lo, hi] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 128}, {4, 100}, {36, 40}}) {
    Runs back;
    std::int64_t bytes = 0;
    for (const model::BoxPart& part : elements_in(place, {{lo, hi}})) {
      EXPECT_TRUE(part.exact);
      for (const ByteRun& run : runs_of(place, part.box, exact)) {
        bytes += run.hi - run.lo;
        EXPECT_TRUE(includes({{lo, hi}}, {run}));
      }
    }
    EXPECT_EQ(bytes, hi - lo);
  }
  const Place slice{{4, 2}, {32, 4}, 8, 4};
  const auto parts = elements_in(slice, {{0, 128}});
  EXPECT_EQ(parts.size(), 8U) << "element by element";
}

TEST(Place, SetsOfRuns) {
  const Runs a{{0, 10}, {20, 30}};
  const Runs b{{5, 25}};
  EXPECT_EQ(intersection(a, b), (Runs{{5, 10}, {20, 25}}));
  EXPECT_EQ(difference(a, b), (Runs{{0, 5}, {25, 30}}));
  EXPECT_EQ(difference(b, a), (Runs{{10, 20}}));
  EXPECT_TRUE(includes(a, {{2, 3}, {20, 30}}));
  EXPECT_FALSE(includes(a, b));
}

TEST(Place, SlicesOfOneBuffer) {
  const Place whole = dense_place({2, 4, 3}, 4);
  const Place upper{{2, 2, 3}, whole.strides, 2 * 12, 4};
  EXPECT_EQ(*translated(whole, box({{0, 2}, {1, 4}, {1, 2}}), upper), box({{0, 2}, {0, 2}, {1, 2}}));
  EXPECT_EQ(*translated(upper, box({{1, 2}, {0, 1}, {0, 3}}), whole), box({{1, 2}, {2, 3}, {0, 3}}));
  const Place matrix = dense_place({2, 12}, 4);
  EXPECT_EQ(translated(whole, box({{0, 1}, {0, 1}, {0, 1}}), matrix), std::nullopt);
  EXPECT_EQ(*translated(dense_place({2, 3, 1}, 4), box({{0, 2}, {1, 2}, {0, 1}}), dense_place({2, 3}, 4)),
            box({{0, 2}, {1, 2}}));
}

}  // namespace
}  // namespace bufferproof::simulator
