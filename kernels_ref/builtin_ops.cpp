#include "kernels_ref/builtin_ops.hpp"

#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

void register_builtin_ops([[maybe_unused]] OpRegistry& registry) {}

}  // namespace bufferproof::kernels
