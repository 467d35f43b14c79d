// Conversions between element types on blocks.
#include "kernels_ref/ops/convert_loops.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {

constinit const ConvertKernels convert_kernels{.convert = BUFFERPROOF_CONVERT_TABLE,
                                               .unsigned_load = BUFFERPROOF_UNSIGNED_LOADS};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
