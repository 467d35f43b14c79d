// Rows of a matrix side by side: the transposition that packing weights is, in blocks of four by four.
//
// Elements move and are not looked at. Only for gemm_kernel.isa.cpp, which knows the tile's rows. Tested by
// tests/kernels_ref/matmul_test.cpp and convolution_test.cpp.
#pragma once

#include "kernels_ref/gemm/gemm_kernel.hpp"
#include "kernels_ref/gemm/tile.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {

template <typename T>
struct FourOf;
template <>
struct FourOf<float> {
  typedef float type __attribute__((vector_size(16)));
};
template <>
struct FourOf<double> {
  typedef double type __attribute__((vector_size(32)));
};

/// Four elements of four rows, `row_stride` apart, become four groups of four, kTileRows apart.
template <typename T>
BUFFERPROOF_INLINE void transpose_four(const T* from, std::int64_t row_stride, T* to) {
  using Four = typename FourOf<T>::type;
  Four row[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) __builtin_memcpy(&row[i], from + i * row_stride, sizeof(Four));
  const Four low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
  const Four high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
  const Four low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
  const Four high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
  const Four out[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                       __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                       __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                       __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) __builtin_memcpy(to + i * kTileRows, &out[i], sizeof(Four));
}

/// `taps` neighbouring elements of kTileRows rows: per tap, one value a row.
template <typename T>
static void pack_rows(const T* from, std::int64_t row_stride, std::int64_t taps, T* to) {
  std::int64_t tap = 0;
  for (; tap + 4 <= taps; tap += 4)
#pragma GCC unroll 2
    for (int row = 0; row < kTileRows; row += 4)
      transpose_four(from + row * row_stride + tap, row_stride, to + tap * kTileRows + row);
  for (; tap < taps; ++tap)
    for (int row = 0; row < kTileRows; ++row) to[tap * kTileRows + row] = from[row * row_stride + tap];
}

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
