// C2: in wrappers an unwritten element is reported once, at its first reader, whatever the road. One road's
// first reader is another road's second.
#include <gtest/gtest.h>

#include "tests/differential/agree.hpp"
#include "tests/differential/wrapper_parts.hpp"

namespace bufferproof::differential {
namespace {

/// `first` leaves one element of b unwritten, or all of them as it hands over another tensor; the view's
/// reader meets only the one, the reader of b both.
TEST(Once, C2TheFirstReaderOfEachRoad) {
  WrapperText text("once.py");
  const model::Layout whole = model::contiguous({8});
  const model::Layout column{{8, 1}, {1, 1}, 0};
  const Tensor x{"x", model::contiguous({2})};
  const Tensor v{"v", column};
  text.alloc(x, model::Init::input);
  text.alloc({"b", whole}, model::Init::uninit);
  text.view("v", "b", column);
  text.launch("first", "s0", {v},
              {road(Road::write, "tuned", {x}, {v}, true), road(Road::partial, "second", {x}, {v}, false),
               road(Road::shared, "third", {x}, {v}, false)});
  text.extern_call("aten.mm", "s0", {read_intended("v", false)});
  const Tensor b{"b", {}};
  text.launch("last", "s0", {v},
              {road(Road::write, "tuned", {b}, {v}, true), road(Road::partial, "second", {b}, {v}, false)});
  text.returns("b");
  const Agreement agreement = compare(text.finish());
  EXPECT_TRUE(agreement.refuted);
  EXPECT_EQ(agreement.disagreement, "");
}

}  // namespace
}  // namespace bufferproof::differential
