// Every elementwise op: the fast kernel equals the scalar definition by memcmp, for every element type,
// layout, instruction set and thread count, on random and edge values.
#include <gtest/gtest.h>

#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/elementwise_table.hpp"
#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

bool takes(const ElementwiseSpec& spec, DType dtype) {
  return model::is_floating(dtype) ? spec.floating || spec.math : spec.integer.has_value();
}

/// One call with operands of the given layouts and an output of `output`.
void check(const ElementwiseSpec& spec, DType dtype, const Sizes& sizes, std::vector<Placement> inputs,
           Placement output, const NumericsProfile& numerics = {}) {
  Maker maker(static_cast<unsigned>(spec.name.size() * 131 + static_cast<unsigned>(dtype)));
  OpCall call;
  call.op = spec.name;
  call.numerics = numerics;
  std::vector<Placed> placed;
  for (int i = 0; i < spec.operands; ++i)
    placed.push_back(place(maker, dtype, sizes, inputs[static_cast<std::size_t>(i) % inputs.size()]));
  for (const Placed& operand : placed) call.inputs.emplace_back(operand.view());
  const DType result = spec.gives_mask ? DType::i1 : dtype;
  const auto make = [&] {
    Maker fresh(7);
    std::vector<Placed> outputs;
    outputs.push_back(place(fresh, result, sizes, output));
    return outputs;
  };
  expect_run_equals_define(call, make,
                           call.op + " " + std::string(model::name(dtype)) + " " + format_sizes(sizes));
}

class Elementwise : public ::testing::TestWithParam<ElementwiseSpec> {};

TEST_P(Elementwise, RunEqualsDefinitionContiguous) {
  for (DType dtype : kAllTypes)
    if (takes(GetParam(), dtype)) check(GetParam(), dtype, {1543}, {Placement::plain}, Placement::plain);
}

TEST_P(Elementwise, RunEqualsDefinitionStrided) {
  using P = Placement;
  for (DType dtype : kAllTypes) {
    if (!takes(GetParam(), dtype)) continue;
    check(GetParam(), dtype, {5, 7, 19}, {P::reversed, P::plain, P::spaced}, P::plain);
    check(GetParam(), dtype, {5, 7, 19}, {P::repeated, P::spaced, P::reversed}, P::reversed);
    check(GetParam(), dtype, {3, 1, 2, 33}, {P::plain, P::repeated, P::plain}, P::spaced);
    check(GetParam(), dtype, {}, {P::plain}, P::plain);
    check(GetParam(), dtype, {4, 0, 3}, {P::plain}, P::plain);
  }
}

TEST_P(Elementwise, RunEqualsDefinitionUnderEveryProfile) {
  for (const NumericsProfile& profile : numerics_profiles())
    for (DType dtype : {DType::f16, DType::f32})
      if (takes(GetParam(), dtype))
        check(GetParam(), dtype, {331}, {Placement::plain}, Placement::plain, profile);
}

INSTANTIATE_TEST_SUITE_P(Ops, Elementwise,
                         ::testing::ValuesIn(elementwise_specs().begin(), elementwise_specs().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ElementwiseThreads, LargeTensorsSplitOverThem) {
  for (const std::string_view name : {"add", "exp", "sin", "isnan", "clamp"})
    check(*find_elementwise(name), DType::f32, {3, 16411}, {Placement::plain, Placement::repeated},
          Placement::plain);
}

TEST(ElementwiseSelect, MovesBitsUnchanged) {
  Maker maker(11);
  for (DType dtype : kAllTypes) {
    for (Placement placement : {Placement::plain, Placement::reversed, Placement::spaced}) {
      const Sizes sizes{9, 71};
      const Placed condition = place(maker, DType::i1, sizes, Placement::plain);
      const Placed a = place(maker, dtype, sizes, placement);
      const Placed b = place(maker, dtype, sizes, Placement::repeated);
      OpCall call{.op = "select", .inputs = {condition.view(), a.view(), b.view()}};
      const auto make = [&] {
        Maker fresh(3);
        std::vector<Placed> outputs;
        outputs.push_back(place(fresh, dtype, sizes, placement));
        return outputs;
      };
      expect_run_equals_define(call, make, "select");
    }
  }
}

TEST(ElementwiseScalars, AreRoundedToTheElementTypeAndBroadcast) {
  Tensor x(DType::f32, {3});
  x.elements<float>()[0] = 1.0F, x.elements<float>()[1] = -2.0F, x.elements<float>()[2] = 0.5F;
  Tensor out(DType::f32, {3});
  OpCall call{.op = "mul", .inputs = {std::as_const(x).view(), Scalar{0.1}}, .outputs = {out.view()}};
  OpRegistry::builtin().run(call);
  EXPECT_EQ(out.elements<float>()[1], -2.0F * 0.1F);
  Tensor row(DType::f32, {2, 3});
  OpCall wide{
      .op = "add", .inputs = {std::as_const(x).view(), Scalar{std::int64_t{1}}}, .outputs = {row.view()}};
  OpRegistry::builtin().run(wide);
  EXPECT_EQ(row.elements<float>()[5], 1.5F);
}

TEST(ElementwiseInPlace, OutputMayBeAnOperand) {
  Maker maker(5);
  for (DType dtype : {DType::f16, DType::f32, DType::i32}) {
    const Tensor x = maker.tensor(dtype, {1000});
    Tensor apart(dtype, {1000});
    OpCall call{.op = "add", .inputs = {x.view(), x.view()}, .outputs = {apart.view()}};
    OpRegistry::builtin().run(call);
    Tensor in_place = x;
    call.inputs = {std::as_const(in_place).view(), std::as_const(in_place).view()};
    call.outputs = {in_place.view()};
    OpRegistry::builtin().run(call);
    EXPECT_TRUE(same_bytes(apart, in_place));
  }
}

}  // namespace
}  // namespace bufferproof::kernels::test
