// What holds in every run without being said (C5): negative sizes, views of inputs that guards keep inside.
#include "checker/preconditions.hpp"

#include <gtest/gtest.h>

#include "checker/check.hpp"
#include "model/lower.hpp"
#include "model/read/bufprog/reader.hpp"
#include "model/read/wrapper/wrapper.hpp"
#include "model/runtime_profile.hpp"

namespace bufferproof::checker {
namespace {

/// A wrapper that multiplies a view of its first input, as `torch.mm(x[:n], y)` is emitted.
model::Program wrapper(const std::string& view) {
  const std::string text =
      "import torch\n"
      "from torch._inductor.select_algorithm import extern_kernels\n"
      "empty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu\n"
      "reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor\n"
      "def call(args):\n"
      "    arg0_1, arg1_1, arg2_1, arg3_1 = args\n"
      "    args.clear()\n"
      "    s17 = arg2_1\n"
      "    s77 = arg3_1\n"
      "    assert_size_stride(arg0_1, (s77, s17), (s17, 1))\n"
      "    assert_size_stride(arg1_1, (s17, 8), (8, 1))\n"
      "    buf0 = empty_strided_cpu((" +
      view.substr(1, 3) +
      ", 8), (8, 1), torch.float32)\n"
      "    extern_kernels.mm(reinterpret_tensor(arg0_1, " +
      view +
      "), arg1_1, out=buf0)\n"
      "    return (buf0, )\n";
  const auto programs = model::wrapper::read_wrappers(text, "w.py");
  return model::lower(programs.at(0), model::require_profile("stock"));
}

TEST(Preconditions, C5_AnInputIsAsLargeAsTheViewsOfIt) {
  const Result result = check(wrapper("(s17, s17), (s17, 1), 0"));
  EXPECT_EQ(result.verdict, Verdict::proved);
  ASSERT_EQ(result.assumptions.size(), 1U);
  EXPECT_NE(result.assumptions[0].find("input arg0_1 is as large as"), std::string::npos);
}

TEST(Preconditions, C5_AViewThatFitsAtNoSizeIsRefuted) {
  const Result result = check(wrapper("(s77, s17), (s17, 1), 1"));
  ASSERT_EQ(result.verdict, Verdict::refuted);
  EXPECT_EQ(result.refutations[0].finding.kind, model::FindingClass::oob);
}

TEST(Preconditions, NothingIsAssumedOfViewsThatSurelyFit) {
  EXPECT_TRUE(preconditions(wrapper("(s77, s17), (s17, 1), 0")).hold.is_true());
}

TEST(Preconditions, ARunWithANegativeSizeIsNone) {
  const auto program = model::read_bufprog("param n = 1 in 0..4\nbuf b[n-1] uninit\n", "t").program;
  EXPECT_EQ(preconditions(program).hold, model::Cond::le(1, model::SymExpr::symbol("n")));
  EXPECT_TRUE(preconditions(program).assumed.empty());
}

}  // namespace
}  // namespace bufferproof::checker
