// ElementwiseChain: blocked execution gives the bits of the ops run one after the other; the profile's rules
// for fused bodies.
#include <gtest/gtest.h>

#include "kernels_ref/ops/chain.hpp"
#include "tests/kernels_ref/ops_test_support.hpp"

namespace bufferproof::kernels::test {
namespace {

/// relu(cast_f32(x_f16) * w + b) and its f16 rounding, a comparison and a select, as a chain.
void build(ElementwiseChain& chain, const std::vector<Placed>& in, Placed& f32_out, Placed& f16_out) {
  const auto x = chain.cast(chain.input(in[0].view()), DType::f32);
  const auto scaled =
      chain.apply("add", {chain.apply("mul", {x, chain.input(in[1].view())}), chain.input(in[2].view())});
  const auto positive = chain.apply("gt", {scaled, chain.constant(Scalar{0.0}, DType::f32)});
  const auto chosen = chain.select(positive, chain.apply("tanh", {scaled}), x);
  chain.output(chosen, f32_out.writable());
  chain.output(chain.cast(chosen, DType::f16), f16_out.writable());
  chain.run();
}

TEST(Chain, EqualsTheOpsOneAfterTheOther) {
  const Sizes sizes{6, 9, 101};
  for (Placement placement : {Placement::plain, Placement::reversed, Placement::spaced}) {
    Maker maker(71);
    std::vector<Placed> in;
    in.push_back(place(maker, DType::f16, sizes, placement));
    in.push_back(place(maker, DType::f32, {9, 1}, Placement::plain));
    in.push_back(place(maker, DType::f32, {}, Placement::plain));
    Tensor x(DType::f32, sizes), scaled(DType::f32, sizes), mask(DType::i1, sizes), bent(DType::f32, sizes);
    Tensor chosen(DType::f32, sizes), half(DType::f16, sizes);
    const auto run = [](std::string op, std::vector<ConstTensorView> operands, Tensor& out,
                        bool scalar = false) {
      OpCall call{.op = std::move(op)};
      for (const ConstTensorView& operand : operands) call.inputs.emplace_back(operand);
      if (scalar) call.inputs.emplace_back(Scalar{0.0});
      call.outputs = {out.view()};
      OpRegistry::builtin().run(call);
    };
    run("cast", {in[0].view()}, x);
    run("mul", {x.view(), in[1].view()}, scaled);
    run("add", {scaled.view(), in[2].view()}, scaled);
    run("gt", {scaled.view()}, mask, true);
    run("tanh", {scaled.view()}, bent);
    run("select", {mask.view(), bent.view(), x.view()}, chosen);
    run("cast", {chosen.view()}, half);
    for (bool fast : {true, false}) {
      for (int threads : {1, 2, 3}) {
        set_thread_count(threads);
        Maker fresh(73);
        Placed f32_out = place(fresh, DType::f32, sizes, placement);
        Placed f16_out = place(fresh, DType::f16, sizes, Placement::plain);
        ElementwiseChain chain(sizes, {}, fast);
        build(chain, in, f32_out, f16_out);
        EXPECT_TRUE(same_bytes(contiguous_copy(f32_out.view()), chosen));
        EXPECT_TRUE(same_bytes(contiguous_copy(f16_out.view()), half));
      }
    }
    set_thread_count(0);
  }
}

float one(const NumericsProfile& profile, void (*make)(ElementwiseChain&, ElementwiseChain::Value, Tensor&),
          float value) {
  Tensor x(DType::f32, {1}), out(DType::f32, {1});
  x.elements<float>()[0] = value;
  ElementwiseChain chain({1}, profile);
  make(chain, chain.input(std::as_const(x).view()), out);
  chain.run();
  return out.elements<float>()[0];
}

TEST(Chain, ExcessPrecisionDropsTheRoundTripThroughHalf) {
  const auto make = [](ElementwiseChain& chain, ElementwiseChain::Value x, Tensor& out) {
    chain.output(chain.cast(chain.cast(x, DType::f16), DType::f32), out.view());
  };
  NumericsProfile profile;
  EXPECT_EQ(one(profile, make, 1.0F + 0x1p-20F), 1.0F);
  profile.excess_precision = true;
  EXPECT_EQ(one(profile, make, 1.0F + 0x1p-20F), 1.0F + 0x1p-20F);
}

TEST(Chain, ContractionFusesMulAndAdd) {
  const auto make = [](ElementwiseChain& chain, ElementwiseChain::Value x, Tensor& out) {
    const auto c = chain.constant(Scalar{-(1.0 + 0x1p-11)}, DType::f32);
    chain.output(chain.apply("add", {c, chain.apply("mul", {x, x})}), out.view());
  };
  NumericsProfile profile;
  EXPECT_EQ(one(profile, make, 1.0F + 0x1p-12F), 0.0F);
  profile.contract_mul_add = true;
  EXPECT_EQ(one(profile, make, 1.0F + 0x1p-12F), 0x1p-24F);
}

TEST(Chain, ManyValuesReuseScratch) {
  Maker maker(79);
  const Tensor x = maker.tensor(DType::f32, {3000}, false);
  Tensor out(DType::f32, {3000}), wanted = x;
  ElementwiseChain chain({3000}, {});
  auto value = chain.input(x.view());
  const auto first = value;
  for (int i = 0; i < 200; ++i)
    value = chain.apply(i % 2 == 0 ? "add" : "mul", {value, i % 3 == 0 ? first : value});
  chain.output(value, out.view());
  chain.run();
  for (int i = 0; i < 200; ++i) {
    OpCall call{
        .op = i % 2 == 0 ? "add" : "mul",
        .inputs = {std::as_const(wanted).view(), i % 3 == 0 ? x.view() : std::as_const(wanted).view()},
        .outputs = {wanted.view()}};
    OpRegistry::builtin().run(call);
  }
  EXPECT_TRUE(same_bytes(out, wanted));
}

}  // namespace
}  // namespace bufferproof::kernels::test
