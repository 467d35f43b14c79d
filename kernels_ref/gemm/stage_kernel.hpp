// Staging: brings an operand of any element type and strides into rows the GEMM kernel can copy, rounding it
// on the way.
//
// A convolution's input plane is padded with zeros once, and for a stride s split into phases (rows or
// columns 0, s, 2s, ..., then 1, s+1, ...), so that neighbouring outputs always read neighbouring elements.
// Only phases that some tap reads exist. Per instruction set because conversions and rounding are worth
// vectorising. Tested by tests/kernels_ref/matmul_test.cpp and convolution_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/input_rounding.hpp"
#include "kernels_ref/isa/isa.hpp"

namespace bufferproof::kernels {

struct PlaneTask {
  std::int64_t height;  ///< of the source plane
  std::int64_t width;
  std::int64_t row_stride;  ///< of the source, in elements
  std::int64_t column_stride;
  std::int64_t pad_top;
  std::int64_t pad_left;
  std::int64_t stride_y;
  std::int64_t stride_x;
  const std::int64_t* row_phases;  ///< the phases to write, each a number below stride_y
  std::int64_t row_phase_count;
  const std::int64_t* column_phases;
  std::int64_t column_phase_count;
  std::int64_t phase_height;  ///< staged rows of one row phase
  std::int64_t phase_width;   ///< a staged row has column_phase_count * phase_width elements
  InputRounding rounding;     ///< of f32 sources only
};

/// `rows` rows of `columns` elements with arbitrary strides become row-major.
struct MatrixTask {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
  std::int64_t column_stride;
  std::int64_t out_row_stride;
  InputRounding rounding;
};

/// Element types a source may have, as indices of the tables below.
enum SourceKind : int { kSourceF16, kSourceBf16, kSourceF32, kSourceF64, kSourceKinds };

/// By source kind; an f64 source becomes f64 only (its f32 entries are null).
struct StageKernels {
  void (*plane_f32[kSourceKinds])(const PlaneTask&, const void* source, float* out);
  void (*plane_f64[kSourceKinds])(const PlaneTask&, const void* source, double* out);
  void (*matrix_f32[kSourceKinds])(const MatrixTask&, const void* source, float* out);
  void (*matrix_f64[kSourceKinds])(const MatrixTask&, const void* source, double* out);
};
BUFFERPROOF_ISA_TABLE(StageKernels, stage_kernels)

}  // namespace bufferproof::kernels
