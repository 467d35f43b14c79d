// Shared by the bounds of op families: operands as f64, roundings of a call, and the fold of fold.hpp on
// balls. Tested by tests/kernels_ref/bounds_test.cpp.
#pragma once

#include <functional>
#include <vector>

#include "kernels_ref/bounds/bounds.hpp"
#include "kernels_ref/ops/fold.hpp"

namespace bufferproof::kernels {

/// Row-major elements of any view as f64 (exact up to i64 beyond 2^53).
std::vector<double> values_of(const ConstTensorView& view);

/// The type a float op on `dtype` computes in under the profile.
DType computing_dtype(DType dtype, const NumericsProfile& numerics);

/// One step in an accumulator type: f16 and bf16 steps are computed in f32 and rounded again.
Rounding accumulator_rounding(DType accumulator);

/// The sum of n balls in fold.hpp's order, from `start`.
Ball folded_sum(const std::vector<Ball>& elements, const Ball& start, const Rounding& accumulator);
/// The same for products.
Ball folded_product(const std::vector<Ball>& elements, const Ball& start, const Rounding& accumulator);

/// rsqrt as the profile has it.
Ball ball_rsqrt(const Ball& x, const NumericsProfile& numerics, DType computing);

/// The last rounding, to the result's type, when it is narrower than the computing type.
Ball stored(const Ball& x, DType computing, DType result);

using BoundFunction = ErrorBounds (*)(const OpCall&, std::size_t output);
struct BoundEntry {
  std::string_view op;
  BoundFunction bounds;
};
std::vector<BoundEntry> reduce_bounds();
std::vector<BoundEntry> normalize_bounds();
std::vector<BoundEntry> pool_bounds();
std::vector<BoundEntry> gemm_bounds();

}  // namespace bufferproof::kernels
