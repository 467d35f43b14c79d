#include "model/read/kernel_bodies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/resnet/network.hpp"
#include "model/lower.hpp"
#include "model/read/wrapper/wrapper.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Program emitted(examples::WrapperOptions options, const TracedGraphs& graphs = {}) {
  Program program = wrapper::read_wrappers(examples::emit_resnet({}, options).text, "r18.py").at(0);
  read_kernel_bodies(program, graphs);
  return program;
}

/// The body with the batch called s0, however its text calls it.
TensorFunction with_batch_symbol(const TensorFunction& body) {
  std::string text = print(body);
  const auto symbol = body.parameter_types().at(0).shape.at(0).as_symbol();
  if (!symbol) return body;
  const std::string from = "[" + *symbol + ", ";
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
    text.replace(at, from.size(), "[s0, ");
  return parse_tensor_function(text);
}

TEST(KernelBodies, ThreeTextsOfOneNetworkComputeTheSame) {
  for (const bool dynamic : {false, true}) {
    const Program named = emitted({.dynamic = dynamic});
    const Program torch = emitted({.text = examples::KernelText::torch, .dynamic = dynamic});
    const Program fx = emitted({.text = examples::KernelText::fx, .dynamic = dynamic});
    ASSERT_EQ(named.kernels.size(), 12u);
    for (std::size_t i = 0; i < named.kernels.size(); ++i) {
      ASSERT_TRUE(named.kernels[i].body) << named.kernels[i].body_unsupported;
      ASSERT_TRUE(torch.kernels[i].body) << torch.kernels[i].body_unsupported;
      ASSERT_TRUE(fx.kernels[i].fx_body) << fx.kernels[i].body_unsupported;
      const TensorFunction by_fx = with_batch_symbol(*fx.kernels[i].fx_body);
      EXPECT_TRUE(same_body(with_batch_symbol(*torch.kernels[i].body), by_fx)) << print(by_fx);
      // Named ops keep the alpha multiplications and broadcast at once: other operations, the same interface.
      const TensorFunction by_name = with_batch_symbol(*named.kernels[i].body);
      EXPECT_TRUE(by_name.result_types() == by_fx.result_types()) << print(by_name);
      EXPECT_TRUE(by_name.parameter_types() == by_fx.parameter_types()) << print(by_name);
    }
  }
}

TEST(KernelBodies, TracedGraphsAreJoinedByTheirHash) {
  TracedGraphs graphs;
  for (const auto& [hash, text] : examples::emit_resnet({}, {}).traced_graphs)
    graphs[hash] = {text, hash + ".py"};
  const Program program = emitted({}, graphs);
  for (const KernelDef& kernel : program.kernels) EXPECT_TRUE(kernel.fx_body) << kernel.body_unsupported;
  EXPECT_TRUE(lower(program, *find_profile("torch_npu-26.0.0")).assumptions.empty());
}

Program one_kernel(const std::string& text) {
  Program program;
  program.dialect = Dialect::wrapper;
  program.kernels.push_back(
      {.name = "k", .kind = KernelKind::mlir_auto_fallback, .text = text, .num_outputs = 1});
  read_kernel_bodies(program);
  return program;
}

TEST(KernelBodies, WhatIsNotUnderstoodSaysWhyAndWhere) {
  const Program unknown = one_kernel(
      "module {\n func.func @k(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = \"frob.nicate\"(%arg0) : "
      "(tensor<4xf32>) "
      "-> tensor<4xf32>\n  return %0 : tensor<4xf32>\n }\n}\n");
  EXPECT_FALSE(unknown.kernels[0].body);
  EXPECT_THAT(unknown.kernels[0].body_unsupported, HasSubstr("frob.nicate"));
  EXPECT_FALSE(one_kernel("func.func @k(").kernels[0].body_unsupported.empty());
  EXPECT_TRUE(one_kernel("").kernels[0].body_unsupported.empty());
}

TEST(KernelBodies, CastsNoCompilerAcceptsAreARisk) {
  const Program program = one_kernel(
      "module {\n func.func @k(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n  %cst = arith.constant "
      "1.000000e-01 : f32\n"
      "  %0 = arith.truncf %cst : f32 to f32\n  %1 = tensor.empty() : tensor<4xf32>\n"
      "  %2 = linalg.fill ins(%0 : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32>\n  return %2 : "
      "tensor<4xf32>\n }\n}\n");
  ASSERT_EQ(program.risks.size(), 1u) << program.kernels[0].body_unsupported;
  EXPECT_THAT(program.risks[0].message, HasSubstr("always falls back"));
}

}  // namespace
}  // namespace bufferproof::model
