// A concatenation over sizes that are not known: slices of one buffer along an inner axis (C1, C2).
#include <gtest/gtest.h>

#include "checker/check.hpp"
#include "checker/hits.hpp"
#include "model/lower.hpp"
#include "model/read/wrapper/wrapper.hpp"
#include "model/runtime_profile.hpp"

namespace bufferproof::checker {
namespace {

using model::SymExpr;

/// Two inputs copied side by side; the second call as given.
Result concatenated(const std::string& second_call) {
  const std::string text =
      "import torch\n"
      "from torch._inductor.select_algorithm import extern_kernels\n"
      "empty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu\n"
      "reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor\n"
      "def call(args):\n"
      "    arg0_1, arg1_1, arg2_1, arg3_1, arg4_1 = args\n"
      "    args.clear()\n"
      "    s0 = arg0_1\n"
      "    s1 = arg1_1\n"
      "    s2 = arg2_1\n"
      "    assert_size_stride(arg3_1, (s0, s1), (s1, 1))\n"
      "    assert_size_stride(arg4_1, (s0, s2), (s2, 1))\n"
      "    buf2 = empty_strided_cpu((s0, s1 + s2), (s1 + s2, 1), torch.float32)\n"
      "    buf0 = reinterpret_tensor(buf2, (s0, s1), (s1 + s2, 1), 0)  # alias\n"
      "    buf0.copy_(arg3_1)\n"
      "    buf1 = reinterpret_tensor(buf2, (s0, s2), (s1 + s2, 1), s1)  # alias\n" +
      second_call + "    return (buf2, )\n";
  const auto programs = model::wrapper::read_wrappers(text, "w.py");
  return check(model::lower(programs.at(0), model::require_profile("stock")));
}

TEST(Digits, C2_SlicesAlongAnInnerAxisCoverTheWhole) {
  EXPECT_EQ(concatenated("    buf1.copy_(arg4_1)\n").verdict, Verdict::proved);
}

TEST(Digits, C2_ASliceThatIsMissingIsFound) {
  const Result result = concatenated("");
  ASSERT_EQ(result.verdict, Verdict::refuted);
  EXPECT_EQ(result.refutations[0].finding.kind, model::FindingClass::unwritten);
}

/// Three blocks of columns, s0 by s0 each, and a row over `blocks` of them that is read.
Verdict row_over_blocks(const std::string& last_block, const std::string& row) {
  const std::string text =
      "import torch\n"
      "empty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu\n"
      "reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor\n"
      "def call(args):\n"
      "    arg0_1, arg1_1 = args\n"
      "    args.clear()\n"
      "    s0 = arg0_1\n"
      "    assert_size_stride(arg1_1, (s0, s0), (s0, 1))\n"
      "    buf0 = empty_strided_cpu((s0, 3*s0), (3*s0, 1), torch.float32)\n"
      "    reinterpret_tensor(buf0, (s0, s0), (3*s0, 1), 0).copy_(arg1_1)\n"
      "    reinterpret_tensor(buf0, (s0, s0), (3*s0, 1), s0).copy_(arg1_1)\n" +
      last_block + "    buf1 = torch.ops.aten.relu.default(reinterpret_tensor(buf0, " + row +
      "))\n    return (buf1, )\n";
  const auto programs = model::wrapper::read_wrappers(text, "w.py");
  return check(model::lower(programs.at(0), model::require_profile("stock"))).verdict;
}

TEST(Digits, C2_ARowOverBlocksOfColumns) {
  const std::string last = "    reinterpret_tensor(buf0, (s0, s0), (3*s0, 1), 2*s0).copy_(arg1_1)\n";
  for (const char* row : {"(3*s0, ), (1, ), 0", "(3*s0, ), (1, ), 3*s0", "(2*s0, ), (1, ), 0"})
    EXPECT_EQ(row_over_blocks(last, row), Verdict::proved) << row;
  EXPECT_EQ(row_over_blocks("", "(2*s0, ), (1, ), 0"), Verdict::proved);
  EXPECT_EQ(row_over_blocks("", "(3*s0, ), (1, ), 0"), Verdict::refuted);
}

/// The element [i, j] of a window of n by b elements that begins `offset` into rows of the given width.
Digits element_of(const SymExpr& b, const SymExpr& width, const SymExpr& offset) {
  Access access;
  access.layout = model::Layout{{SymExpr::symbol("n"), b}, {width, 1}, offset};
  access.variables = {{"i", 0, SymExpr::symbol("n")}, {"j", 0, b}};
  access.index = {SymExpr::symbol("i"), SymExpr::symbol("j")};
  Ranges ranges;
  for (const char* size : {"n", "a", "b"}) ranges.set(size, {1, std::nullopt});
  return digits_of(access, ranges);
}

TEST(Digits, TheOffsetIsPartOfThem) {
  const SymExpr a = SymExpr::symbol("a");
  const SymExpr b = SymExpr::symbol("b");
  const SymExpr i = SymExpr::symbol("i");
  const SymExpr j = SymExpr::symbol("j");
  EXPECT_EQ(element_of(b, a + b, a).values, (std::vector<SymExpr>{i, j + a}));
  EXPECT_EQ(element_of(4, 8, 20).values, (std::vector<SymExpr>{i + 2, j + 4}));
}

TEST(Digits, AWindowThatReachesIntoTheNextRowHasNone) {
  const SymExpr a = SymExpr::symbol("a");
  const SymExpr b = SymExpr::symbol("b");
  EXPECT_TRUE(element_of(b, a + b, a + 1).values.empty());
  EXPECT_TRUE(element_of(4, 8, 21).values.empty());
}

}  // namespace
}  // namespace bufferproof::checker
