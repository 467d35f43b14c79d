// A RunPlan that does not fit its program is refused with what would fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulator/wrapper_support.hpp"

namespace bufferproof::simulator {
namespace {

using testing::HasSubstr;

std::string error(const model::Program& program, const model::RunPlan& plan) {
  try {
    run_tags(program, plan);
  } catch (const model::InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Plan, SymbolsNeedValuesInTheirRange) {
  model::Program program = model::read_bufprog("param n = 3 in 2..4\nbuf a[n] zero\n", "t.bufprog").program;
  model::RunPlan plan;
  plan.calls = {{{"n", 5}}};
  EXPECT_THAT(error(program, plan), HasSubstr("expected a value of n in 2..4, found 5"));
  plan.calls = {{{"m", 5}}};
  EXPECT_THAT(error(program, plan), HasSubstr("'m'"));
  program.symbols[0].value.reset();
  plan.calls = {{}};
  EXPECT_THAT(error(program, plan), HasSubstr("--size n=N"));
}

TEST(Plan, RoadsAndFaultsNameSomething) {
  WrapperBuilder w;
  w.alloc("b", {4}).kernel("K", {}, {"b"}, {dropping()});
  model::RunPlan plan;
  plan.variants = {{"K", "sideways"}};
  EXPECT_THAT(error(w.program(), plan), HasSubstr("a road of K: tuned, fallback, found 'sideways'"));
  plan.variants = {{"J", "fallback"}};
  EXPECT_THAT(error(w.program(), plan), HasSubstr("'J'"));
  plan.variants.clear();
  plan.faults = {{"J", 0, {}}};
  EXPECT_THAT(error(w.program(), plan), HasSubstr("a fault in a kernel of the program"));
  plan.faults = {{"K", 1, {}}};
  EXPECT_THAT(error(w.program(), plan), HasSubstr("an output of K from 0 to 0"));
  plan.faults = {{"K", 0, {{0, 5}}}};
  EXPECT_THAT(error(w.program(), plan), HasSubstr("within 0:4 on axis 0"));
  plan.faults = {{"K", 0, {{0, 1}, {0, 1}}}};
  EXPECT_THAT(error(w.program(), plan), HasSubstr("a fault region of 1 axes"));
}

TEST(Plan, SeveralCallsAreJudgedEach) {
  const model::Program program =
      model::read_bufprog(
          "param n = 4 in 1..4\nbuf a[4] uninit\nkernel K: write a[0:n]\nkernel R: read a[0:4]\n", "t")
          .program;
  model::RunPlan plan;
  plan.calls = {{{"n", 4}}, {{"n", 3}}};
  const TagTrace trace = run_tags(program, plan);
  EXPECT_EQ(findings(trace), Found{"UNWRITTEN a at R"});
  EXPECT_EQ(trace.findings[0].path, "n=3");
}

TEST(Plan, WhatIsTooLargeIsRefused) {
  EXPECT_THAT(
      error(model::read_bufprog("loop i<1000000:\n  loop j<1000000:\n    hostsync s0\n", "t").program, {}),
      HasSubstr("too large to simulate"));
  EXPECT_THAT(
      error(model::read_bufprog("param n = 300000000000000 in 1..inf\nbuf a[n] zero\n", "t").program, {}),
      HasSubstr("below 2^48"));
  EXPECT_THAT(
      error(model::read_bufprog("buf a[400000000000] zero\nkernel K: write a{2*i | i<200000000000}\n", "t")
                .program,
            {}),
      HasSubstr("too large to simulate"));
}

TEST(Plan, NumbersThatDoNotFitAreRefused) {
  EXPECT_THAT(
      error(model::read_bufprog("buf a[4] zero\nloop i<1:\n  kernel K{i-1}: write a[0]\n", "t").program, {}),
      HasSubstr("a value of 0 or more in the name"));
  EXPECT_THAT(error(model::read_bufprog("buf a[4] zero\nloop i<1:\n  buf b[i-1] zero\n", "t").program, {}),
              HasSubstr("a size of 0 or more"));
  EXPECT_THAT(
      error(model::read_bufprog("buf a[4] zero\nloop i<1:\n  kernel K: write a[4//i]\n", "t").program, {}),
      HasSubstr("with a value in this run"));
  EXPECT_THAT(
      error(model::read_bufprog("buf a[4] zero\nbuf b[4] zero\ncopy a[0:3] -> b[0:4]\n", "t").program, {}),
      HasSubstr("expected a copy to 3 elements, found 4"));
}

TEST(Plan, TenThousandLaunchesOnLargeBuffers) {
  WrapperBuilder w;
  w.alloc("x", {10'000'000}, model::Init::input);
  model::Program& program = w.program();
  std::string last = "x";
  for (int k = 0; k < 10'000; ++k) {
    const std::string name = "b" + std::to_string(k);
    program.body.push_back(
        {0,
         {},
         model::Alloc{name, model::DType::f32, model::contiguous({8, 64, 140, 140}), model::Init::uninit}});
    model::Launch launch;
    launch.kernel = launch.choice = "K" + std::to_string(k);
    launch.stream = "s0";
    launch.outputs = {name};
    launch.variants.emplace_back();
    launch.variants[0].name = "tuned";
    launch.variants[0].clauses = {read_clause(last, true), write_clause(name)};
    program.body.push_back({0, {}, launch});
    if (k > 0) program.body.push_back({0, {}, model::Free{{last}}});
    last = name;
  }
  model::number_steps(program);
  EXPECT_EQ(w.found(), Found{});  // element by element it would not end: 10^11 of them
}

}  // namespace
}  // namespace bufferproof::simulator
