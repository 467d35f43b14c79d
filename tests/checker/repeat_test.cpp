// Loops of unknown count that carry state: proved or refuted for every count (C2, C3).
#include "checker/repeat.hpp"

#include <gtest/gtest.h>

#include "checker/mentions.hpp"

namespace bufferproof::checker {
namespace {

using namespace model;

/// y = x; repeat n times { t = alloc; body reads y, writes t; [y = t] }; return y
class LoopProgram {
 public:
  LoopProgram() {
    program.dialect = Dialect::wrapper;
    program.symbols.push_back({"n", 0, std::nullopt, 3, {}});
    add(program.body, Alloc{"x", DType::f32, contiguous({4}), Init::input});
  }
  static void add(Block& block, decltype(Step::node) node) {
    Step step;
    step.where.line = static_cast<int>(block.size()) + 1;
    step.node = std::move(node);
    block.push_back(std::move(step));
  }
  static IndexSet whole() {
    IndexSet set;
    set.whole = true;
    return set;
  }
  static Launch kernel(const std::string& name, const std::vector<std::string>& reads,
                       const std::string& output, std::int64_t missing = 0) {
    Launch launch{.kernel = name, .stream = "s0"};
    launch.outputs = {output};
    launch.variants.emplace_back();
    for (const std::string& read : reads)
      launch.variants[0].clauses.push_back(
          {Clause::Kind::read, read, whole(), From{From::Kind::intended, {}}, false, std::nullopt});
    Clause write{Clause::Kind::write, output, whole(), {}, false, std::nullopt};
    if (missing > 0) {
      write.set.whole = false;
      write.set.variables = {{"i", 0, SymExpr(4 - missing)}};
      write.set.index = {SymExpr::symbol("i")};
    }
    launch.variants[0].clauses.push_back(write);
    return launch;
  }
  void loop(Block body) { add(program.body, Loop{"k", SymExpr::symbol("n"), std::move(body)}); }
  void returns(const std::string& name) {
    Return result{.after_everything = false, .stream = "s0"};
    result.items = {{name, whole(), From{From::Kind::intended, {}}}};
    add(program.body, result);
  }
  Result judged() {
    number_steps(program);
    return check(program);
  }

  Program program;
};

constexpr auto kRename = Bind::Kind::rename;

TEST(Repeat, C2WhatAnIterationCarriesIsProved) {
  LoopProgram p;
  LoopProgram::add(p.program.body, Bind{Bind::Kind::alias, "y", "x"});
  Block body;
  LoopProgram::add(body, Alloc{"t", DType::f32, contiguous({4})});
  LoopProgram::add(body, LoopProgram::kernel("step", {"y"}, "t"));
  LoopProgram::add(body, Bind{kRename, "y", "t"});
  p.loop(body);
  p.returns("y");
  EXPECT_EQ(p.judged().verdict, Verdict::proved);
}

TEST(Repeat, C2TwoBuffersThatChangePlacesComeBackEverySecondTime) {
  LoopProgram p;
  LoopProgram::add(p.program.body, Alloc{"a", DType::f32, contiguous({4})});
  LoopProgram::add(p.program.body, LoopProgram::kernel("first", {"x"}, "a"));
  LoopProgram::add(p.program.body, Alloc{"b", DType::f32, contiguous({4})});
  Block body;
  LoopProgram::add(body, LoopProgram::kernel("step", {"a"}, "b"));
  LoopProgram::add(body, Bind{kRename, "t", "a"});
  LoopProgram::add(body, Bind{kRename, "a", "b"});
  LoopProgram::add(body, Bind{kRename, "b", "t"});
  p.loop(body);
  p.returns("a");
  EXPECT_EQ(p.judged().verdict, Verdict::proved);
}

TEST(Repeat, C2WhatTheSecondIterationReadsUnwrittenIsRefutedWithTwo) {
  LoopProgram p;
  LoopProgram::add(p.program.body, Bind{Bind::Kind::alias, "y", "x"});
  Block body;
  LoopProgram::add(body, Alloc{"t", DType::f32, contiguous({4})});
  LoopProgram::add(body, LoopProgram::kernel("step", {"y"}, "t", 1));
  LoopProgram::add(body, Bind{kRename, "y", "t"});
  p.loop(body);
  p.returns("x");
  const Result result = p.judged();
  ASSERT_EQ(result.verdict, Verdict::refuted);
  EXPECT_EQ(result.refutations[0].finding.kind, FindingClass::unwritten);
  EXPECT_EQ(result.refutations[0].plan.calls.at(0).at("n"), 2);
}

/// The old contents are overwritten in place before everybody has read them.
TEST(Repeat, C3AnEarlierIterationsValueIsNotThisOnes) {
  LoopProgram p;
  LoopProgram::add(p.program.body, Alloc{"a", DType::f32, contiguous({4})});
  LoopProgram::add(p.program.body, LoopProgram::kernel("first", {"x"}, "a"));
  LoopProgram::add(p.program.body, View{.name = "kept", .base = "a"});
  Block body;
  LoopProgram::add(body, LoopProgram::kernel("look", {"kept"}, "x"));
  LoopProgram::add(body, Bind{kRename, "b", "a"});
  LoopProgram::add(body, LoopProgram::kernel("step", {"x"}, "b"));
  LoopProgram::add(body, Bind{kRename, "a", "b"});
  p.loop(body);
  p.returns("a");
  const Result result = p.judged();
  ASSERT_EQ(result.verdict, Verdict::refuted);
  EXPECT_EQ(result.refutations[0].finding.kind, FindingClass::stale);
  EXPECT_EQ(result.refutations[0].plan.calls.at(0).at("n"), 2);
}

/// A branch inside may go another way each time: proved for all of them.
TEST(Repeat, AConditionMadeInside) {
  for (const bool both : {true, false}) {
    LoopProgram p;
    p.program.symbols.push_back({"c", 0, 1, 0, {}});
    LoopProgram::add(p.program.body, Bind{Bind::Kind::alias, "y", "x"});
    Block yes;
    Block no;
    LoopProgram::add(yes, LoopProgram::kernel("then", {"y"}, "t"));
    if (both) LoopProgram::add(no, LoopProgram::kernel("else", {"y"}, "t"));
    Block body;
    LoopProgram::add(body, Alloc{"t", DType::f32, contiguous({4})});
    LoopProgram::add(body, Branch{Cond::eq(SymExpr::symbol("c"), 1), yes, no});
    LoopProgram::add(body, Bind{kRename, "y", "t"});
    p.loop(body);
    p.returns("y");
    EXPECT_EQ(p.judged().verdict, both ? Verdict::proved : Verdict::refuted);
  }
}

/// What conditions of many iterations leave behind piles up: not decided, and not claimed.
TEST(Repeat, WhatPilesUpIsNotDecided) {
  LoopProgram p;
  p.program.symbols.push_back({"c", 0, 1, 0, {}});
  LoopProgram::add(p.program.body, Alloc{"a", DType::f32, contiguous({4}), Init::zero});
  Block yes;
  LoopProgram::add(yes, LoopProgram::kernel("fill", {"x"}, "a"));
  Block body;
  LoopProgram::add(body, Branch{Cond::eq(SymExpr::symbol("c"), 1), yes, {}});
  p.loop(body);
  p.returns("a");
  EXPECT_EQ(p.judged().verdict, Verdict::budget);
}

/// y is written inside the loop alone: right where the loop runs at all.
TEST(Repeat, C2BoundsOfACountThatIsNotKnown) {
  const auto verdict = [](std::int64_t least, const Cond& assume) {
    LoopProgram p;
    p.program.symbols[0].lo = least;
    LoopProgram::add(p.program.body, Alloc{"y", DType::f32, contiguous({4}), Init::uninit});
    p.loop({Step{0, {}, LoopProgram::kernel("fill", {"x"}, "y")}});
    p.returns("y");
    number_steps(p.program);
    Options options;
    options.assume = assume;
    return check(p.program, options).verdict;
  };
  const SymExpr n = SymExpr::symbol("n");
  EXPECT_EQ(verdict(0, true), Verdict::refuted);
  EXPECT_EQ(verdict(1, true), Verdict::proved);
  EXPECT_EQ(verdict(0, Cond::le(1, n)), Verdict::proved);
  EXPECT_EQ(verdict(0, Cond::le(3, n)), Verdict::proved);
  EXPECT_EQ(verdict(0, Cond::le(3, n) && Cond::le(n, 1'000'000'000)), Verdict::proved);
  EXPECT_EQ(verdict(0, Cond::le(n, 1'000'000'000)), Verdict::refuted);
  EXPECT_EQ(verdict(0, Cond::le(n, 0)), Verdict::refuted);
}

/// A buffer is right after the second iteration only, and a kernel of the loop reads it before.
TEST(Repeat, C2ACountOfAtLeastTwoStillRunsTheFirstIteration) {
  LoopProgram p;
  p.program.symbols[0].lo = 2;
  LoopProgram::add(p.program.body, Alloc{"y", DType::f32, contiguous({4}), Init::uninit});
  Block body{Step{0, {}, LoopProgram::kernel("look", {"y"}, "x")},
             Step{0, {}, LoopProgram::kernel("fill", {"x"}, "y")}};
  p.loop(body);
  p.returns("y");
  EXPECT_EQ(p.judged().verdict, Verdict::refuted);
}

/// Assumptions that tie a count to another symbol keep the loop from being taken as one: what comes after it
/// is judged where it runs a few times, and not as though it were not there.
TEST(Repeat, C2AfterALoopThatIsNotDecided) {
  const auto verdict = [](std::int64_t missing) {
    LoopProgram p;
    p.program.symbols.push_back({"m", 1, std::nullopt, 3, {}});
    LoopProgram::add(p.program.body, Alloc{"y", DType::f32, contiguous({4}), Init::uninit});
    p.loop({Step{0, {}, LoopProgram::kernel("fill", {"x"}, "y", missing)}});
    p.returns("y");
    number_steps(p.program);
    Options options;
    options.assume = Cond::le(SymExpr::symbol("m"), SymExpr::symbol("n"));
    return check(p.program, options).verdict;
  };
  EXPECT_EQ(verdict(0), Verdict::budget);
  EXPECT_EQ(verdict(1), Verdict::refuted);
}

/// A loop whose text uses its own count, or how often it has run, is left to unrolling.
TEST(Repeat, IterationsThatDifferAreNotTakenAsOne) {
  LoopProgram p;
  Block body;
  LoopProgram::add(body, Alloc{"t", DType::f32, contiguous({SymExpr::symbol("k") + 1})});
  LoopProgram::add(body, LoopProgram::kernel("step", {"x"}, "t"));
  p.loop(body);
  p.returns("x");
  number_steps(p.program);
  EXPECT_FALSE(with_finite_loops(p.program, {}, true));
  EXPECT_EQ(check(p.program).verdict, Verdict::budget);
}

TEST(Repeat, SymbolsOfSteps) {
  LoopProgram p;
  Block body;
  LoopProgram::add(body, Alloc{"t", DType::f32, contiguous({SymExpr::symbol("k") + SymExpr::symbol("m")})});
  p.loop(body);
  EXPECT_EQ(symbols_of(p.program.body), (std::set<std::string>{"m", "n"}));
}

}  // namespace
}  // namespace bufferproof::checker
