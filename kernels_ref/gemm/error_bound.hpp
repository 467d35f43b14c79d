// L3: how far a convolution or matrix product may be from the exact result, proven per element.
//
// With u the unit roundoff of the sum's type (2^-24 or 2^-53), n taps and S = sum |weight| |value| over the
// rounded operands (an f64 run on absolute values), a tap passes through at most d roundings:
//   d = n for one chain;  d = min(b, n) + ceil(n / b) - 1 for blocks of b;  one more where products are
//   rounded;
// so |sum - exact| <= gamma S + r h (1 + gamma), gamma = d u / (1 - d u), where r counts all roundings and h
// is half the smallest subnormal (Higham, Accuracy and Stability, section 3.1, with underflow). Rounded
// operands add sum (|dw| |x| + |w'| |dx|). Each epilogue step adds u (|v| + error) + h (|v| from a second f64
// run), and so does the rounding to the output's type. The bound is +infinity where an operand is not finite
// or the result may leave the type's range. The f64 arithmetic of the bound itself is covered by a factor 1 +
// (n + 64) 2^-50. It holds for every order of sums of the stated depth, so it also bounds a device whose
// order inside a block is unknown (k_block set to the block's length). Tested by
// tests/kernels_ref/error_bound_test.cpp.
#pragma once

#include "kernels_ref/gemm/convolution.hpp"
#include "kernels_ref/gemm/matmul.hpp"
#include "kernels_ref/numerics.hpp"
#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// Exact result of what: the operands as given, or as the profile rounds them before multiplying (HF32, bf16,
/// ...).
enum class ExactOf : std::uint8_t { given_operands, rounded_operands };

/// An f64 tensor of the output's shape. Arguments and errors as convolution's.
Tensor convolution_error_bound(const ConvolutionParams& params, const ConstTensorView& input,
                               const ConstTensorView& weight, const ConvolutionEpilogue& epilogue,
                               const NumericsProfile& profile, ExactOf exact);
/// An f64 tensor [B, M, N]. Arguments and errors as matmul's.
Tensor matmul_error_bound(std::string_view op, const ConstTensorView& a, const ConstTensorView& b,
                          const MatmulEpilogue& epilogue, const NumericsProfile& profile, ExactOf exact);

}  // namespace bufferproof::kernels
