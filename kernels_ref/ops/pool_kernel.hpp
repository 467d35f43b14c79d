// One row of a pooling result over a padded plane, vectorised over neighbouring columns. Used by pool.cpp.
// Tested by tests/kernels_ref/ops_pool_test.cpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels_ref/isa/isa.hpp"

namespace bufferproof::kernels {

/// best[j], index[j] for j < count take the candidates x[j * step], whose flat positions are first + j *
/// index_step.
template <typename T>
struct PoolRow {
  /// As wide as T, so that one mask serves both.
  using Position = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  void (*take_max)(const T* x, std::int64_t step, Position first, Position index_step, T* best,
                   Position* index, std::int64_t count);
  /// sum[j] = sum[j] + x[j * step].
  void (*take_sum)(const T* x, std::int64_t step, T* sum, std::int64_t count);
};
struct PoolKernels {
  PoolRow<float> f32;
  PoolRow<double> f64;
};
BUFFERPROOF_ISA_TABLE(PoolKernels, pool_kernels)

}  // namespace bufferproof::kernels
