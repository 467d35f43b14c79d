// Elementwise ops, casts and select on whole tensors: the fast run and the definition.
//
// Operands broadcast to the output's shape as in PyTorch (dimensions matched from the last, size 1 repeats).
// A Scalar operand is first rounded to the op's element type. The output may be one of the inputs (same
// elements), never overlap one otherwise. Registered ops: those of elementwise_table.hpp, and
//   cast {dtype, round}, bitcast {dtype}(x)    select, where (condition, a, b)    copy, copy_contiguous (x)
//   fill (value)
// Tested by tests/kernels_ref/ops_elementwise_test.cpp, ops_cast_test.cpp and ops_errors_test.cpp.
#pragma once

#include <span>

#include "kernels_ref/ops/block_op.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

/// Blocks over threads. Shapes and types are checked by the callers.
void run_blocks(const BlockOp& op, std::span<const ConstTensorView> inputs, const TensorView& output);
/// One element after the other, by index: the definition.
void define_blocks(const BlockOp& op, std::span<const ConstTensorView> inputs, const TensorView& output);

/// A 0-d tensor of `dtype` holding `value` (rounded to nearest even, integers wrapped).
Tensor scalar_tensor(const Scalar& value, DType dtype);

void register_elementwise_ops(OpRegistry& registry);

}  // namespace bufferproof::kernels
