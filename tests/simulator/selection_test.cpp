// Index sets as addresses: the box, the list and the plain definition agree.
#include "simulator/selection.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "simulator/evaluate.hpp"

namespace bufferproof::simulator {
namespace {

using model::BoundVariable;
using model::Cond;
using model::IndexSet;
using model::SymExpr;

Handle handle(std::int64_t size, Shape shape, std::int64_t offset = 0) {
  Handle h;
  h.storage = std::make_shared<Storage>(size, 1);
  h.shape = std::move(shape);
  h.offset = offset;
  return h;
}

std::multiset<std::int64_t> walked(const Selection& s) {
  std::multiset<std::int64_t> out;
  for_each_run(s, [&](std::int64_t lo, std::int64_t hi) {
    for (std::int64_t a = lo; a < hi; ++a) out.insert(a);
  });
  return out;
}

IndexSet two_variables(std::int64_t n, std::int64_t m, SymExpr first, SymExpr second, Cond where = true) {
  return {false, {{"i", 0, n}, {"j", 0, m}}, {std::move(first), std::move(second)}, std::move(where)};
}

const SymExpr i = SymExpr::symbol("i");
const SymExpr j = SymExpr::symbol("j");

TEST(Selection, ADensePermutedHandleIsOneRun) {
  IndexSet set;
  set.whole = true;
  const Selection s = select(handle(24, {{2, 3, 4}, {12, 1, 3}}), set, {}, {});
  EXPECT_EQ(s.walk_length(), 1);
  EXPECT_EQ(walked(s).size(), 24U);
  EXPECT_EQ(s.index_of(s.ordinal_of(17)), (std::vector<std::int64_t>{1, 2, 1}));
}

TEST(Selection, PaddedRowsAreOneRunEach) {
  IndexSet set;
  set.whole = true;
  EXPECT_EQ(select(handle(1000, {{10, 7}, {100, 1}}), set, {}, {}).walk_length(), 10);
  EXPECT_EQ(select(handle(1000, {{10, 7}, {100, 1}}), set, {}, {}).count, 70);
}

TEST(Selection, ExpandedAxesAreWalkedOnce) {
  IndexSet set;
  set.whole = true;
  EXPECT_EQ(walked(select(handle(4, {{1000000, 4}, {0, 1}}), set, {}, {})).size(), 4U);
}

/// Box and enumeration give the same addresses, ordinals and bounds: a condition that is always true, but not
/// by its form, forces the enumeration.
TEST(Selection, BoxAndListAgree) {
  std::mt19937 random(7);
  auto pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  for (int round = 0; round < 2000; ++round) {
    const Handle h = handle(pick(1, 30), {{pick(1, 4), pick(1, 4)}, {pick(-2, 6), pick(0, 3)}}, pick(0, 6));
    const SymExpr first = i * pick(-1, 2) + j * pick(0, 1) + pick(-1, 2);
    const SymExpr second = j * pick(-1, 2) + pick(0, 2);
    const std::int64_t n = pick(0, 3);
    const std::int64_t m = pick(0, 3);
    const Selection box = select(h, two_variables(n, m, first, second), {}, {});
    const Selection list = select(h, two_variables(n, m, first, second, Cond::le(i * j, 100)), {}, {});
    ASSERT_EQ(box.count, list.count);
    ASSERT_EQ(box.any_outside, list.any_outside);
    ASSERT_EQ(box.first_outside, list.first_outside);
    ASSERT_EQ(addresses(box, {}), addresses(list, {}));
    for (std::int64_t ordinal = 0; ordinal < box.count; ++ordinal)
      ASSERT_EQ(box.index_of(ordinal), list.index_of(ordinal));
    const auto a = walked(box);
    const auto b = walked(list);
    ASSERT_EQ(std::set<std::int64_t>(a.begin(), a.end()), std::set<std::int64_t>(b.begin(), b.end()));
  }
}

TEST(Selection, PairsFollowTheOrderOfTheSets) {
  std::mt19937 random(11);
  auto pick = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  IndexSet set;
  set.whole = true;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<std::int64_t> sizes{pick(1, 3), pick(1, 3), pick(1, 3)};
    auto shape = [&] { return Shape{sizes, {pick(0, 9), pick(-3, 5), pick(0, 3)}}; };
    const Selection a = select(handle(100, shape(), 20), set, {}, {});
    const Selection b = select(handle(100, shape(), 20), set, {}, {});
    std::set<std::pair<std::int64_t, std::int64_t>> expected;
    const auto left = addresses(a, {});
    const auto right = addresses(b, {});
    for (std::size_t k = 0; k < left.size(); ++k) expected.emplace(left[k], right[k]);
    std::set<std::pair<std::int64_t, std::int64_t>> found;
    for_each_pair(a, b, {}, [&](std::int64_t x, std::int64_t y, std::int64_t n) {
      for (std::int64_t k = 0; k < n; ++k) found.emplace(x + k, y + k);
    });
    ASSERT_EQ(found, expected);
  }
}

/// Elements of storages of which each lacks some (C5), paired as their addresses one by one are.
TEST(Selection, PairsOfClippedSets) {
  IndexSet set;
  set.whole = true;
  const std::vector<std::pair<Handle, Handle>> pairs = {
      {handle(20, {{4, 6}, {6, 1}}), handle(24, {{4, 6}, {6, 1}})},
      {handle(20, {{4, 6}, {1, 4}}), handle(22, {{4, 6}, {6, 1}})},
      {handle(18, {{24}, {1}}, -3), handle(24, {{2, 12}, {12, 1}})},
      {handle(60, {{4, 3, 2}, {16, 4, 1}}), handle(19, {{4, 3, 2}, {2, 8, 1}})},
      {handle(9, {{4, 6}, {0, 2}}), handle(30, {{4, 6}, {7, 1}})}};
  for (const auto& [x, y] : pairs) {
    const Selection a = select(x, set, {}, {});
    const Selection b = select(y, set, {}, {});
    const auto all_a = addresses(a, {});
    const auto all_b = addresses(b, {});
    std::set<std::pair<std::int64_t, std::int64_t>> expected, found;
    for (std::size_t n = 0; n < all_a.size(); ++n)
      if (all_a[n] >= 0 && all_b[n] >= 0) expected.emplace(all_a[n], all_b[n]);
    for_each_pair(a, b, {}, [&](std::int64_t at_a, std::int64_t at_b, std::int64_t n) {
      for (std::int64_t k = 0; k < n; ++k) found.emplace(at_a + k, at_b + k);
    });
    EXPECT_EQ(found, expected);
    EXPECT_LT(expected.size(), 24U);
  }
}

TEST(Selection, MillionsBeyondTheStorageAreOneRun) {
  IndexSet set;
  set.whole = true;
  const Selection s = select(handle(1'000'000'000, {{1 << 20, 1024}, {1024, 1}}), set, {}, {});
  EXPECT_EQ(s.walk_length(), 1);
  EXPECT_EQ(s.runs[0].count, 1'000'000'000);
  EXPECT_EQ(s.first_outside, (std::vector<std::int64_t>{976562, 512}));
}

TEST(Selection, RangesMayDependOnEarlierVariables) {
  IndexSet set{false, {{"i", 0, 3}, {"j", i, 3}}, {i, j}, true};
  EXPECT_EQ(select(handle(9, {{3, 3}, {3, 1}}), set, {}, {}).count, 6);
}

TEST(Selection, SymbolsTakeTheirValues) {
  IndexSet set{false, {{"i", 0, SymExpr::symbol("n")}}, {i * SymExpr::symbol("k")}, true};
  const Selection s = select(handle(20, {{20}, {1}}), set, {{"n", 3}, {"k", 5}}, {});
  EXPECT_EQ(walked(s), (std::multiset<std::int64_t>{0, 5, 10}));
  EXPECT_THROW(select(handle(20, {{20}, {1}}), set, {{"n", 3}}, {}), model::InputError);
}

TEST(Selection, HostileSetsAreRefused) {
  IndexSet rank{false, {}, {0, 0}, true};
  EXPECT_THROW(select(handle(4, {{4}, {1}}), rank, {}, {}), model::InputError);
  IndexSet huge{false, {{"i", 0, std::int64_t{1} << 40}}, {i}, Cond::le(i * i, 3)};
  EXPECT_THROW(select(handle(4, {{4}, {1}}), huge, {}, {}), model::InputError);
  IndexSet overflow{false, {{"i", 0, std::int64_t{1} << 62}}, {i * 8}, true};
  EXPECT_THROW(select(handle(4, {{4}, {1}}), overflow, {}, {}), model::InputError);
  IndexSet negative{false, {{"i", INT64_MIN, INT64_MAX}}, {i}, true};
  EXPECT_THROW(select(handle(4, {{4}, {1}}), negative, {}, {}), model::InputError);
}

}  // namespace
}  // namespace bufferproof::simulator
