// RangeMap against a plain array, through both of its forms.
#include "simulator/range_map.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bufferproof::simulator {
namespace {

std::vector<RangeMap::Value> contents(const RangeMap& map) {
  std::vector<RangeMap::Value> out;
  map.for_each(0, map.size(), [&](std::int64_t lo, std::int64_t hi, RangeMap::Value value) {
    out.insert(out.end(), static_cast<std::size_t>(hi - lo), value);
  });
  return out;
}

TEST(RangeMap, NeighboursOfOneValueAreOnePiece) {
  RangeMap map(100);
  map.assign(10, 20, 1);
  map.assign(20, 30, 1);
  EXPECT_EQ(map.pieces(), 3U);
  map.assign(0, 10, 1);
  map.assign(30, 100, 1);
  EXPECT_EQ(map.pieces(), 1U);
  map.assign(40, 41, 0);
  map.assign(40, 41, 1);
  EXPECT_EQ(map.pieces(), 1U);
}

TEST(RangeMap, AgreesWithAnArray) {
  for (const std::int64_t size : {1, 7, 64, 5000}) {
    std::mt19937 random(static_cast<unsigned>(size));
    RangeMap map(size);
    std::vector<RangeMap::Value> plain(static_cast<std::size_t>(size), 0);
    for (int round = 0; round < 3000; ++round) {
      std::int64_t lo = static_cast<std::int64_t>(random()) % size;
      std::int64_t hi = lo + static_cast<std::int64_t>(random()) % std::min<std::int64_t>(4, size - lo + 1);
      if (round % 700 == 0) lo = 0, hi = size;
      const RangeMap::Value value = random() % 3;
      if (round % 2) {
        map.assign(lo, hi, value);
        std::fill(plain.begin() + lo, plain.begin() + hi, value);
      } else {
        map.update(lo, hi, [&](RangeMap::Value old) { return old + value; });
        std::for_each(plain.begin() + lo, plain.begin() + hi, [&](auto& old) { old += value; });
      }
      if (round % 100 != 0) continue;
      ASSERT_EQ(contents(map), plain) << "round " << round << " of size " << size;
    }
    ASSERT_EQ(contents(map), plain);
  }
}

TEST(RangeMap, ScalingRepeatsEveryAddress) {
  RangeMap map(4);
  map.assign(1, 2, 5);
  map.scale(3, 12);
  EXPECT_EQ(contents(map), (std::vector<RangeMap::Value>{0, 0, 0, 5, 5, 5, 0, 0, 0, 0, 0, 0}));
  map.scale(2, 10);  // cut off
  EXPECT_EQ(contents(map), (std::vector<RangeMap::Value>{0, 0, 0, 0, 0, 0, 5, 5, 5, 5}));
}

}  // namespace
}  // namespace bufferproof::simulator
