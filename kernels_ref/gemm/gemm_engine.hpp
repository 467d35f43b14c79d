// One GEMM on all threads: cuts the outputs, hands each thread its scratch memory and calls the kernel.
//
// Threads split columns, or row tiles where that balances better or the weights are the larger operand; never
// taps. Tested by tests/kernels_ref/matmul_test.cpp and convolution_test.cpp.
#pragma once

#include <cstdint>
#include <span>

#include "kernels_ref/gemm/gemm_kernel.hpp"
#include "kernels_ref/gemm/packed_weights.hpp"
#include "kernels_ref/numerics.hpp"

namespace bufferproof::kernels {

template <typename T>
struct GemmProblem {
  const PackedWeights<T>* weights;
  const T* source;
  std::span<const std::int64_t> tap_offsets;
  ColumnGrid grid;
  std::int64_t columns;
  T* out;
  std::int64_t out_image_stride;
  std::int64_t out_row_stride;
  GemmEpilogue<T> epilogue;
  const NumericsProfile* profile;
};

template <typename T>
void run_gemm(const GemmProblem<T>& problem);

}  // namespace bufferproof::kernels
