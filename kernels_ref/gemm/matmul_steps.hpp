// What matmul's definition and fast kernel share: the argument checks, and the steps after the sum of
// products. Tested by tests/kernels_ref/matmul_test.cpp.
#pragma once

#include <cmath>

#include "kernels_ref/gemm/matmul.hpp"

namespace bufferproof::kernels {

struct MatmulShape {
  std::int64_t batch, rows, taps, columns;
};
/// Throws KernelError naming op, argument, expected and found.
MatmulShape check_matmul(std::string_view op, const ConstTensorView& a, const ConstTensorView& b,
                         const ConstTensorView& output, const MatmulEpilogue& epilogue);

/// alpha and beta in the sum's type T.
template <typename T>
struct MatmulSteps {
  T alpha;
  T beta;
  bool has_addend;
  bool contract;

  MatmulSteps(const MatmulEpilogue& epilogue, const NumericsProfile& profile)
      : alpha(static_cast<T>(epilogue.alpha)),
        beta(static_cast<T>(epilogue.beta)),
        has_addend(epilogue.addend.bytes() != nullptr && epilogue.beta != 0),
        contract(profile.contract_mul_add) {}

  T apply(T sum, T addend) const {
    if (!has_addend) return alpha == 1 ? sum : alpha * sum;
    if (contract && beta != 1) return std::fma(beta, addend, alpha == 1 ? sum : alpha * sum);
    if (contract && alpha != 1) return std::fma(alpha, sum, addend);
    return (alpha == 1 ? sum : alpha * sum) + (beta == 1 ? addend : beta * addend);
  }
};

}  // namespace bufferproof::kernels
