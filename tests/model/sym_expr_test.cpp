#include "model/sym_expr.hpp"

#include <gtest/gtest.h>

namespace bufferproof::model {
namespace {

const SymExpr s = SymExpr::symbol("s0");
const SymExpr t = SymExpr::symbol("s1");

TEST(SymExpr, EqualPolynomialsHaveOneForm) {
  EXPECT_EQ((s + 1) * (s - 1), s * s - 1);
  EXPECT_EQ(s * 3 - s * 3, SymExpr(0));
  EXPECT_EQ((s + t) * 2, t * 2 + s * 2);
  EXPECT_NE(s, t);
}

TEST(SymExpr, DivisionByAConstantDistributes) {
  EXPECT_EQ(floordiv(s * 8 + 3, 4), s * 2);
  EXPECT_EQ(mod(s * 8 + 3, 4), SymExpr(3));
  EXPECT_EQ(floordiv(s + 4, 4), floordiv(s, 4) + 1);
  EXPECT_EQ(floordiv(SymExpr(-7), 2), SymExpr(-4));
}

TEST(SymExpr, EvaluatesLikePython) {
  const SymExpr e = floordiv(s - 5, 3) * 2 + mod(s - 5, 3) + max(s, t);
  EXPECT_EQ(e.evaluate({{"s0", 1}, {"s1", 2}}), -2 * 2 + 2 + 2);
  EXPECT_EQ(e.evaluate({{"s0", 1}}), std::nullopt);
  EXPECT_EQ(floordiv(s, t).evaluate({{"s0", 1}, {"s1", 0}}), std::nullopt);
}

TEST(SymExpr, OverflowIsNeverSilent) {
  EXPECT_THROW(SymExpr(INT64_MAX) + 1, OverflowError);
  EXPECT_THROW(SymExpr(INT64_MAX) * 2, OverflowError);
  EXPECT_THROW(power(s, 100), OverflowError);
  EXPECT_THROW(floordiv(s, 0), OverflowError);
  EXPECT_EQ((s * s).evaluate({{"s0", INT64_MAX}}), std::nullopt);
}

TEST(SymExpr, SubstitutesUnderAtoms) {
  EXPECT_EQ(floordiv(s + t, 2).substitute({{"s0", SymExpr(3)}, {"s1", SymExpr(2)}}), SymExpr(2));
}

TEST(SymExpr, PrintsAsPython) {
  EXPECT_EQ((s * 8 + 1).str(), "8*s0 + 1");
  EXPECT_EQ((s * s * t - 2).str(), "s0*s0*s1 - 2");
  EXPECT_EQ(SymExpr(INT64_MIN).str(), "-9223372036854775808");
}

TEST(SymExpr, LinearPart) {
  EXPECT_EQ((s * 2 + t + 1).linear(), (std::map<std::string, std::int64_t>{{"s0", 2}, {"s1", 1}}));
  EXPECT_EQ((s * t).linear(), std::nullopt);
}

TEST(Cond, NegationAgreesWithEvaluationEverywhere) {
  const Cond c = (Cond::lt(s, 3) && Cond::ne(s, 1)) || Cond::eq(t, s);
  for (std::int64_t a = -1; a < 5; ++a)
    for (std::int64_t b = -1; b < 5; ++b)
      EXPECT_NE(c.evaluate({{"s0", a}, {"s1", b}}), (!c).evaluate({{"s0", a}, {"s1", b}}));
}

TEST(Cond, FoldsConstants) {
  EXPECT_TRUE((Cond::lt(1, 2) && Cond::le(s, s)).is_true());
  EXPECT_TRUE((Cond::lt(2, 1) && Cond::eq(s, 0)).is_false());
}

}  // namespace
}  // namespace bufferproof::model
