// Folds: how many elements become one, in a stated order, for reductions, softmax and normalisations.
//
// The elements of one result, e[0] .. e[n-1], are cut into blocks of 2048. A block's total: 32 lanes start at
// the identity, lane j takes e[j], e[j + 32], e[j + 64], ... in turn; then lane j takes lane j + 16, j + 8, j
// + 4, j + 2, j + 1. The result starts at the given start value and takes the block totals in turn. At most
// 64 + 5 + n / 2048 roundings stand behind one element. "Takes" is one elementwise op (add, mul, max, ...) in
// the accumulator type. The order depends on n alone: not on strides, the instruction set or threads. Tested
// by tests/kernels_ref/ops_reduce_test.cpp.
#pragma once

#include <cstddef>
#include <cstring>

#include "kernels_ref/ops/block_op.hpp"

namespace bufferproof::kernels {

struct Fold {
  static constexpr std::int64_t kLanes = 32;
  static constexpr std::int64_t kBlock = 2048;

  DType accumulator;
  BlockOp combine;
  alignas(8) std::byte identity[8];
  std::size_t width;            ///< bytes of an accumulator
  FoldFunction rows = nullptr;  ///< the whole inner loop in one call, where there is one

  /// `function`: sum, prod, max, min, maxnum, minnum, maxu, minu, and, or, xor. Integers fold in the result's
  /// type; floats in f32 or f64, or in f16 / bf16 itself when the profile says that half reductions round at
  /// every step. KernelError (argument "fn") for another name or a type it is not defined for.
  static Fold make(std::string_view op, std::string_view function, DType operand, DType result,
                   const NumericsProfile& numerics, const BlockKernels& kernels);

  /// The total of one block of n <= kBlock accumulator-typed elements.
  void block_total(const void* elements, std::int64_t n, void* total) const;
  /// total = combine(total, next), both accumulators.
  void take(void* total, const void* next) const;
  /// start, then every block of the n elements.
  void row(const void* elements, std::int64_t n, const void* start, void* total) const;
};

/// The definition of Fold::row, one element at a time through `element(i)`, which points at element i.
template <typename Element>
void define_fold(const Fold& fold, std::int64_t n, const void* start, void* total, Element&& element) {
  std::byte lanes[Fold::kLanes][8];
  std::memcpy(total, start, fold.width);
  for (std::int64_t block = 0; block < n; block += Fold::kBlock) {
    for (auto& lane : lanes) std::memcpy(lane, fold.identity, fold.width);
    for (std::int64_t i = block; i < n && i < block + Fold::kBlock; ++i)
      fold.take(lanes[(i - block) % Fold::kLanes], element(i));
    for (std::int64_t half = Fold::kLanes / 2; half >= 1; half /= 2)
      for (std::int64_t j = 0; j < half; ++j) fold.take(lanes[j], lanes[j + half]);
    fold.take(total, lanes[0]);
  }
}

}  // namespace bufferproof::kernels
