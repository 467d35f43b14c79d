// Ops that move elements and compute nothing: bits are kept, NaN payloads included, for every element type.
//
//   reshape (x)                      row-major element i of x is row-major element i of the result
//   broadcast {dims} (x)             axis i of x is result axis dims[i]; other axes, and axes of size 1,
//   repeat. Without dims: from the last expand (x)                       broadcast without dims transpose
//   {permutation} (x)      result axis i is axis permutation[i] of x slice {offsets, strides} (x) result[i] =
//   x[offsets + i * strides]; the result's shape says how much insert_slice {offsets, strides} (source, base)
//   base with that window replaced by source concat {dim} (x...)              one after another pad {low,
//   high} (x, value)       value is a scalar or 0-d tensor; without it the new elements hold the signalling
//   pattern repeat {repeats} (x)             the whole of x repeats[i] times along axis i flip {dims} (x)
//   axes run backwards iota {dim} ()                    each element is its index along dim arange {start,
//   step} ()          start + i * step: integers modulo 2^64; floats in f64 (product, then sum), rounded once
//   more gather {dim} (x, index)          result[..i..] = x[..index[..i..]..]; index has the result's shape
//   take {dim} (x, index)            slices of x along dim, the index's axes standing in dim's place
//   embedding (weight, index)        take along dimension 0 of a matrix
// An index outside its axis is a KernelError before anything is written. `run` copies strided views; `define`
// computes each result element's source index. Tested by tests/kernels_ref/ops_movement_test.cpp and
// ops_errors_test.cpp.
#pragma once

namespace bufferproof::kernels {

class OpRegistry;
void register_movement_ops(OpRegistry& registry);

}  // namespace bufferproof::kernels
