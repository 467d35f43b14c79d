// ResNet-18 (inference) on the reference kernels, with seeded weights: the whole-network golden output and
// benchmark.
//
// Batch norms are folded to one scale and shift a channel and fused behind their convolution: v = fma(sum,
// scale, shift), then the residual is added, then ReLU, each step one rounding (gemm/convolution.hpp). The
// rest is the registered ops max_pool2d, adaptive_avg_pool2d and addmm.
// Tested by tests/kernels_ref/resnet18_test.cpp.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels_ref/numerics.hpp"
#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

class ResNet18 {
 public:
  /// `dtype` is f32 or f64. The same seed gives the same weights everywhere; f64 weights hold the f32 values.
  ResNet18(std::uint64_t seed, DType dtype, const NumericsProfile& profile);
  ResNet18(ResNet18&&) noexcept;
  ~ResNet18();

  /// images [N, 3, H, W], H and W at least 32, to logits [N, 1000]. Not thread-safe: activations are kept for
  /// the next call.
  Tensor forward(const ConstTensorView& images);
  /// Seeded images in [-2, 2); image i does not depend on the batch size.
  static Tensor images(DType dtype, std::int64_t batch, std::int64_t size, std::uint64_t seed);

 private:
  struct Network;
  std::unique_ptr<Network> network_;
};

}  // namespace bufferproof::kernels
