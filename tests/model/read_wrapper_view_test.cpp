// Where views made by operators lie: sizes, strides and offset from the call's arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/read/wrapper/wrapper.hpp"

namespace bufferproof::model::wrapper {
namespace {

/// The layouts of all views of `call(args)` with these statements after a (4, 6) buffer buf0; "?" where
/// unknown.
std::vector<std::string> views(const std::string& statements, const std::string& sizes = "(4, 6), (6, 1)") {
  const Program program =
      read_wrappers(
          "import torch\nempty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu\n"
          "def call(args):\n    arg0_1, = args\n    args.clear()\n    s0 = arg0_1\n"
          "    buf0 = empty_strided_cpu(" +
              sizes + ", torch.float32)\n    buf0.copy_(buf0)\n" + statements + "    return (buf0, )\n",
          "w.py")
          .at(0);
  std::vector<std::string> out;
  for (const Step& step : program.body)
    if (const auto* view = std::get_if<View>(&step.node))
      out.push_back(view->unknown_layout || !view->layout ? "?" : view->layout->str());
  return out;
}

/// The layout of the one view that `torch.ops.aten.CALL` makes.
std::string view(const std::string& call, const std::string& sizes = "(4, 6), (6, 1)") {
  const auto all = views("    buf1 = torch.ops.aten." + call + "\n", sizes);
  return all.size() == 1 ? all[0] : std::to_string(all.size()) + " views";
}

TEST(WrapperViews, AxesChangePlaces) {
  EXPECT_EQ(view("permute.default(buf0, [1, 0])"), "(6, 4)[1, 6]");
  EXPECT_EQ(view("permute.default(buf0, [-1, 0])"), "(6, 4)[1, 6]");
  EXPECT_EQ(view("transpose.int(buf0, 0, -1)"), "(6, 4)[1, 6]");
  EXPECT_EQ(view("t.default(buf0)"), "(6, 4)[1, 6]");
}

TEST(WrapperViews, PartsBeginWhereTheirArgumentsSay) {
  EXPECT_EQ(view("select.int(buf0, 0, 2)"), "(6)[1]+12");
  EXPECT_EQ(view("select.int(buf0, 1, -1)"), "(4)[6]+5");
  EXPECT_EQ(view("slice.Tensor(buf0, 0, 1, 3)"), "(2, 6)[6, 1]+6");
  EXPECT_EQ(view("slice.Tensor(buf0, 1, 1, 9223372036854775807, 2)"), "(4, 3)[6, 2]+1");
  EXPECT_EQ(view("slice.Tensor(buf0, 1, -2, 100)"), "(4, 2)[6, 1]+4");
  EXPECT_EQ(view("slice.Tensor(buf0, 1, 0, -1)"), "(4, 5)[6, 1]");
  EXPECT_EQ(view("slice.Tensor(buf0, 0, 3, 1)"), "(0, 6)[6, 1]+18");
  EXPECT_EQ(view("narrow.default(buf0, 1, 2, 3)"), "(4, 3)[6, 1]+2");
}

TEST(WrapperViews, ShapesThatShareTheElements) {
  EXPECT_EQ(view("unsqueeze.default(buf0, 1)"), "(4, 1, 6)[6, 6, 1]");
  EXPECT_EQ(view("unsqueeze.default(buf0, -1)"), "(4, 6, 1)[6, 1, 1]");
  EXPECT_EQ(view("squeeze.dim(buf0, 0)", "(1, 6), (6, 1)"), "(6)[1]");
  EXPECT_EQ(view("squeeze.dim(buf0, 1)"), "(4, 6)[6, 1]");
  EXPECT_EQ(view("view.default(buf0, [2, -1])"), "(2, 12)[12, 1]");
  EXPECT_EQ(view("expand.default(buf0, [3, -1, 6])"), "(3, 4, 6)[0, 6, 1]");
  EXPECT_EQ(view("expand.default(buf0, [5, 6])", "(1, 6), (6, 1)"), "(5, 6)[0, 1]");
}

TEST(WrapperViews, ItemsOfLists) {
  const std::string take = "    buf2 = buf1[0]\n    buf3 = buf1[1]\n";
  EXPECT_THAT(views("    buf1 = torch.ops.aten.split.Tensor(buf0, 3, 0)\n" + take),
              ::testing::ElementsAre("(3, 6)[6, 1]", "(1, 6)[6, 1]+18"));
  EXPECT_THAT(views("    buf1 = torch.ops.aten.split_with_sizes.default(buf0, [1, 5], 1)\n" + take),
              ::testing::ElementsAre("(4, 1)[6, 1]", "(4, 5)[6, 1]+1"));
  EXPECT_THAT(views("    buf1 = torch.ops.aten.unbind.int(buf0, 1)\n" + take),
              ::testing::ElementsAre("(4)[6]", "(4)[6]+1"));
}

TEST(WrapperViews, WhatIsNotCertainIsUnknown) {
  EXPECT_EQ(view("view.default(buf0, [24])", "(4, 6), (8, 1)"), "?");  // has gaps
  EXPECT_EQ(view("squeeze.dim(buf0, 0)", "(s0, 6), (6, 1)"), "?");     // s0 may be 1
  EXPECT_EQ(view("expand.default(buf0, [8, 6])", "(s0, 6), (6, 1)"), "?");
  EXPECT_EQ(view("select.int(buf0, 0, s0)"), "?");  // s0 may be negative
  EXPECT_EQ(view("diagonal.default(buf0, 0, 0, 1)"), "?");
}

/// An assertion after a slice says sizes and strides, and nothing about where it begins.
TEST(WrapperViews, AssertionsDoNotMoveAView) {
  EXPECT_EQ(view("slice.Tensor(buf0, 0, 1, 3)\n    assert_size_stride(buf1, (2, 6), (6, 1))"),
            "(2, 6)[6, 1]+6");
  EXPECT_EQ(view("diagonal.default(buf0, 1, 0, 1)\n    assert_size_stride(buf1, (4, ), (7, ))"), "?");
}

}  // namespace
}  // namespace bufferproof::model::wrapper
