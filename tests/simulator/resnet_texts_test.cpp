// ResNet-18 emitted in all three kernel texts: each fused kernel is one body up to naming, and gives the same
// bits when executed from either text.
#include <gtest/gtest.h>

#include <cstring>

#include "examples/resnet/network.hpp"
#include "kernels_ref/network/random.hpp"
#include "model/body/simplify.hpp"
#include "model/read/kernel_bodies.hpp"
#include "model/read/wrapper/wrapper.hpp"
#include "simulator/body/execute.hpp"

namespace bufferproof::simulator {
namespace {

using examples::KernelText;
using kernels::Tensor;
using model::TensorFunction;

struct Kernel {
  std::string name;
  TensorFunction body;
};

std::vector<Kernel> kernels_of(KernelText text, bool dynamic) {
  examples::NetworkOptions network;
  network.image = 32;
  examples::WrapperOptions options;
  options.text = text;
  options.dynamic = dynamic;
  options.batch = 2;
  model::Program program =
      model::wrapper::read_wrappers(examples::emit_resnet(network, options).text, "resnet18.py").at(0);
  model::read_kernel_bodies(program);
  std::vector<Kernel> out;
  for (const model::KernelDef& kernel : program.kernels) {
    const auto& body = kernel.body ? kernel.body : kernel.fx_body;
    EXPECT_TRUE(body) << kernel.name << ": " << kernel.body_unsupported;
    if (body) out.push_back({kernel.name, *body});
  }
  return out;
}

/// A dynamic batch is 3.
std::vector<Tensor> inputs(const TensorFunction& function) {
  std::vector<Tensor> out;
  for (model::ValueId id : function.parameters) {
    kernels::Sizes sizes;
    for (const model::SymExpr& size : function.type(id).shape) sizes.push_back(size.constant().value_or(3));
    // Variances are positive.
    const double centre = sizes.size() == 1 ? 1.5 : 0.0;
    out.push_back(kernels::seeded_tensor(model::DType::f32, sizes, out.size() + 1, centre, 1.0));
  }
  return out;
}

std::vector<Tensor> run(const TensorFunction& function, const std::vector<Tensor>& tensors) {
  std::vector<BodyArgument> arguments;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (function.value(function.parameters[i]).scalar)
      arguments.emplace_back(std::int64_t{3});
    else
      arguments.emplace_back(tensors[i].view());
  }
  return execute(function, arguments);
}

void expect_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b, const std::string& name) {
  ASSERT_EQ(a.size(), b.size()) << name;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].sizes(), b[i].sizes()) << name;
    EXPECT_EQ(std::memcmp(a[i].view().bytes(), b[i].view().bytes(), a[i].size_in_bytes()), 0) << name;
  }
}

class ResNetTexts : public ::testing::TestWithParam<bool> {};

TEST_P(ResNetTexts, AreOneBodyPerKernelAndGiveTheSameBits) {
  const std::vector<Kernel> named = kernels_of(KernelText::named_op, GetParam());
  ASSERT_GE(named.size(), 12u);
  for (const KernelText text : {KernelText::torch, KernelText::fx}) {
    const std::vector<Kernel> other = kernels_of(text, GetParam());
    ASSERT_EQ(other.size(), named.size());
    for (std::size_t i = 0; i < named.size(); ++i) {
      EXPECT_EQ(other[i].name, named[i].name);
      const TensorFunction a = model::simplify(named[i].body);
      const TensorFunction b = model::simplify(other[i].body);
      EXPECT_TRUE(model::same_body(a, b)) << model::print(a) << model::print(b);
      const std::vector<Tensor> tensors = inputs(named[i].body);
      expect_same_bits(run(named[i].body, tensors), run(other[i].body, tensors), named[i].name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Batch, ResNetTexts, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Dynamic" : "Static"; });

}  // namespace
}  // namespace bufferproof::simulator
