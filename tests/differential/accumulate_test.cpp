// S1: a tag is a set of contributors and of those that accumulated; both engines compare it alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/check.hpp"
#include "tests/differential/agree.hpp"
#include "tests/differential/wrapper_parts.hpp"

namespace bufferproof::differential {
namespace {

using model::Clause;
using testing::Contains;
using testing::Not;

/// Two slices of a pool that overlap in one element; `b` is accumulated into by `adder` and returned.
model::Program overlapping(const std::string& writer, const std::string& adder) {
  WrapperText text("overlapping.py");
  text.alloc({"pool", model::contiguous({4})}, model::Init::uninit);
  text.slice("a", "pool", model::Layout{{2}, {1}, 0});
  text.slice("b", "pool", model::Layout{{2}, {1}, 1});
  const Clause write = clause(Clause::Kind::write, "a");
  const Clause accumulate = clause(Clause::Kind::accumulate, "b");
  if (writer == adder) {
    text.extern_call(writer, "s0", {write, clause(Clause::Kind::accumulate, "a"), accumulate});
  } else {
    text.extern_call(writer, "s0", {write});
    text.extern_call(adder, "s0", {accumulate});
  }
  text.returns("b");
  return text.finish();
}

std::vector<std::string> found(const model::Program& program) {
  std::vector<std::string> out;
  for (const checker::Refutation& r : checker::check(program).refutations)
    out.push_back(std::string(model::name(r.finding.kind)) + " " + r.finding.buffer);
  return out;
}

TEST(Accumulate, S1ABaseThatAlsoAccumulatedIsOneContributor) {
  const model::Program program = overlapping("K", "K");
  EXPECT_EQ(compare(program).disagreement, "");
  EXPECT_THAT(found(program), Not(Contains("STALE b")));
}

TEST(Accumulate, C3ABaseThatIsNotMeantIsAnotherContributor) {
  const model::Program program = overlapping("K", "L");
  EXPECT_EQ(compare(program).disagreement, "");
  EXPECT_THAT(found(program), Contains("STALE b"));
}

/// What may be stored into an element that nobody defined leaves it so, whatever is accumulated afterwards.
TEST(Accumulate, E8ModifyingWhatIsUndefinedContributesNothing) {
  const auto program = [](bool defined) {
    WrapperText text("modified.py");
    text.alloc({"pool", model::contiguous({4})}, model::Init::uninit);
    text.slice("a", "pool", model::Layout{{2}, {1}, 0});
    text.slice("b", "pool", model::Layout{{2}, {1}, 1});
    if (defined) text.extern_call("D", "s0", {clause(Clause::Kind::accumulate, "a")});
    text.extern_call("M", "s0", {clause(Clause::Kind::modify, "a")});
    text.extern_call("K", "s0", {clause(Clause::Kind::accumulate, "b"), read_intended("b", false)});
    return text.finish();
  };
  for (const bool defined : {false, true}) EXPECT_EQ(compare(program(defined)).disagreement, "");
  EXPECT_THAT(found(program(false)), Not(Contains("STALE b")));
  EXPECT_THAT(found(program(true)), Contains("STALE b"));
}

}  // namespace
}  // namespace bufferproof::differential
