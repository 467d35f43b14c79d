// The kernels of elementwise ops and conversions: tables of functions over contiguous blocks, one table an
// instruction set.
//
// Every kernel reads n elements of each operand and writes n results, elementwise, so the output may be one
// of the operands. The same loops are compiled once more without vector flags: `definition_kernels`, the
// scalar definitions an op's `define` uses. Tested by tests/kernels_ref/ops_elementwise_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/isa/isa.hpp"
#include "kernels_ref/ops/op_list.hpp"

namespace bufferproof::kernels {

using BlockFunction = void (*)(const void* const* inputs, void* out, std::int64_t count);

#define BUFFERPROOF_ENUMERATOR(name, Object, operands, result) name,
enum class FloatOp : std::uint8_t { BUFFERPROOF_FLOAT_OPS(BUFFERPROOF_ENUMERATOR) count };
enum class MathOp : std::uint8_t { BUFFERPROOF_MATH_OPS(BUFFERPROOF_ENUMERATOR) count };
enum class IntOp : std::uint8_t { BUFFERPROOF_INT_OPS(BUFFERPROOF_ENUMERATOR) count };
#undef BUFFERPROOF_ENUMERATOR

/// Ops other than the functions of kernels_ref/math, by computing type; and select by element width 1, 2,
/// 4, 8.
struct SimpleKernels {
  BlockFunction f32[static_cast<int>(FloatOp::count)];
  BlockFunction f64[static_cast<int>(FloatOp::count)];
  BlockFunction i64[static_cast<int>(IntOp::count)];
  BlockFunction select[4];
};
struct MathKernels {
  BlockFunction f32[static_cast<int>(MathOp::count)];
  BlockFunction f64[static_cast<int>(MathOp::count)];
};
/// convert[from][to] by model::DType; unsigned_load[w]: i8, i16, i32 (w = 0, 1, 2) zero-extended to i64.
struct ConvertKernels {
  BlockFunction convert[10][10];
  BlockFunction unsigned_load[3];
};

/// lanes[j] takes x[j], x[j + 32], ... over `rows` rows of 32: the inner loop of fold.hpp, for sum, prod, max
/// and min.
using FoldFunction = void (*)(const void* x, std::int64_t rows, void* lanes);
struct FoldKernels {
  FoldFunction f32[4];
  FoldFunction f64[4];
};

BUFFERPROOF_ISA_TABLE(FoldKernels, fold_kernels)
BUFFERPROOF_ISA_TABLE(SimpleKernels, simple_kernels)
BUFFERPROOF_ISA_TABLE(MathKernels, math_kernels)
BUFFERPROOF_ISA_TABLE(ConvertKernels, convert_kernels)

/// The tables a run works with.
struct BlockKernels {
  const SimpleKernels* simple;
  const MathKernels* math;
  const ConvertKernels* convert;
  const FoldKernels* fold;  ///< nullptr: fold row by row with the op itself
};
/// Compiled plainly, one element at a time: the definitions.
const BlockKernels& definition_kernels();

/// sin, cos, tan of a block in which some argument is above math::kTrigSmall; f64 says which type.
void large_argument_block(MathOp op, bool f64, const void* const* inputs, void* out, std::int64_t count);

}  // namespace bufferproof::kernels
