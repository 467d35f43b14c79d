// The inner part of every convolution and matmul: a block of output columns times a range of row tiles, per
// instruction set.
//
// out[row, column] = chain over taps of weights[row, tap] * source[tap_offsets[tap] + offset(column)], then
// the epilogue. Vector lanes are output columns, never taps: each lane is its own chain, so the width of the
// vectors, the tile shape, the cut of taps into cache passes (the running sum is stored and loaded unrounded)
// and the thread that runs it cannot matter. All memory is the caller's; gemm_engine.hpp builds the tasks.
// Tested by tests/kernels_ref/matmul_test.cpp and convolution_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/isa/isa.hpp"

namespace bufferproof::kernels {

/// How an output column number becomes an offset into the source: columns run along rows of `per_row`, rows
/// make images of `per_image` columns. In a row, neighbouring columns are neighbours in memory.
struct ColumnGrid {
  std::int64_t per_image = 1;
  std::int64_t per_row = 1;
  std::int64_t image_stride = 0;
  std::int64_t row_stride = 0;
};

/// Applied to a finished sum v of row r, in this order, each step one rounding; the result is canonical where
/// it is NaN:
///   scale: v = fma(v, scale[r], shift[r])      shift alone: v = v + shift[r]
///   addend: v = v + addend[same place as the output]
///   relu: v = v > 0 ? v : +0 (NaN stays)
template <typename T>
struct GemmEpilogue {
  const T* scale = nullptr;
  const T* shift = nullptr;
  const T* addend = nullptr;
  bool relu = false;
};

template <typename T>
struct GemmTask {
  const T* weights;  ///< packed: per pass, per row tile, per tap: tile-rows values (packed_weights.hpp)
  std::int64_t rows;
  std::int64_t row_tiles;
  std::int64_t first_tile;
  std::int64_t last_tile;

  const T* source;
  const std::int64_t* tap_offsets;
  std::int64_t taps;
  std::int64_t taps_per_pass;  ///< a multiple of k_block where that is not 0
  ColumnGrid grid;
  std::int64_t first_column;
  std::int64_t last_column;

  T* out;
  std::int64_t out_image_stride;
  std::int64_t out_row_stride;
  GemmEpilogue<T> epilogue;

  std::int64_t k_block;  ///< NumericsProfile::k_block
  bool fused;            ///< NumericsProfile::fused_product

  T* panel;                        ///< taps_per_pass * tile columns + one vector
  T* tiles;                        ///< (last_tile - first_tile) * tile rows * columns_per_block
  std::int64_t columns_per_block;  ///< a multiple of the tile's columns
};

struct GemmTileShape {
  int rows;
  int columns;
  int lanes;
};

struct GemmKernels {
  GemmTileShape shape_f32;
  GemmTileShape shape_f64;
  void (*run_f32)(const GemmTask<float>&);
  void (*run_f64)(const GemmTask<double>&);
  /// Neighbouring taps of one tile's rows, `row_stride` apart, in the order of GemmTask::weights.
  void (*pack_f32)(const float* from, std::int64_t row_stride, std::int64_t taps, float* to);
  void (*pack_f64)(const double* from, std::int64_t row_stride, std::int64_t taps, double* to);
};
BUFFERPROOF_ISA_TABLE(GemmKernels, gemm_kernels)

}  // namespace bufferproof::kernels
