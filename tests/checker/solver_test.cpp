#include "checker/solver.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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

TEST(Solver, WhoIsAskedToStopDoesNotKnow) {
  std::stop_source stop;
  Solver solver(1'000'000, stop.get_token());
  solver.add(Cond::lt(0, n));
  EXPECT_EQ(solver.check(), Answer::sat);
  stop.request_stop();
  EXPECT_EQ(solver.check(), Answer::unknown);
}

/// A query that would run for minutes ends when another thread asks for it.
TEST(Solver, ARunningQueryIsInterrupted) {
  std::stop_source stop;
  Solver solver(4'000'000'000U, stop.get_token());
  const SymExpr x = SymExpr::symbol("x");
  const SymExpr y = SymExpr::symbol("y");
  solver.add(Cond::eq(x * x * x + y * y * y, n * n * n) && Cond::lt(0, x) && Cond::lt(0, y));
  std::thread asks([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_EQ(solver.check(), Answer::unknown);
  asks.join();
}

}  // namespace
}  // namespace bufferproof::checker
