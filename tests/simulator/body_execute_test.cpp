// Execution of kernel bodies on the reference kernels (simulator/body).
#include "simulator/body/execute.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "kernels_ref/registry.hpp"
#include "model/ops/op_registry.hpp"
#include "model/read/fx/reader.hpp"
#include "model/read/torch_dialect/reader.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::ConstTensorView;
using kernels::Tensor;
using model::DType;
using model::TensorFunction;

Tensor random_f32(const kernels::Sizes& sizes, std::uint32_t seed) {
  Tensor tensor(DType::f32, sizes);
  std::mt19937 engine(seed);
  for (float& value : tensor.elements<float>())
    value = static_cast<float>(static_cast<double>(engine()) / 4294967296.0 * 4 - 2);
  return tensor;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         std::memcmp(a.view().bytes(), b.view().bytes(), a.size_in_bytes()) == 0;
}

std::vector<Tensor> run(const TensorFunction& function, const std::vector<Tensor>& inputs, bool fuse = true) {
  std::vector<BodyArgument> arguments;
  for (const Tensor& input : inputs) arguments.emplace_back(input.view());
  ExecuteOptions options;
  options.fuse = fuse;
  return execute(function, arguments, options);
}

TensorFunction body(const std::string& text) { return model::parse_tensor_function(text); }

TensorFunction mlir(const std::string& parameters, const std::string& result, const std::string& text) {
  std::vector<model::BodyText> bodies = model::read_kernel_text(
      "module {\n func.func @k(" + parameters + ") -> " + result + " {\n" + text + "\n}\n}\n", {});
  EXPECT_TRUE(bodies.at(0).function) << bodies[0].unsupported->what;
  return bodies.at(0).function.value();
}

const char kSoftmax[] = R"(
    %inf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1 : i64
    %e = tensor.empty() : tensor<5x37xf32>
    %i = tensor.empty() : tensor<5x37xi64>
    %r = tensor.empty() : tensor<5xf32>
    %f = linalg.fill ins(%one : i64) outs(%i : tensor<5x37xi64>) -> tensor<5x37xi64>
    %a = hfusion.cast {round_mode = #hfusion.round_mode<rint>} ins(%f : tensor<5x37xi64>) outs(%e : tensor<5x37xf32>) -> tensor<5x37xf32>
    %x1 = linalg.elemwise_binary {fun = #linalg.binary_fn<mul>} ins(%x, %a : tensor<5x37xf32>, tensor<5x37xf32>) outs(%e : tensor<5x37xf32>) -> tensor<5x37xf32>
    %m0 = linalg.fill ins(%inf : f32) outs(%r : tensor<5xf32>) -> tensor<5xf32>
    %m = linalg.reduce {arith.maximumf} ins(%x1 : tensor<5x37xf32>) outs(%m0 : tensor<5xf32>) dimensions = [1]
    %mb = linalg.broadcast ins(%m : tensor<5xf32>) outs(%e : tensor<5x37xf32>) dimensions = [1]
    %d = linalg.elemwise_binary {fun = #linalg.binary_fn<sub>} ins(%x1, %mb : tensor<5x37xf32>, tensor<5x37xf32>) outs(%e : tensor<5x37xf32>) -> tensor<5x37xf32>
    %p = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%d : tensor<5x37xf32>) outs(%e : tensor<5x37xf32>) -> tensor<5x37xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%r : tensor<5xf32>) -> tensor<5xf32>
    %s = linalg.reduce {arith.addf} ins(%p : tensor<5x37xf32>) outs(%s0 : tensor<5xf32>) dimensions = [1]
    %sb = linalg.broadcast ins(%s : tensor<5xf32>) outs(%e : tensor<5x37xf32>) dimensions = [1]
    %q = linalg.elemwise_binary {fun = #linalg.binary_fn<div>} ins(%p, %sb : tensor<5x37xf32>, tensor<5x37xf32>) outs(%e : tensor<5x37xf32>) -> tensor<5x37xf32>
    return %q, %p : tensor<5x37xf32>, tensor<5x37xf32>)";

TEST(BodyExecute, FusedChainsGiveTheBitsOfOneOperationAfterTheOther) {
  TensorFunction function = mlir("%x: tensor<5x37xf32>", "(tensor<5x37xf32>, tensor<5x37xf32>)", kSoftmax);
  std::vector<Tensor> inputs;
  inputs.push_back(random_f32({5, 37}, 1));
  std::vector<Tensor> fused = run(function, inputs, true);
  std::vector<Tensor> apart = run(function, inputs, false);
  ASSERT_EQ(fused.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(fused[i], apart[i])) << i;
  double total = 0;
  for (int j = 0; j < 37; ++j) total += fused[0].view().at<float>({2, j});
  EXPECT_NEAR(total, 1.0, 1e-6);
}

TEST(BodyExecute, NamedOpTorchDialectAndFxTextsOfOneSoftmaxGiveTheSameBits) {
  TensorFunction named = mlir("%x: tensor<5x37xf32>", "(tensor<5x37xf32>, tensor<5x37xf32>)", kSoftmax);
  TensorFunction torch = mlir("%x: !torch.vtensor<[5,37],f32>", "!torch.vtensor<[5,37],f32>", R"(
    %int1 = torch.constant.int 1
    %true = torch.constant.bool true
    %none = torch.constant.none
    %l = torch.prim.ListConstruct %int1 : (!torch.int) -> !torch.list<int>
    %m = torch.aten.amax %x, %l, %true : !torch.vtensor<[5,37],f32>, !torch.list<int>, !torch.bool -> !torch.vtensor<[5,1],f32>
    %d = torch.aten.sub.Tensor %x, %m, %int1 : !torch.vtensor<[5,37],f32>, !torch.vtensor<[5,1],f32>, !torch.int -> !torch.vtensor<[5,37],f32>
    %p = torch.aten.exp %d : !torch.vtensor<[5,37],f32> -> !torch.vtensor<[5,37],f32>
    %s = torch.aten.sum.dim_IntList %p, %l, %true, %none : !torch.vtensor<[5,37],f32>, !torch.list<int>, !torch.bool, !torch.none -> !torch.vtensor<[5,1],f32>
    %q = torch.aten.div.Tensor %p, %s : !torch.vtensor<[5,37],f32>, !torch.vtensor<[5,1],f32> -> !torch.vtensor<[5,37],f32>
    return %q : !torch.vtensor<[5,37],f32>)");
  TensorFunction fx = model::read_fx(R"(class G(torch.nn.Module):
    def forward(self, x: "f32[5, 37]"):
        q: "f32[5, 37]" = torch.ops.aten._softmax.default(x, 1, False)
        return (q,)
)",
                                     {})
                          .at(0)
                          .function.value();
  std::vector<Tensor> inputs;
  inputs.push_back(random_f32({5, 37}, 7));
  std::vector<Tensor> first = run(named, inputs);
  EXPECT_TRUE(same_bits(first[0], run(torch, inputs)[0]));
  EXPECT_TRUE(same_bits(first[0], run(fx, inputs)[0]));
}

TEST(BodyExecute, MovementIsExact) {
  TensorFunction function = body(R"(func @k(%x: f32[4, 6]) {
    %t = transpose %x {permutation = [1, 0]} : f32[6, 4]
    %s = slice %t {offsets = sizes[1, 0], sizes = sizes[2, 2], strides = [3, 2]} : f32[2, 2]
    %r = reshape %s {shape = sizes[4]} : f32[4]
    %b = broadcast %r {dims = [1], shape = sizes[2, 4]} : f32[2, 4]
    %c = concat %b, %b {dim = 0} : f32[4, 4]
    %i = insert_slice %s, %c {offsets = sizes[1, 1], sizes = sizes[2, 2], strides = [1, 2]} : f32[4, 4]
    return %i, %t })");
  std::vector<Tensor> inputs;
  inputs.push_back(random_f32({4, 6}, 3));
  ConstTensorView x = inputs[0].view();
  std::vector<Tensor> out = run(function, inputs);
  auto s = [&](int i, int j) { return x.at<float>({2 * j, 1 + 3 * i}); };
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      bool inside = (i == 1 || i == 2) && (j == 1 || j == 3);
      float wanted = inside ? s(i - 1, (j - 1) / 2) : s(j / 2, j % 2);
      EXPECT_EQ(out[0].view().at<float>({i, j}), wanted) << i << "," << j;
    }
  EXPECT_EQ(out[1].view().at<float>({5, 3}), x.at<float>({3, 5}));
}

TEST(BodyExecute, SizesComeFromTheArguments) {
  TensorFunction function = body(R"(func @k(%x: f32[s0, 2], %n: scalar i64) {
    %one = size {value = sizes[n*s0]} : i64[]
    %f = cast %one {dtype = f32, round = "rint"} : f32[]
    %b = broadcast %f {dims = [], shape = sizes[s0, 2]} : f32[s0, 2]
    %d = div %x, %b : f32[s0, 2]
    return %d })");
  Tensor x = random_f32({3, 2}, 5);
  std::vector<BodyArgument> arguments{x.view(), std::int64_t{4}};
  std::vector<Tensor> out = execute(function, arguments);
  EXPECT_EQ(out[0].view().at<float>({2, 1}), x.view().at<float>({2, 1}) / 12.0F);
}

TEST(BodyExecute, UndefinedElementsHoldTheSignallingPattern) {
  TensorFunction function = body(R"(func @k(%x: f32[2]) {
    %e = empty {dtype = f32, shape = sizes[3]} : f32[3]
    %u = insert_slice %x, %e {offsets = sizes[0], sizes = sizes[2], strides = [1]} : f32[3]
    return %u })");
  std::vector<Tensor> inputs;
  inputs.push_back(random_f32({2}, 5));
  std::vector<Tensor> out = run(function, inputs);
  EXPECT_FALSE(std::isnan(out[0].view().at<float>({1})));
  EXPECT_TRUE(std::isnan(out[0].view().at<float>({2})));
}

TEST(BodyExecute, WrongArgumentsAreNamed) {
  TensorFunction function = body("func @k(%x: f32[s0, 2], %y: f32[s0]) { return %x }");
  Tensor x = random_f32({3, 2}, 5);
  Tensor y = random_f32({4}, 5);
  std::vector<BodyArgument> different{x.view(), y.view()};
  EXPECT_THROW(execute(function, different), ExecutionError);
  std::vector<BodyArgument> fewer{x.view()};
  EXPECT_THROW(execute(function, fewer), ExecutionError);
  std::vector<BodyArgument> number{x.view(), std::int64_t{3}};
  EXPECT_THROW(execute(function, number), ExecutionError);
}

/// "Adding an op" of docs/architecture.md: both halves carry one name.
TEST(BodyExecute, EveryOperationOfTheModelHasAKernel) {
  const std::set<std::string_view> handled{"constant", "dense", "loaded", "size", "empty", "overwrite"};
  for (const auto& [name, rule] : model::OpRegistry::shipped().rules())
    EXPECT_TRUE(handled.count(name) || kernels::OpRegistry::builtin().find(name)) << name;
}

}  // namespace
}  // namespace bufferproof::simulator
