// Level L3: a proven bound, element by element, of how far an op's result is from the exact one.
//
// For a call as OpRegistry takes it (its outputs are looked at for shape and type only), the exact results to
// f64 accuracy and, for each, a radius that the kernel's result is within: |result - reference| <= bound. The
// bound comes from a running error analysis of the definition's own steps (ball.hpp): the order and depth of
// folds, each rounding, casts at the end, the ulp bounds of kernels_ref/math. An infinite bound claims
// nothing (overflow, NaN, an op whose result is not continuous there). Ops that are exact have bound 0.
// Those of convolution and the matrix products are gemm/error_bound.hpp's. Tested by
// tests/kernels_ref/bounds_test.cpp and, against PyTorch, by torch_fixtures_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "kernels_ref/bounds/ball.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

struct ErrorBounds {
  Sizes sizes;
  std::vector<Ball> elements;  ///< row-major
};

/// Whether error_bounds knows the op.
bool has_error_bounds(std::string_view op);
/// Bounds of result `output`. Throws the op's KernelErrors for calls the op itself refuses, and KernelError
/// (argument "op") for an op without bounds. Integer and i1 results are exact: references as f64 with bound 0
/// (from 2^53 on the reference is rounded).
ErrorBounds error_bounds(const OpCall& call, std::size_t output = 0);

}  // namespace bufferproof::kernels
