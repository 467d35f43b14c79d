// Where each operation's file adds its rule to the registry.
//
// One function per file of this folder; op_registry.cpp calls them all, so nothing depends on static
// initialisation order. Tested by tests/model/body_ops_test.cpp.
#pragma once

namespace bufferproof::model {

class OpRegistry;

namespace ops {

void add_all(OpRegistry& table);
void add_elementwise(OpRegistry& table);
void add_cast(OpRegistry& table);
void add_constant(OpRegistry& table);
void add_empty(OpRegistry& table);
void add_broadcast(OpRegistry& table);
void add_transpose(OpRegistry& table);
void add_reshape(OpRegistry& table);
void add_slice(OpRegistry& table);
void add_insert_slice(OpRegistry& table);
void add_concat(OpRegistry& table);
void add_pad(OpRegistry& table);
void add_reduce(OpRegistry& table);
void add_arg_reduce(OpRegistry& table);
void add_cumulative(OpRegistry& table);
void add_iota(OpRegistry& table);
void add_gather(OpRegistry& table);
void add_matmul(OpRegistry& table);
void add_convolution(OpRegistry& table);
void add_pool(OpRegistry& table);
void add_copy(OpRegistry& table);
void add_overwrite(OpRegistry& table);

}  // namespace ops
}  // namespace bufferproof::model
