#include "kernels_ref/builtin_ops.hpp"

#include "kernels_ref/gemm/gemm_ops.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

void register_builtin_ops(OpRegistry& registry) { register_gemm_ops(registry); }

}  // namespace bufferproof::kernels
