// The elementwise ops by name: which kernel computes each on floats and on integers, and what is promised of
// it.
//
// Names are those of model/ops/elementwise.cpp. Every floating op takes f16, bf16, f32 and f64; every integer
// op the integer types and i1. What an op computes is in float_ops.hpp, integer_ops.hpp and kernels_ref/math.
// Tested by tests/kernels_ref/ops_elementwise_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels_ref/ops/block_kernels.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

struct ElementwiseSpec {
  std::string_view name;
  int operands;
  bool gives_mask;     ///< the result is i1
  bool unsigned_view;  ///< integer operands are read zero-extended
  std::optional<FloatOp> floating;
  std::optional<MathOp> math;
  std::optional<IntOp> integer;
  Promise promise;  ///< apart from level L2: see promise_of
};
/// The promise an op is registered with.
Promise promise_of(const ElementwiseSpec& spec);

std::span<const ElementwiseSpec> elementwise_specs();
/// nullptr when unknown.
const ElementwiseSpec* find_elementwise(std::string_view name);

}  // namespace bufferproof::kernels
