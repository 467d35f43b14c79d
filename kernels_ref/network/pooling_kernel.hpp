// Per-set kernel behind max_pool_3x3_stride_2: one plane.
// Tested by tests/kernels_ref/resnet18_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/isa/isa.hpp"

namespace bufferproof::kernels {

struct PoolingKernels {
  /// `row` is scratch for `width` elements.
  void (*max_f32)(const float* in, std::int64_t height, std::int64_t width, float* out, float* row);
  void (*max_f64)(const double* in, std::int64_t height, std::int64_t width, double* out, double* row);
};
BUFFERPROOF_ISA_TABLE(PoolingKernels, pooling_kernels)

}  // namespace bufferproof::kernels
