// `a if c else b` as an expression gives what Python gives, wherever it is expressed.
#include <gtest/gtest.h>

#include "model/read/wrapper/choice.hpp"

namespace bufferproof::model::wrapper {
namespace {

const SymExpr u = SymExpr::symbol("u0");
const SymExpr s = SymExpr::symbol("s0");
std::pair<std::int64_t, std::optional<std::int64_t>> any(const std::string& name) {
  return {name == "t" ? 0 : INT64_MIN, name == "t" ? std::optional<std::int64_t>(1) : std::nullopt};
}

void expect_exact(const Cond& test, const SymExpr& yes, const SymExpr& no) {
  const auto chosen = choose(test, yes, no, any);
  ASSERT_TRUE(chosen) << test.str();
  for (std::int64_t a = -40; a <= 40; ++a)
    for (std::int64_t b = 0; b <= 20; b += 5) {
      const Valuation at{{"u0", a}, {"s0", b}};
      EXPECT_EQ(chosen->evaluate(at), (*test.evaluate(at) ? yes : no).evaluate(at))
          << test.str() << " at " << a << ", " << b;
    }
}

TEST(Choice, DynamicSlicesAndSelects) {
  const auto clamped = [](const SymExpr& e) { return max(0, min(16, e)); };
  expect_exact(Cond::le(0, u), clamped(u), clamped(u + 16));
  expect_exact(Cond::lt(u, 0), clamped(u + 16), clamped(u));
  expect_exact(Cond::le(0, u), u, u + 16);
  expect_exact(Cond::lt(3, u), u * 2, SymExpr(5) - u);
  expect_exact(Cond::le(u, 7), floordiv(u, 2), 1);
}

TEST(Choice, NumbersAndTheLesserOrGreaterSide) {
  expect_exact(Cond::lt(u, 4), 1, 4);
  expect_exact(Cond::lt(u, s), u, s);
  expect_exact(Cond::le(s, u), u, s);
  expect_exact(Cond::le(u, s), s, u);
}

TEST(Choice, ByATruth) {
  const SymExpr t = SymExpr::symbol("t");
  for (const Cond& test : {Cond::eq(t, 1), Cond::ne(t, 0), !Cond::eq(t, 0)}) {
    const auto chosen = choose(test, 3, 8, any);
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->evaluate({{"t", 1}}), 3);
    EXPECT_EQ(chosen->evaluate({{"t", 0}}), 8);
  }
  EXPECT_FALSE(choose(Cond::ne(u, 0), 3, 8, any));
}

TEST(Choice, OthersAreNotExpressed) {
  EXPECT_FALSE(choose(Cond::le(0, u), s, u, any));
  EXPECT_FALSE(choose(Cond::le(0, u) && Cond::le(u, 4), 1, 2, any));
  EXPECT_FALSE(choose(Cond::le(0, u * 2), 1, 2, any));
}

}  // namespace
}  // namespace bufferproof::model::wrapper
