// A proven enclosure of a kernel body's results, element by element (level L3 for whole bodies).
//
// The idea: every value of the body is a pair of f64 tensors, the least and the most each element can be when
// every step is rounded in its element type with at most the errors of simulator/body/interval.hpp and sums
// are added up in any order. So results of different, honest implementations of one body (this library's,
// PyTorch's eager ones) lie in the same enclosure. Where a step says nothing (a pole, an index that depends
// on rounding), the enclosure is the whole line. Fused multiply-adds and wider intermediate types stay
// inside; so do products whose operands are rounded to a shorter mantissa first (HF32), when asked for.
// Algorithms that are no sums of the products (Winograd's convolution) do not. Not enclosed: `loaded`
// constants. Tested by tests/simulator/body_enclosure_test.cpp and, against
// PyTorch, by tests/torch/execute_bodies.py.
#pragma once

#include "simulator/body/execute.hpp"

namespace bufferproof::simulator {

struct Enclosure {
  kernels::Tensor lo;  ///< f64, row-major
  kernels::Tensor hi;
};

/// What the operands of products may be rounded to before they are multiplied.
struct EnclosedArithmetic {
  kernels::InputRounding convolution = kernels::InputRounding::none;
  kernels::InputRounding matmul = kernels::InputRounding::none;
};

/// One per result. Throws as `execute` does.
std::vector<Enclosure> enclose(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                               const EnclosedArithmetic& arithmetic = {});

}  // namespace bufferproof::simulator
