#include "kernels_ref/builtin_ops.hpp"

#include "kernels_ref/gemm/gemm_ops.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/movement.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

void register_builtin_ops(OpRegistry& registry) {
  register_gemm_ops(registry);
  register_elementwise_ops(registry);
  register_movement_ops(registry);
}

}  // namespace bufferproof::kernels
