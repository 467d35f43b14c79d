#include "kernels_ref/builtin_ops.hpp"

#include "kernels_ref/gemm/gemm_ops.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/movement.hpp"
#include "kernels_ref/ops/normalize.hpp"
#include "kernels_ref/ops/pool.hpp"
#include "kernels_ref/ops/reduce.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

void register_builtin_ops(OpRegistry& registry) {
  register_gemm_ops(registry);
  register_elementwise_ops(registry);
  register_movement_ops(registry);
  register_reduce_ops(registry);
  register_normalize_ops(registry);
  register_pool_ops(registry);
}

}  // namespace bufferproof::kernels
