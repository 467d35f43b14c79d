// Convolution and matmul through the registry, as an executor of kernel bodies calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/registry.hpp"
#include "tests/kernels_ref/random_tensor.hpp"

namespace bufferproof::kernels {
namespace {

void run_and_compare(OpCall call) {
  const OpEntry& entry = OpRegistry::builtin().at(call.op);
  const TensorView out = call.outputs.at(0);
  entry.run(call);
  const Tensor fast = contiguous_copy(out);
  fill_signalling(out.bytes(), static_cast<std::size_t>(out.element_count()) * 4, DType::f32);
  entry.define(call);
  EXPECT_EQ(first_difference(fast.view(), out), -1) << call.op;
}

TEST(GemmOps, ConvolutionOfEveryRank) {
  const Tensor image = random_tensor(DType::f32, {2, 4, 9, 9}, 1);
  const Tensor filter = random_tensor(DType::f32, {6, 2, 3, 3}, 2);
  const Tensor bias = random_tensor(DType::f32, {6}, 3);
  Tensor out(DType::f32, {2, 6, 5, 5});
  const Attributes attributes{{"stride", std::vector<std::int64_t>{2, 2}},
                              {"padding", std::vector<std::int64_t>{1}},
                              {"groups", std::int64_t{2}}};
  run_and_compare({"convolution", {image.view(), filter.view(), bias.view()}, attributes, {out.view()}, {}});
  run_and_compare(
      {"convolution", {image.view(), filter.view(), std::monostate{}}, attributes, {out.view()}, {}});
  run_and_compare({"convolution", {image.view(), filter.view()}, attributes, {out.view()}, {}});

  const Tensor one = random_tensor(DType::f32, {4, 9, 9}, 4);
  Tensor out_one(DType::f32, {6, 5, 5});
  run_and_compare({"convolution", {one.view(), filter.view()}, attributes, {out_one.view()}, {}});

  const Tensor signal = random_tensor(DType::f32, {2, 4, 20}, 5);
  const Tensor taps = random_tensor(DType::f32, {3, 4, 5}, 6);
  Tensor filtered(DType::f32, {2, 3, 8});
  run_and_compare(
      {"convolution", {signal.view(), taps.view()}, {{"stride", std::int64_t{2}}}, {filtered.view()}, {}});
}

TEST(GemmOps, MatmulFamily) {
  const Tensor a = random_tensor(DType::f32, {5, 7}, 1);
  const Tensor b = random_tensor(DType::f32, {7, 9}, 2);
  const Tensor bias = random_tensor(DType::f32, {9}, 3);
  Tensor out(DType::f32, {5, 9});
  run_and_compare({"matmul", {a.view(), b.view()}, {}, {out.view()}, {}});
  run_and_compare({"addmm",
                   {bias.view(), a.view(), b.view()},
                   {{"alpha", 0.5}, {"beta", std::int64_t{2}}},
                   {out.view()},
                   {}});
  const Tensor as = random_tensor(DType::f32, {3, 5, 7}, 4);
  const Tensor bs = random_tensor(DType::f32, {3, 7, 9}, 5);
  const Tensor column = random_tensor(DType::f32, {5, 1}, 6);
  Tensor outs(DType::f32, {3, 5, 9});
  run_and_compare({"bmm", {as.view(), bs.view()}, {}, {outs.view()}, {}});
  run_and_compare({"baddbmm", {column.view(), as.view(), bs.view()}, {}, {outs.view()}, {}});
}

void expect_error(const OpCall& call, const std::string& message) {
  for (const OpFunction function :
       {OpRegistry::builtin().at(call.op).run, OpRegistry::builtin().at(call.op).define}) {
    try {
      function(call);
      FAIL() << message;
    } catch (const KernelError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(message));
    }
  }
}

TEST(GemmOps, BadCallsNameOpAndArgument) {
  const Tensor a = random_tensor(DType::f32, {5, 7}, 1);
  const Tensor image = random_tensor(DType::f32, {1, 2, 4, 4}, 1);
  const Tensor filter = random_tensor(DType::f32, {1, 2, 3, 3}, 1);
  Tensor out(DType::f32, {5, 9});
  Tensor map(DType::f32, {1, 1, 2, 2});
  expect_error({"matmul", {a.view(), a.view()}, {}, {out.view()}, {}},
               "op 'matmul', argument 'b': expected shape [1, 7, 7], found shape [1, 5, 7]");
  expect_error({"matmul", {a.view()}, {}, {out.view()}, {}},
               "op 'matmul', argument 'inputs': expected 2 inputs, found 1");
  expect_error({"matmul", {image.view(), a.view()}, {}, {out.view()}, {}},
               "argument 'a': expected a tensor of rank 2");
  expect_error({"addmm", {image.view(), a.view(), a.view()}, {}, {out.view()}, {}},
               "op 'addmm', argument 'addend': expected a shape that broadcasts to [1, 5, 9], found shape "
               "[1, 2, 4, 4]");
  expect_error({"addmm", {Scalar{1.0}, a.view(), a.view()}, {}, {out.view()}, {}},
               "argument 'addend': expected a tensor, found a scalar");
  expect_error({"convolution", {image.view(), filter.view()}, {{"transposed", true}}, {map.view()}, {}},
               "transposed");
  expect_error({"convolution",
                {image.view(), filter.view()},
                {{"stride", std::vector<std::int64_t>{1, 1, 1}}},
                {map.view()},
                {}},
               "op 'convolution', argument 'stride': expected 1 or 2 values, found 3 values");
  expect_error({"convolution", {image.view()}, {}, {map.view()}, {}},
               "argument 'weight': expected a tensor, found nothing");
  expect_error({"convolution", {image.view(), a.view()}, {}, {map.view()}, {}},
               "argument 'weight': expected shape [M, C / groups, KH, KW]");
}

}  // namespace
}  // namespace bufferproof::kernels
