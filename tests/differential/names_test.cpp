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

}  // namespace
}  // namespace bufferproof::differential
