// BlockOp: one elementwise op resolved for its element types, ready to run on contiguous blocks.
//
// A block operand is stored in its own element type; the op widens to the type it computes in (f16, bf16 to
// f32, integers to i64, everything floating to f64 under the f64_golden profile), computes, and rounds to the
// result's type: one element at a time, so any cutting into blocks gives the same bits. An executor of fused
// bodies resolves its ops once and applies them block after block while the block is in cache (chain.hpp does
// that). Nothing is checked here per call. Tested by tests/kernels_ref/ops_elementwise_test.cpp and
// ops_chain_test.cpp.
#pragma once

#include <array>

#include "kernels_ref/ops/block_kernels.hpp"
#include "kernels_ref/ops/elementwise_table.hpp"
#include "kernels_ref/ops/rounding.hpp"

namespace bufferproof::kernels {

/// The tables of the current instruction set.
BlockKernels current_block_kernels();

class BlockOp {
 public:
  static constexpr std::int64_t kBlock =
      512;  ///< elements: all scratch of a step stays in the first-level cache
  static constexpr int kMostOperands = 3;

  /// An op of elementwise_table.hpp on operands of `dtype`; KernelError (argument "op" or "x") when it has no
  /// such form.
  static BlockOp elementwise(std::string_view name, DType dtype, const NumericsProfile& numerics,
                             const BlockKernels& kernels);
  /// `mode` absent: truncation for float to integer, else to nearest even.
  static BlockOp cast(DType from, DType to, std::optional<RoundMode> mode, const BlockKernels& kernels);
  /// (condition i1, a, b): bits move unchanged.
  static BlockOp select(DType dtype, const BlockKernels& kernels);
  /// The same bytes.
  static BlockOp copy(DType dtype);

  int operand_count() const { return operands_; }
  DType operand_dtype(int index) const { return operand_dtypes_[static_cast<std::size_t>(index)]; }
  DType result_dtype() const { return result_; }
  /// Inputs and output are contiguous, of any length; the output may be an input of the same element size.
  void run(const void* const* inputs, void* out, std::int64_t count) const;

 private:
  BlockOp() = default;
  void run_staged(const void* const* inputs, void* out, std::int64_t count) const;

  int operands_ = 1;
  std::array<DType, kMostOperands> operand_dtypes_{};
  DType result_ = DType::f32;
  BlockFunction kernel_ = nullptr;
  std::array<BlockFunction, kMostOperands>
      load_{};                     ///< nullptr: the kernel reads the operand as it is stored
  BlockFunction store_ = nullptr;  ///< nullptr: the kernel writes the result's type
};

/// `elementwise_block`: applies one resolved op to a block, as executors of fused chains call it.
inline void elementwise_block(const BlockOp& op, const void* const* inputs, void* out, std::int64_t count) {
  op.run(inputs, out, count);
}

}  // namespace bufferproof::kernels
