// What convolution's definition and fast kernel share: checks, the list of taps, and where the fast kernel
// stages its input. Tested by tests/kernels_ref/convolution_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels_ref/gemm/convolution.hpp"

namespace bufferproof::kernels {

/// A place in a filter; channel -1 is a zero tap that fills up a channel group.
struct Tap {
  std::int64_t channel;
  std::int64_t y;
  std::int64_t x;
};
/// All taps of one filter, in the profile's order.
std::vector<Tap> convolution_taps(std::int64_t group_channels, std::int64_t kernel_height,
                                  std::int64_t kernel_width, const NumericsProfile& profile);

/// Throws KernelError unless the filter tensor can be one, whatever the input.
void check_filter(const ConvolutionParams& params, const ConstTensorView& weight);
/// Throws KernelError unless element types agree and output and epilogue have the shapes the operands ask
/// for.
void check_convolution(const ConvolutionShape& shape, const ConstTensorView& input, DType weight,
                       const ConstTensorView& output, const ConvolutionEpilogue& epilogue);

/// One dimension of the padded copy of an input (gemm/stage_kernel.hpp): the phases taps read, and their
/// length.
struct StagedAxis {
  std::vector<std::int64_t> phases;  ///< ascending
  std::int64_t phase_size;
  std::int64_t size() const { return static_cast<std::int64_t>(phases.size()) * phase_size; }
  /// Where kernel position `tap` of output 0 stands.
  std::int64_t position(std::int64_t tap, std::int64_t dilation, std::int64_t stride) const;
};

/// The padded copy: per image, per channel, a plane of rows.
struct StagedLayout {
  StagedAxis rows;
  StagedAxis columns;
  std::int64_t plane;
  std::int64_t planes_per_image;  ///< one more than the channels when there are zero taps
  std::int64_t image;

  std::int64_t offset(const ConvolutionParams& params, const Tap& tap, std::int64_t first_channel) const;
};
StagedLayout staged_layout(const ConvolutionParams& params, const ConvolutionShape& shape, bool zero_taps);

}  // namespace bufferproof::kernels
