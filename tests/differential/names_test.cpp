// C6: a name that has no storage has none after it was handed on, and one that was given up stays given up.
#include <gtest/gtest.h>

#include "tests/differential/agree.hpp"
#include "tests/differential/wrapper_parts.hpp"

namespace bufferproof::differential {
namespace {

Agreement renamed_twice(bool dropped) {
  WrapperText text("names.py");
  const model::Layout whole = model::contiguous({4});
  text.alloc({"x", whole}, model::Init::input);
  if (dropped) text.add(model::Free{{"x"}});
  text.bind(model::Bind::Kind::rename, "y", "x");
  text.bind(model::Bind::Kind::rename, "z", "y");
  text.extern_call("aten.neg", "s0", {read_intended(dropped ? "y" : "z", false)});
  text.returns("z");
  return compare(text.finish());
}

TEST(Names, C6ARenamedNameWithoutStorageStaysWithout) {
  const Agreement agreement = renamed_twice(true);
  EXPECT_TRUE(agreement.refuted);
  EXPECT_EQ(agreement.disagreement, "");
}

TEST(Names, C6RenamesOfWhatIsThere) {
  const Agreement agreement = renamed_twice(false);
  EXPECT_FALSE(agreement.refuted);
  EXPECT_EQ(agreement.disagreement, "");
}

/// out shares v's memory; a road hands over a view of v, which may have been given up by then; then out is
/// added to.
Agreement view_of_argument(bool dropped) {
  WrapperText text("names.py");
  const Tensor out{"out", model::contiguous({4})}, v{"v", model::contiguous({4})};
  text.alloc(out, model::Init::uninit);
  text.view("v", "out", v.declared);
  text.bind(dropped ? model::Bind::Kind::rename : model::Bind::Kind::alias, "u", "v");
  text.launch("k", "s0", {out},
              {road(Road::write, "tuned", {v}, {out}, false), road(Road::alias, "alias", {v}, {out}, false)});
  text.extern_call("add_", "s0", {clause(model::Clause::Kind::accumulate, "out")});
  text.extern_call("aten.neg", "s0", {read_intended("u", false)});
  text.returns("out");
  return compare(text.finish());
}

// Found by random program 67177 of the comparison.
TEST(Names, C6AHandleStaysWhereItIsWhenTheArgumentOfAViewWasGivenUp) {
  EXPECT_EQ(view_of_argument(true).disagreement, "");
  EXPECT_EQ(view_of_argument(false).disagreement, "");
}

}  // namespace
}  // namespace bufferproof::differential
