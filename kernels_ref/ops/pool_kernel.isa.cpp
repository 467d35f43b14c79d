#include "kernels_ref/ops/pool_kernel.hpp"

#include "kernels_ref/convert16.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
namespace {

template <typename T>
using Position = typename PoolRow<T>::Position;

template <typename T, std::int64_t kStep>
void take_max_step(const T* x, std::int64_t step, Position<T> first, Position<T> index_step, T* best,
                   Position<T>* index, std::int64_t count) {
  const std::int64_t stride = kStep != 0 ? kStep : step;
#pragma GCC ivdep
  for (std::int64_t j = 0; j < count; ++j) {
    const T candidate = x[j * stride];
    const bool takes = candidate > best[j] || candidate != candidate;
    best[j] = takes ? candidate : best[j];
    index[j] = takes ? first + static_cast<Position<T>>(j) * index_step : index[j];
  }
}
template <typename T>
void take_max(const T* x, std::int64_t step, Position<T> first, Position<T> index_step, T* best,
              Position<T>* index, std::int64_t count) {
  if (step == 1) return take_max_step<T, 1>(x, step, first, index_step, best, index, count);
  if (step == 2) return take_max_step<T, 2>(x, step, first, index_step, best, index, count);
  take_max_step<T, 0>(x, step, first, index_step, best, index, count);
}

template <typename T>
void take_sum(const T* x, std::int64_t step, T* sum, std::int64_t count) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < count; ++j) sum[j] = canonical(sum[j] + x[j * step]);
}

}  // namespace

constinit const PoolKernels pool_kernels{.f32 = {take_max<float>, take_sum<float>},
                                         .f64 = {take_max<double>, take_sum<double>}};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
