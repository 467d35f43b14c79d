// The floating-point state every kernel runs under: round to nearest, subnormals kept, no traps.
//
// A host application (or a library linked with -Ofast) may have set flush-to-zero or another rounding mode,
// per thread; results must not depend on it. The guard sets MXCSR (x86) or FPCR (AArch64) and puts back
// exactly what it found. parallel.hpp holds one in every worker; single-threaded entry points hold one
// themselves. Tested by tests/kernels_ref/foundation_test.cpp.
#pragma once

#include <cstdint>

namespace bufferproof::kernels {

class FpStateGuard {
 public:
  FpStateGuard();
  ~FpStateGuard();
  FpStateGuard(const FpStateGuard&) = delete;
  FpStateGuard& operator=(const FpStateGuard&) = delete;

 private:
  std::uint64_t saved_;
};

/// Makes the calling thread flush subnormals and treat them as zero, as a hostile host would. For tests.
void set_flush_to_zero(bool on);

}  // namespace bufferproof::kernels
