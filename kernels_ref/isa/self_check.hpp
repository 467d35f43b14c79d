// The smallest per-set kernel: fused multiply-add over arrays. It exists so that the tests can compare the
// sets' arithmetic directly, and as the shortest example of the pattern in isa.hpp.
#pragma once

#include <cstdint>

#include "kernels_ref/isa/isa.hpp"

namespace bufferproof::kernels {

struct SelfCheck {
  int vector_bytes;
  /// out[i] = a[i] * b[i] + c[i] with one rounding.
  void (*fma_f32)(const float* a, const float* b, const float* c, float* out, std::int64_t count);
  void (*fma_f64)(const double* a, const double* b, const double* c, double* out, std::int64_t count);
};
BUFFERPROOF_ISA_TABLE(SelfCheck, self_check)

}  // namespace bufferproof::kernels
