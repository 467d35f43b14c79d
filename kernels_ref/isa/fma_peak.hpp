// The processor's fused multiply-add rate, measured: the floor that convolution and matmul timings are
// compared with.
#pragma once

#include <cstdint>

#include "kernels_ref/isa/isa.hpp"

namespace bufferproof::kernels {

struct FmaPeak {
  int fmas_per_round;  ///< f32 multiply-adds of one round, all lanes
  /// Runs `rounds` rounds of independent chains in registers; the result only keeps the compiler from
  /// dropping them.
  float (*spin)(std::int64_t rounds);
};
BUFFERPROOF_ISA_TABLE(FmaPeak, fma_peak)

}  // namespace bufferproof::kernels
