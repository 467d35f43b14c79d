// A proven enclosure of a kernel body's results, element by element (level L3 for whole bodies).
//
// The idea: every value of the body is a pair of f64 tensors, the least and the most each element can be when
// every step is rounded in its element type with at most the errors of simulator/body/interval.hpp and sums
// are added up in any order. So results of different, honest implementations of one body (this library's,
// PyTorch's eager ones) lie in the same enclosure. Where a step says nothing (a pole, an index that depends
// on rounding), the enclosure is the whole line. Fused multiply-adds and wider intermediate types stay
// inside. Not enclosed: `loaded` constants. Tested by tests/simulator/body_enclosure_test.cpp and, against
// PyTorch, by tests/torch/execute_bodies.py.
#pragma once

#include "simulator/body/execute.hpp"

namespace bufferproof::simulator {

struct Enclosure {
  kernels::Tensor lo;  ///< f64, row-major
  kernels::Tensor hi;
};

/// One per result. Throws as `execute` does.
std::vector<Enclosure> enclose(const model::TensorFunction& function,
                               std::span<const BodyArgument> arguments);

}  // namespace bufferproof::simulator
