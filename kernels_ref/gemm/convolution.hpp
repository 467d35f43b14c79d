// Two-dimensional convolution (cross-correlation, as PyTorch's aten.convolution) of NCHW tensors with any
// strides.
//
// Definition of one output element [n, m, y, x], filter m of group g:
//   sum of products (gemm/arithmetic.hpp: chain or blocks, fused or not, f32 or f64) over the taps (c, i, j)
//   in the profile's tap order of weight[m, c, i, j] * input[n, g*C/groups + c, y*stride - padding +
//   i*dilation, ...], operands rounded as the profile says, padding being zeros that are multiplied like any
//   other element (a weight that is infinite there gives NaN); then the epilogue, each step one rounding in
//   the sum's type; then one rounding to the output's element type.
// In tap order (c1, i, j, c0) channels are filled up with zero taps to a multiple of the group, as the cube
// does. Element types: f16, bf16, f32, f64; input, weight and output of one type. Not here: transposed
// convolution, 3-D. Tested by tests/kernels_ref/convolution_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "kernels_ref/numerics.hpp"
#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// (vertical, horizontal).
struct ConvolutionParams {
  std::array<std::int64_t, 2> stride{1, 1};
  std::array<std::int64_t, 2> padding{0, 0};
  std::array<std::int64_t, 2> dilation{1, 1};
  std::int64_t groups = 1;
};

/// Steps after the sum, in this order; absent ones are empty views (rank 0, no data).
///   scale and shift: v = fma(v, scale[m], shift[m]);   shift alone (a bias): v = v + shift[m]
///   addend (shape of the output): v = v + addend;      relu: v = v > 0 ? v : +0, NaN stays NaN
struct ConvolutionEpilogue {
  ConstTensorView scale;
  ConstTensorView shift;
  ConstTensorView addend;
  bool relu = false;
};

struct ConvolutionShape {
  std::int64_t batch, channels, height, width;
  std::int64_t filters, group_channels, kernel_height, kernel_width;
  std::int64_t out_height, out_width;
  Sizes out_sizes() const { return {batch, filters, out_height, out_width}; }
};
/// Throws KernelError (op "convolution") naming the argument and the expected shape.
ConvolutionShape convolution_shape(const ConvolutionParams& params, const Sizes& input, const Sizes& weight);

class ConvolutionPlan;

/// Weights packed once for the current instruction set, for any number of inputs of any batch and size.
class PreparedConvolution {
 public:
  PreparedConvolution(const ConvolutionParams& params, const ConstTensorView& weight,
                      const NumericsProfile& profile);
  PreparedConvolution(PreparedConvolution&&) noexcept;
  PreparedConvolution& operator=(PreparedConvolution&&) noexcept;
  ~PreparedConvolution();
  /// Writes every element of `output`, which must not overlap an operand (but may be the addend itself).
  void run(const ConstTensorView& input, const TensorView& output,
           const ConvolutionEpilogue& epilogue = {}) const;

 private:
  std::unique_ptr<const ConvolutionPlan> plan_;
};

void convolution(const ConvolutionParams& params, const ConstTensorView& input, const ConstTensorView& weight,
                 const TensorView& output, const ConvolutionEpilogue& epilogue,
                 const NumericsProfile& profile);
/// The scalar definition; the same bits, one element at a time.
void convolution_definition(const ConvolutionParams& params, const ConstTensorView& input,
                            const ConstTensorView& weight, const TensorView& output,
                            const ConvolutionEpilogue& epilogue, const NumericsProfile& profile);

}  // namespace bufferproof::kernels
