#include "checker/eliminate.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bufferproof::checker {
namespace {

using model::Cond;
using model::SymExpr;
using model::Valuation;

const SymExpr a = SymExpr::symbol("a");
const SymExpr i = SymExpr::symbol("i");
const SymExpr j = SymExpr::symbol("j");
const SymExpr n = SymExpr::symbol("n");

TEST(Eliminate, LastIterationOfATiledWrite) {
  const Cond hit = Cond::le(0, i) && Cond::lt(i, n) && Cond::le(i * 4, a) && Cond::lt(a, i * 4 + 6);
  const auto last = greatest("i", hit);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->exists.evaluate({{"a", 5}, {"n", 3}}), true);
  EXPECT_EQ(last->last.evaluate({{"a", 5}, {"n", 3}}), 1);
  EXPECT_EQ(last->exists.evaluate({{"a", 14}, {"n", 3}}), false);
}

TEST(Eliminate, VariableUnderDivisionIsRefused) {
  EXPECT_FALSE(greatest("i", Cond::eq(floordiv(i * n, 4), a)));
  EXPECT_FALSE(exists({"i"}, Cond::eq(i * n, a)));
}

TEST(Eliminate, UnboundedAboveHasNoLast) { EXPECT_FALSE(greatest("i", Cond::le(a, i))); }

/// Random conjunctions of two variables over parameters, against enumeration.
TEST(Eliminate, AgreesWithBruteForce) {
  std::mt19937 random(7);
  auto pick = [&](int lo, int hi) { return static_cast<std::int64_t>(random() % (hi - lo + 1)) + lo; };
  int decided = 0;
  for (int round = 0; round < 400; ++round) {
    Cond c = Cond::le(0, i) && Cond::lt(i, 4) && Cond::le(0, j) && Cond::lt(j, n);
    for (int k = 0; k < 2; ++k) {
      const SymExpr e = i * pick(-4, 4) + j * pick(-2, 2) + a * pick(-1, 1) + pick(-3, 3);
      const int form = static_cast<int>(pick(0, 3));
      c = c && (form == 0 ? Cond::eq(e, 0) : form == 1 ? Cond::ne(e, 0) : Cond::le(e, 0));
    }
    const auto eliminated = exists({"i", "j"}, c);
    if (!eliminated) continue;
    ++decided;
    for (std::int64_t av = -2; av < 6; ++av)
      for (std::int64_t nv = 0; nv < 4; ++nv) {
        bool any = false;
        for (std::int64_t iv = 0; iv < 4; ++iv)
          for (std::int64_t jv = 0; jv < 4; ++jv)
            any |= *c.evaluate({{"a", av}, {"n", nv}, {"i", iv}, {"j", jv}});
        ASSERT_EQ(eliminated->evaluate({{"a", av}, {"n", nv}}), any)
            << c.str() << " at a=" << av << " n=" << nv;
      }
  }
  EXPECT_GT(decided, 150);
}

}  // namespace
}  // namespace bufferproof::checker
