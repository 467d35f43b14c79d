#include "checker/solver.hpp"

#include <gtest/gtest.h>

namespace bufferproof::checker {
namespace {

using model::Cond;
using model::SymExpr;

const SymExpr n = SymExpr::symbol("n");

TEST(Solver, AnswersAndModels) {
  Solver solver(1'000'000);
  solver.add(Cond::le(3, n));
  EXPECT_EQ(solver.check(), Answer::sat);
  EXPECT_GE(*solver.value(n), 3);
  solver.push();
  solver.add(Cond::lt(n, 3));
  EXPECT_EQ(solver.check(), Answer::unsat);
  solver.pop();
  EXPECT_EQ(solver.check(), Answer::sat);
}

TEST(Solver, DivisionIsPythons) {
  for (std::int64_t a = -5; a <= 5; ++a)
    for (std::int64_t b : {-3, -1, 2, 3}) {
      Solver solver(1'000'000);
      solver.add(Cond::eq(n, a));
      const SymExpr m = SymExpr::symbol("m");
      solver.add(Cond::eq(m, b));
      ASSERT_EQ(solver.check(), Answer::sat);
      EXPECT_EQ(solver.value(floordiv(n, m)), floordiv(n, m).evaluate({{"n", a}, {"m", b}}));
      EXPECT_EQ(solver.value(mod(n, m)), mod(n, m).evaluate({{"n", a}, {"m", b}}));
    }
}

TEST(Solver, ResourceLimitIsUnknownNotWrong) {
  Solver solver(50);
  const SymExpr x = SymExpr::symbol("x");
  const SymExpr y = SymExpr::symbol("y");
  solver.add(Cond::eq(x * x * x + y * y * y, n * n * n) && Cond::lt(0, x) && Cond::lt(0, y));
  EXPECT_EQ(solver.check(), Answer::unknown);
}

}  // namespace
}  // namespace bufferproof::checker
