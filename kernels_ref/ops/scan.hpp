// arg_reduce and cumulative: passes along one axis. Described in reduce.hpp. Tested by
// tests/kernels_ref/ops_reduce_test.cpp.
#pragma once

namespace bufferproof::kernels {

class OpRegistry;
void register_scan_ops(OpRegistry& registry);

}  // namespace bufferproof::kernels
