// The list of op families this library registers. One line a family, here and in builtin_ops.cpp: a
// registration at static-initialisation time would be dropped by the linker together with its unreferenced
// object file.
#pragma once

namespace bufferproof::kernels {

class OpRegistry;

void register_builtin_ops(OpRegistry& registry);

}  // namespace bufferproof::kernels
