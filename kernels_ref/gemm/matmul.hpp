// Matrix products: matmul, bmm, addmm and baddbmm are one function over [B, M, K] x [B, K, N] -> [B, M, N].
//
// Definition of one output element: the sum of products over k = 0 .. K-1 of a[b, m, k] * b[b, k, n]
// (gemm/arithmetic.hpp: chain or blocks, fused or not, in f32 or f64, operands rounded as
// input_rounding_matmul says), then in the sum's type
//   v = alpha * v (alpha != 1);  v = v + c, where c = addend (beta == 1) or beta * addend; beta == 0 reads no
//   addend; with NumericsProfile::contract_mul_add the sum takes the product beta * addend (or, with beta ==
//   1, alpha * v) unrounded;
// then one rounding to the output's element type. alpha and beta are rounded to the sum's type first.
// Element types: f16, bf16, f32, f64, the same for all operands. K = 0 gives sums of +0.
// Tested by tests/kernels_ref/matmul_test.cpp.
#pragma once

#include "kernels_ref/numerics.hpp"
#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// `addend` is absent when it is an empty view; strides of 0 broadcast it.
struct MatmulEpilogue {
  ConstTensorView addend;
  double alpha = 1;
  double beta = 1;
};

/// All views have rank 3, any strides; `output` must not overlap an operand. Errors name `op` and the
/// argument.
void matmul(std::string_view op, const ConstTensorView& a, const ConstTensorView& b, const TensorView& output,
            const MatmulEpilogue& epilogue, const NumericsProfile& profile);
/// The scalar definition; the same bits, one element at a time.
void matmul_definition(std::string_view op, const ConstTensorView& a, const ConstTensorView& b,
                       const TensorView& output, const MatmulEpilogue& epilogue,
                       const NumericsProfile& profile);

}  // namespace bufferproof::kernels
