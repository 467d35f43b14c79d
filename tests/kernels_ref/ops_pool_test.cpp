// Pooling: the row-wise fast run equals the window-by-window definition by memcmp; NaN, ties, padding and
// ceil_mode by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

using Ints = std::vector<std::int64_t>;

struct Shape {
  Sizes in, out;
  Ints kernel, stride, padding, dilation;
  bool ceil_mode;
};
const Shape kShapes[] = {
    {{2, 3, 16, 17}, {2, 3, 8, 9}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, false},
    {{3, 11, 9}, {3, 5, 5}, {2, 3}, {2, 2}, {0, 1}, {1, 1}, false},
    {{1, 2, 10, 10}, {1, 2, 6, 6}, {3}, {2}, {1}, {1}, true},
    {{1, 2, 7, 7}, {1, 2, 4, 4}, {2}, {2}, {0}, {1}, true},
    {{1, 1, 13, 12}, {1, 1, 9, 4}, {3, 2}, {1, 3}, {0, 1}, {2, 3}, false},
    {{1, 1, 5, 5}, {1, 1, 1, 1}, {5}, {5}, {0}, {1}, false},
};

TEST(Pool, RunEqualsDefinition) {
  for (const NumericsProfile& profile : numerics_profiles()) {
    for (const Shape& shape : kShapes) {
      for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
        for (Placement placement : {Placement::plain, Placement::reversed, Placement::spaced}) {
          Attributes attributes{{"kernel", shape.kernel},
                                {"stride", shape.stride},
                                {"padding", shape.padding},
                                {"dilation", shape.dilation},
                                {"ceil_mode", shape.ceil_mode}};
          check_call("max_pool2d", attributes, {{dtype, shape.in, placement}},
                     {{dtype, shape.out, placement}, {DType::i64, shape.out}}, profile);
          if (shape.dilation != Ints{1, 1} && shape.dilation != Ints{1}) continue;
          for (bool include : {false, true}) {
            attributes["count_include_pad"] = include;
            check_call("avg_pool2d", attributes, {{dtype, shape.in, placement}},
                       {{dtype, shape.out, placement}}, profile);
          }
        }
        Sizes out = shape.in;
        out[out.size() - 2] = 3, out[out.size() - 1] = 7;
        check_call("adaptive_avg_pool2d", {{"output", Ints{3, 7}}}, {{dtype, shape.in}}, {{dtype, out}},
                   profile);
      }
    }
  }
}

TEST(Pool, PlanesWithoutColumnsArePaddingOnly) {
  const Attributes attributes{{"kernel", Ints{1, 2}}, {"stride", Ints{1, 1}}, {"padding", Ints{0, 1}}};
  for (DType dtype : {DType::f32, DType::f64})
    check_call("max_pool2d", attributes, {{dtype, {1, 2, 4, 0}}},
               {{dtype, {1, 2, 4, 1}}, {DType::i64, {1, 2, 4, 1}}}, numerics_profiles()[0]);
}

struct Pooled {
  std::vector<float> values;
  std::vector<std::int64_t> index;
};
Pooled max_pool(std::vector<float> plane, std::int64_t rows, std::int64_t columns, Attributes attributes,
                Sizes out) {
  Tensor x(DType::f32, {1, rows, columns}), value(DType::f32, out), index(DType::i64, out);
  std::copy(plane.begin(), plane.end(), x.elements<float>().begin());
  OpCall call{.op = "max_pool2d",
              .inputs = {std::as_const(x).view()},
              .attributes = std::move(attributes),
              .outputs = {value.view(), index.view()}};
  OpRegistry::builtin().run(call);
  return {{value.elements<float>().begin(), value.elements<float>().end()},
          {index.elements<std::int64_t>().begin(), index.elements<std::int64_t>().end()}};
}

TEST(Pool, MaxTakesTheFirstOfEqualsAndPropagatesNan) {
  const Attributes two{{"kernel", Ints{2}}};
  const Pooled ties = max_pool({5, 5, 1, NAN, 5, 2, 0, 7}, 2, 4, two, {1, 1, 2});
  EXPECT_EQ(ties.values[0], 5.0F);
  EXPECT_EQ(ties.index[0], 0);
  EXPECT_TRUE(std::isnan(ties.values[1]));
  EXPECT_EQ(ties.index[1], 3);
}

TEST(Pool, APlaneOfMinusInfinityHasTheFirstIndexInsideThePlane) {
  const Pooled all = max_pool(std::vector<float>(9, -INFINITY), 3, 3,
                              {{"kernel", Ints{3}}, {"stride", Ints{2}}, {"padding", Ints{1}}}, {1, 2, 2});
  EXPECT_EQ(all.index, (std::vector<std::int64_t>{0, 1, 3, 4}));
  EXPECT_EQ(all.values[3], -INFINITY);
}

TEST(Pool, AverageCountsPaddingAsAsked) {
  Tensor x(DType::f32, {1, 2, 2}), out(DType::f32, {1, 2, 2});
  for (float& value : x.elements<float>()) value = 4.0F;
  OpCall call{.op = "avg_pool2d",
              .inputs = {std::as_const(x).view()},
              .attributes = {{"kernel", Ints{2}}, {"stride", Ints{2}}, {"padding", Ints{1}}},
              .outputs = {out.view()}};
  OpRegistry::builtin().run(call);
  EXPECT_EQ(out.elements<float>()[0], 1.0F);
  call.attributes["count_include_pad"] = false;
  OpRegistry::builtin().run(call);
  EXPECT_EQ(out.elements<float>()[0], 4.0F);
  call.attributes["divisor_override"] = std::int64_t{2};
  OpRegistry::builtin().run(call);
  EXPECT_EQ(out.elements<float>()[0], 2.0F);
}

}  // namespace
}  // namespace bufferproof::kernels::test
