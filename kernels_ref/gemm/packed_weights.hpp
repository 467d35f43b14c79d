// The left operand of a GEMM in the order the kernel reads it: per pass of taps, per tile of rows, per tap,
// one value a row.
//
// Packing converts and rounds the elements (NumericsProfile::input_rounding_*), so it is done once for
// weights that are used often. Rows past the last one are zeros. The layout belongs to one instruction set's
// tile shape, so the packed weights carry the kernel table they were made for. Tested by
// tests/kernels_ref/matmul_test.cpp and convolution_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels_ref/gemm/gemm_kernel.hpp"
#include "kernels_ref/gemm/huge_memory.hpp"
#include "kernels_ref/input_rounding.hpp"
#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// A matrix in somebody's memory: element (row, tap) is at base + row * row_stride + tap_offsets[tap], and is
/// zero where the offset is kZeroTap.
struct WeightsSource {
  const std::byte* base;
  DType dtype;
  std::int64_t rows;
  std::int64_t row_stride;
  std::span<const std::int64_t> tap_offsets;
};
inline constexpr std::int64_t kZeroTap = INT64_MIN;

template <typename T>
class PackedWeights {
 public:
  /// `memory`: packed_size() elements that outlive this; nullptr: memory of its own.
  PackedWeights(const WeightsSource& source, InputRounding rounding, int k_block, T* memory = nullptr);
  /// Elements of packed weights for the current instruction set. Throws KernelError on overflow.
  static std::int64_t packed_size(std::int64_t rows, std::int64_t taps);

  const GemmKernels& kernels() const { return *kernels_; }
  const GemmTileShape& shape() const;
  const T* data() const { return values_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t taps() const { return taps_; }
  std::int64_t row_tiles() const;
  std::int64_t taps_per_pass() const { return taps_per_pass_; }

 private:
  template <typename Element>
  void pack(const WeightsSource& source, InputRounding rounding);
  /// `taps` taps of one tile from `first` on.
  template <typename Element>
  void pack_tile(const WeightsSource& source, const Element* base, InputRounding rounding, std::int64_t tile,
                 std::int64_t first, std::int64_t taps, T* to) const;
  /// `count` taps of a row from `first` on; `to` is the first one's place.
  template <typename Element>
  void pack_row(const WeightsSource& source, const Element* base, InputRounding rounding, std::int64_t row,
                std::int64_t first, std::int64_t count, T* to) const;

  const GemmKernels* kernels_;
  std::int64_t rows_;
  std::int64_t taps_;
  std::int64_t taps_per_pass_;
  HugeArray<T> own_;
  T* values_;
};

}  // namespace bufferproof::kernels
