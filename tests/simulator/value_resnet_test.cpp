// Whole ResNet-18 wrappers with values: every profile, every delivery, golden values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels_ref/network/random.hpp"
#include "kernels_ref/network/resnet18.hpp"
#include "model/library_call.hpp"
#include "tests/simulator/emitted_support.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::DType;
using kernels::Tensor;
using model::MemoryFill;

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         std::memcmp(a.view().bytes(), b.view().bytes(), a.size_in_bytes()) == 0;
}

/// Inputs for which the wrapper is kernels_ref's ResNet18(seed): batch norms of mean 0 and deviation 1, their
/// weight the folded scale.
class Weights {
 public:
  explicit Weights(std::uint64_t seed) : seed_(seed) {}

  std::map<std::string, Tensor> of(const model::Program& program, const Tensor& images) {
    std::vector<const model::Launch*> launches;
    for (const model::Step& step : program.body)
      if (const auto* launch = std::get_if<model::Launch>(&step.node)) launches.push_back(launch);
    std::map<std::string, double> layer_of;  // convolution's result -> its layer
    for (const model::Launch* launch : launches) {
      if (launch->call && launch->call->op.find("convolution") != std::string::npos)
        convolution(*launch, images);
      else if (launch->definition >= 0)
        batch_norms(*launch);
    }
    linear();
    return std::move(tensors_);
  }

 private:
  struct Layer {
    std::uint64_t seed;
    double gain;
  };

  /// The order of the wrapper: stem, then per block first, second, shortcut.
  Layer layer(std::size_t index) const {
    if (index == 0) return {seed_, 1};
    std::size_t at = 1;
    for (std::size_t block = 0; block < 8; ++block) {
      const std::uint64_t seed = seed_ + 16 * (block + 1);
      const bool projected = block == 2 || block == 4 || block == 6;
      if (index == at) return {seed, 1};
      if (index == at + 1) return {seed + 4, 0.5};
      if (projected && index == at + 2) return {seed + 8, 1};
      at += projected ? 3 : 2;
    }
    throw std::out_of_range("layer");
  }

  void convolution(const model::Launch& launch, const Tensor& images) {
    const auto& call = *launch.call;
    const std::string weight = call.arguments.at(1).tensor.str();
    const std::vector<std::int64_t> sizes = sizes_of(index_);
    const Layer made = layer(index_);
    const double spread = std::sqrt(6.0 / static_cast<double>(sizes[1] * sizes[2] * sizes[3]));
    tensors_.emplace(weight, kernels::seeded_tensor(DType::f32, sizes, made.seed, 0, spread));
    if (index_ == 0) tensors_.emplace(call.arguments.at(0).tensor.str(), images);
    layers_[call.results.at(0).str()] = {made, sizes[0]};
    ++index_;
  }

  void batch_norms(const model::Launch& launch) {
    std::vector<std::string> names;
    for (const model::Argument& argument : launch.arguments)
      if (!argument.handle.empty()) names.push_back(argument.handle.str());
    for (std::size_t i = 0; i + 4 < names.size(); ++i)
      if (const auto found = layers_.find(names[i]); found != layers_.end()) {
        const auto [made, channels] = found->second;
        const float variance = 1.0F - 1e-5F;
        EXPECT_EQ(std::sqrt(variance + 1e-5F), 1.0F);
        tensors_.emplace(names[i + 1], kernels::seeded_tensor(DType::f32, {channels}, 0, 0, 0));
        tensors_.emplace(names[i + 2], kernels::seeded_tensor(DType::f32, {channels}, 0, variance, 0));
        tensors_.emplace(names[i + 3], kernels::seeded_tensor(DType::f32, {channels}, made.seed + 1,
                                                              made.gain, made.gain / 4));
        tensors_.emplace(names[i + 4],
                         kernels::seeded_tensor(DType::f32, {channels}, made.seed + 2, 0, 0.125));
        last_ = names[i + 4];
      }
  }

  void linear() {
    const int last = std::stoi(last_.substr(3));  // argN_1: the classifier's come next
    tensors_.emplace("arg" + std::to_string(last + 1) + "_1",
                     kernels::seeded_tensor(DType::f32, {1000, 512}, seed_ + 3, 0, 0.0625));
    tensors_.emplace("arg" + std::to_string(last + 2) + "_1",
                     kernels::seeded_tensor(DType::f32, {1000}, seed_ + 4, 0, 0.0625));
  }

  static std::vector<std::int64_t> sizes_of(std::size_t index) {
    if (index == 0) return {64, 3, 7, 7};
    std::int64_t channels = 64;
    std::size_t at = 1;
    for (const std::int64_t filters : {64, 128, 256, 512})
      for (int i = 0; i < 2; ++i) {
        if (index == at) return {filters, channels, 3, 3};
        if (index == at + 1) return {filters, filters, 3, 3};
        const bool projected = i == 0 && filters != 64;
        if (projected && index == at + 2) return {filters, channels, 1, 1};
        at += projected ? 3 : 2;
        channels = filters;
      }
    throw std::out_of_range("layer");
  }

  std::uint64_t seed_;
  std::size_t index_ = 0;
  std::map<std::string, std::pair<Layer, std::int64_t>> layers_;  ///< by the convolution's result
  std::string last_;
  std::map<std::string, Tensor> tensors_;
};

Tensor golden(const model::Program& program, std::int64_t images, std::int64_t image,
              const model::RunPlan& plan = {}) {
  const auto tensors = Weights(1).of(program, kernels::ResNet18::images(DType::f32, images, image, 7));
  ValueOptions options;
  options.tensors = &tensors;
  options.numerics.contract_mul_add = true;  // the network's folded batch norm is one rounding
  return result(run_values(program, plan, options));
}

TEST(ValueResNet, GoldenIsTheReferenceNetworkToTheBit) {
  kernels::NumericsProfile numerics;
  numerics.contract_mul_add = true;
  kernels::ResNet18 network(1, DType::f32, numerics);
  for (const std::int64_t size : {1, 8}) {
    const Tensor wanted = network.forward(kernels::ResNet18::images(DType::f32, size, 32, 7).view());
    EXPECT_TRUE(same_bits(golden(emitted("stock", small_network(), batch(size)), size, 32), wanted)) << size;
  }
}

TEST(ValueResNet, DynamicWrappersGiveTheSameBits) {
  const Tensor fixed = golden(emitted("stock", small_network(), batch(2)), 2, 32);
  examples::WrapperOptions dynamic = batch(2);
  dynamic.dynamic = true;
  model::RunPlan plan;
  plan.calls = {{{"s0", 2}}};
  EXPECT_TRUE(same_bits(golden(emitted("stock", small_network(), dynamic), 2, 32, plan), fixed));
}

/// Every text, runtime, and road of real runtimes computes the same network.
TEST(ValueResNet, TextsRuntimesAndRoadsAgree) {
  const auto network = small_network();
  const Tensor wanted = result(run_values(emitted("stock", network, batch(1)), {}));
  EXPECT_EQ(nans(wanted), 0U);
  for (const auto text :
       {examples::KernelText::named_op, examples::KernelText::torch, examples::KernelText::fx}) {
    examples::WrapperOptions wrapper = batch(1);
    wrapper.text = text;
    for (const char* profile : {"torch_npu-7.x", "torch_npu-26.0.0", "torch_npu-26.1.0", "torch_npu-dev"}) {
      const model::Program program = emitted(profile, network, wrapper);
      model::RunPlan plan;
      EXPECT_TRUE(same_bits(result(run_values(program, plan)), wanted)) << profile;
      for (const model::KernelDef& kernel : program.kernels) plan.variants[kernel.name] = "fallback";
      const ValueTrace fallen = run_values(program, plan);
      EXPECT_TRUE(same_bits(result(fallen), wanted)) << profile;
      EXPECT_TRUE(fallen.tags.findings.empty());
    }
  }
}

TEST(ValueResNet, EachStageAlone) {
  for (int stage = 0; stage <= 4; ++stage) {
    const ValueTrace trace =
        run_values(emitted("torch_npu-26.0.0", small_network(stage, stage), batch(1)), {});
    EXPECT_EQ(nans(result(trace)), 0U) << stage;
  }
}

model::RunPlan all_fall_back(const model::Program& program, MemoryFill memory) {
  model::RunPlan plan;
  plan.memory = memory;
  for (const model::KernelDef& kernel : program.kernels) plan.variants[kernel.name] = "fallback";
  return plan;
}

/// H1 of the case: NaN, or finite wrong values that depend on what lay in memory before.
TEST(ValueResNet, E5_AsReported) {
  const model::Program program = emitted("as-reported", small_network(), batch(1));
  const Tensor right = result(run_values(program, {}));
  const Tensor lost = result(run_values(program, all_fall_back(program, MemoryFill::nan)));
  EXPECT_EQ(nans(lost), 1000U);
  model::RunPlan pool = all_fall_back(program, MemoryFill::pool);
  pool.calls.resize(2);
  const ValueTrace leftovers = run_values(program, pool);
  EXPECT_EQ(nans(result(leftovers, 0)), 0U);
  EXPECT_EQ(nans(result(leftovers, 1)), 0U);
  EXPECT_FALSE(same_bits(result(leftovers, 0), right));
  EXPECT_FALSE(same_bits(result(leftovers, 1), right));
}

TEST(ValueResNet, S3_CapturedViewsShowTheOldMemory) {
  examples::WrapperOptions wrapper = batch(1);
  wrapper.captured_views = true;
  wrapper.reuse = false;
  const model::Program program = emitted("torch_npu-26.0.0", small_network(), wrapper);
  EXPECT_EQ(nans(result(run_values(program, {}))), 0U);
  EXPECT_GT(nans(result(run_values(program, all_fall_back(program, MemoryFill::nan)))), 0U);
}

}  // namespace
}  // namespace bufferproof::simulator
