// Arguments of the pooling ops (pool.hpp), read and checked. Tested by tests/kernels_ref/ops_errors_test.cpp.
#pragma once

#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

/// One spatial axis of a window op.
struct PoolAxis {
  std::int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
  std::int64_t input = 0, output = 0;
  /// First position of window `i`, perhaps negative.
  std::int64_t start(std::int64_t i) const { return i * stride - padding; }
};
struct PoolPlan {
  PoolAxis rows, columns;
  std::int64_t planes = 0;
};
/// max_pool2d and avg_pool2d; checks the output's shape.
PoolPlan checked_pool(const OpCall& call, bool dilated);
/// adaptive_avg_pool2d: only the sizes are filled in.
PoolPlan checked_adaptive_pool(const OpCall& call);

/// Byte address of element (0, 0) of plane `plane`, and the strides within a plane.
template <typename View>
auto* plane_of(const View& view, std::int64_t plane) {
  const int rank = view.rank();
  const std::int64_t channels = view.size(rank - 3);
  const std::int64_t image = rank == 4 ? plane / channels * view.stride(0) : 0;
  return view.bytes() +
         (image + plane % channels * view.stride(rank - 3)) * model::size_in_bytes(view.dtype());
}

}  // namespace bufferproof::kernels
