// Registers convolution, matmul, bmm, addmm and baddbmm, and bounds their errors.
//
// convolution  inputs: input [N, C, H, W] (or [N, C, W], [C, H, W]), weight, bias (may be absent);
// attributes: stride, padding,
//              dilation (one value or one a dimension), groups; transposed must be false.
// matmul, bmm  inputs: a, b of rank 2, of rank 3.
// addmm, baddbmm  inputs: addend (broadcast to the output), a, b; attributes: alpha, beta (1).
// Tested by tests/kernels_ref/gemm_ops_test.cpp.
#pragma once

#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

class OpRegistry;
struct OpCall;
void register_gemm_ops(OpRegistry& registry);

/// The proven error bound of such a call on its operands as given (error_bound.hpp): f64, the output's shape.
/// The output's elements are not looked at. Errors as the op's.
Tensor gemm_error_bound(const OpCall& call);

}  // namespace bufferproof::kernels
