// The twenty convolutions of ResNet-18 at 224 x 224, as shapes with counts: what the convolution benchmarks
// run.
#pragma once

#include <array>
#include <cstdint>

namespace bufferproof::bench {

struct ConvolutionCase {
  int count;  ///< how often the network runs it
  std::int64_t channels, size, filters, kernel, stride, padding;
  std::int64_t out_size() const { return (size + 2 * padding - kernel) / stride + 1; }
  /// Multiply-adds of one image, padding included.
  double work() const {
    return static_cast<double>(channels * kernel * kernel) *
           static_cast<double>(filters * out_size() * out_size());
  }
};

inline constexpr std::array<ConvolutionCase, 11> kResNet18{{
    {1, 3, 224, 64, 7, 2, 3},
    {4, 64, 56, 64, 3, 1, 1},
    {1, 64, 56, 128, 3, 2, 1},
    {1, 64, 56, 128, 1, 2, 0},
    {3, 128, 28, 128, 3, 1, 1},
    {1, 128, 28, 256, 3, 2, 1},
    {1, 128, 28, 256, 1, 2, 0},
    {3, 256, 14, 256, 3, 1, 1},
    {1, 256, 14, 512, 3, 2, 1},
    {1, 256, 14, 512, 1, 2, 0},
    {3, 512, 7, 512, 3, 1, 1},
}};

}  // namespace bufferproof::bench
