// Registers convolution, matmul, bmm, addmm and baddbmm.
//
// convolution  inputs: input [N, C, H, W] (or [N, C, W], [C, H, W]), weight, bias (may be absent);
// attributes: stride, padding,
//              dilation (one value or one a dimension), groups; transposed must be false.
// matmul, bmm  inputs: a, b of rank 2, of rank 3.
// addmm, baddbmm  inputs: addend (broadcast to the output), a, b; attributes: alpha, beta (1).
// Tested by tests/kernels_ref/gemm_ops_test.cpp.
#pragma once

namespace bufferproof::kernels {

class OpRegistry;
void register_gemm_ops(OpRegistry& registry);

}  // namespace bufferproof::kernels
