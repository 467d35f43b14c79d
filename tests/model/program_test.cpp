#include "model/program.hpp"

#include <gtest/gtest.h>

#include "model/finding.hpp"

namespace bufferproof::model {
namespace {

Step step(decltype(Step::node) node) { return Step{-1, {}, std::move(node)}; }

TEST(Program, StepsAreNumberedInTextualOrder) {
  Program program;
  Loop loop{"i", 3, {step(Free{}), step(Free{})}};
  program.body = {step(Free{}), step(loop), step(Free{})};
  EXPECT_EQ(number_steps(program), 5);
  EXPECT_EQ(std::get<Loop>(program.body[1].node).body[1].id, 3);
  EXPECT_EQ(program.body[2].id, 4);
}

TEST(Program, BrokenPromisesAreRaised) {
  Program program;
  program.body = {step(Alloc{"b", std::nullopt, Layout{{1, 2}, {1}, 0}, Init::uninit})};
  EXPECT_THROW(validate(program), InputError);
  program.body = {step(Launch{.kernel = "k", .definition = 0})};
  EXPECT_THROW(validate(program), InputError);
  program.body.clear();
  program.symbols = {Symbol{"n", 3, 2, std::nullopt, {}}};
  EXPECT_THROW(validate(program), InputError);
  program.symbols.clear();
  EXPECT_NO_THROW(validate(program));
}

TEST(Finding, ClassNamesReadBack) {
  for (auto c : {FindingClass::unwritten, FindingClass::race, FindingClass::mismatch})
    EXPECT_EQ(parse_finding_class(name(c)), c);
  EXPECT_EQ(parse_finding_class("SAFE"), std::nullopt);
}

}  // namespace
}  // namespace bufferproof::model
