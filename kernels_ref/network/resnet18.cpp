#include "kernels_ref/network/resnet18.hpp"

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "kernels_ref/gemm/convolution.hpp"
#include "kernels_ref/gemm/matmul.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/network/random.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::int64_t kClasses = 1000;

/// A convolution with its folded batch norm.
class Layer {
 public:
  Layer(std::uint64_t seed, DType dtype, const NumericsProfile& profile, const Sizes& weight,
        std::int64_t stride, double gain)
      : scale_(seeded_tensor(dtype, {weight[0]}, seed + 1, gain, gain / 4)),
        shift_(seeded_tensor(dtype, {weight[0]}, seed + 2, 0, 0.125)),
        params_{{stride, stride}, {weight[2] / 2, weight[3] / 2}, {1, 1}, 1},
        weight_sizes_(weight),
        convolution_(params_, initial_weight(seed, dtype, weight).view(), profile) {}

  Sizes out_sizes(const Sizes& input) const {
    return convolution_shape(params_, input, weight_sizes_).out_sizes();
  }
  void run(const ConstTensorView& input, const TensorView& output, const ConstTensorView& addend,
           bool relu) const {
    convolution_.run(input, output, {scale_.view(), shift_.view(), addend, relu});
  }

 private:
  /// Uniform with He's variance, 2 / taps.
  static Tensor initial_weight(std::uint64_t seed, DType dtype, const Sizes& sizes) {
    return seeded_tensor(dtype, sizes, seed, 0,
                         std::sqrt(6.0 / static_cast<double>(sizes[1] * sizes[2] * sizes[3])));
  }

  Tensor scale_;
  Tensor shift_;
  ConvolutionParams params_;
  Sizes weight_sizes_;
  PreparedConvolution convolution_;
};

struct Block {
  Layer first;
  Layer second;
  std::optional<Layer> shortcut;
};

/// An activation buffer that is reused: a view of the asked-for sizes on memory that only grows.
class Activation {
 public:
  TensorView reshape(DType dtype, const Sizes& sizes) {
    if (storage_.dtype() != dtype || storage_.element_count() < element_count(sizes))
      storage_ = Tensor(dtype, sizes);
    return {storage_.view().bytes(), dtype, sizes};
  }

 private:
  Tensor storage_;
};

}  // namespace

struct ResNet18::Network {
  DType dtype;
  NumericsProfile profile;
  Layer stem;
  std::vector<Block> blocks;
  Tensor classifier;
  Tensor bias;
  Activation stem_out, pooled, hidden, outputs[2];

  Network(std::uint64_t seed, DType type, const NumericsProfile& numerics)
      : dtype(type),
        profile(numerics),
        stem(seed, type, numerics, {64, 3, 7, 7}, 2, 1),
        classifier(seeded_tensor(type, {kClasses, 512}, seed + 3, 0, 0.0625)),
        bias(seeded_tensor(type, {kClasses}, seed + 4, 0, 0.0625)) {
    std::int64_t channels = 64;
    for (const std::int64_t filters : {64, 128, 256, 512})
      for (int i = 0; i < 2; ++i) {
        const std::int64_t stride = i == 0 && filters != 64 ? 2 : 1;
        add_block(seed + 16 * (blocks.size() + 1), channels, filters, stride);
        channels = filters;
      }
  }

  void add_block(std::uint64_t seed, std::int64_t channels, std::int64_t filters, std::int64_t stride) {
    Block block{Layer(seed, dtype, profile, {filters, channels, 3, 3}, stride, 1),
                Layer(seed + 4, dtype, profile, {filters, filters, 3, 3}, 1, 0.5), std::nullopt};
    if (stride != 1)
      block.shortcut.emplace(seed + 8, dtype, profile, Sizes{filters, channels, 1, 1}, stride, 1);
    blocks.push_back(std::move(block));
  }

  /// Returns the block's output, which lies in one of the two buffers the input does not use.
  TensorView run_block(const Block& block, const TensorView& input, Activation& middle, Activation& out) {
    const Sizes sizes = block.first.out_sizes(input.sizes());
    const TensorView hidden = middle.reshape(dtype, sizes);
    TensorView output = out.reshape(dtype, sizes);
    block.first.run(input, hidden, {}, true);
    if (block.shortcut) block.shortcut->run(input, output, {}, false);
    block.second.run(hidden, output, block.shortcut ? output : input, true);
    return output;
  }

  TensorView pool(const ConstTensorView& stem_values) {
    const auto half = [](std::int64_t size) { return (size + 1) / 2; };
    TensorView out = pooled.reshape(dtype, {stem_values.size(0), stem_values.size(1),
                                            half(stem_values.size(2)), half(stem_values.size(3))});
    OpRegistry::builtin().run({"max_pool2d",
                               {stem_values},
                               {{"kernel", std::vector<std::int64_t>{3, 3}},
                                {"stride", std::vector<std::int64_t>{2, 2}},
                                {"padding", std::vector<std::int64_t>{1, 1}}},
                               {out},
                               profile});
    return out;
  }

  Tensor classify(const ConstTensorView& last) {
    const std::int64_t batch = last.size(0);
    Tensor features(dtype, {batch, 512, 1, 1});
    OpRegistry::builtin().run({"adaptive_avg_pool2d",
                               {last},
                               {{"output", std::vector<std::int64_t>{1, 1}}},
                               {features.view()},
                               profile});
    Tensor logits(dtype, {batch, kClasses});
    const ConstTensorView rows(features.view().bytes(), dtype, {1, batch, 512});
    const ConstTensorView weight(classifier.view().bytes(), dtype, {1, 512, kClasses}, {0, 1, 512});
    const ConstTensorView addend(bias.view().bytes(), dtype, {1, batch, kClasses}, {0, 0, 1});
    matmul("addmm", rows, weight, {logits.view().bytes(), dtype, {1, batch, kClasses}}, {addend, 1, 1},
           profile);
    return logits;
  }
};

ResNet18::ResNet18(std::uint64_t seed, DType dtype, const NumericsProfile& profile)
    : network_(std::make_unique<Network>(seed, dtype, profile)) {}
ResNet18::ResNet18(ResNet18&&) noexcept = default;
ResNet18::~ResNet18() = default;

Tensor ResNet18::forward(const ConstTensorView& images) {
  Network& net = *network_;
  const TensorView stem = net.stem_out.reshape(net.dtype, net.stem.out_sizes(images.sizes()));
  net.stem.run(images, stem, {}, true);
  TensorView features = net.pool(stem);
  for (std::size_t i = 0; i < net.blocks.size(); ++i)  // outputs alternate, so an input is never overwritten
    features = net.run_block(net.blocks[i], features, net.hidden, net.outputs[i % 2]);
  return net.classify(features);
}

Tensor ResNet18::images(DType dtype, std::int64_t batch, std::int64_t size, std::uint64_t seed) {
  return seeded_tensor(dtype, {batch, 3, size, size}, seed, 0, 2);
}

}  // namespace bufferproof::kernels
