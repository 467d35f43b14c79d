// C7: a load of another element type ends before anything is loaded, in both engines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/check.hpp"
#include "tests/differential/agree.hpp"
#include "tests/differential/wrapper_parts.hpp"

namespace bufferproof::differential {
namespace {

/// One stream writes `b`, another loads it as `elements` without waiting.
model::Program loaded_as(model::DType elements) {
  WrapperText text("elements.py");
  text.alloc({"b", model::contiguous({4})}, model::Init::uninit);
  text.extern_call("K", "s1", {clause(model::Clause::Kind::write, "b")});
  model::Clause load = read_intended("b", true);
  load.compiled_for = elements;
  text.extern_call("L", "s0", {load});
  return text.finish();
}

std::vector<std::string> found(const model::Program& program) {
  std::vector<std::string> out;
  for (const checker::Refutation& r : checker::check(program).refutations)
    out.emplace_back(model::name(r.finding.kind));
  return out;
}

TEST(Elements, C7ALoadOfAnotherTypeDoesNotRace) {
  EXPECT_EQ(compare(loaded_as(model::DType::f32)).disagreement, "");
  EXPECT_THAT(found(loaded_as(model::DType::f32)), testing::ElementsAre("RACE"));
  EXPECT_EQ(compare(loaded_as(model::DType::f64)).disagreement, "");
  EXPECT_THAT(found(loaded_as(model::DType::f64)), testing::ElementsAre("MISMATCH"));
}

}  // namespace
}  // namespace bufferproof::differential
