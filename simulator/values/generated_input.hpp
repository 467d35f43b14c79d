// Inputs nobody gave: seeded values a network can be run on, the same on every host.
//
// The idea: a tensor of rank 2 or more may be a weight, so its values shrink with the number of terms a sum
// over it has; a vector may be a variance or a scale, so its values are positive; an integer may be an index,
// so it is small. Every value is a dyadic fraction of few bits. Not a model of any data set. Tested by
// tests/simulator/generated_input_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels_ref/tensor.hpp"

namespace bufferproof::simulator {

/// Floating types: rank >= 2 in [-1, 1) * 2^-floor(log2(f) / 2), f = sizes[1] * min(64, product of the later
/// sizes); else in [0.5, 1.5). Integers 0 to 3, i1 both values. Depends on name, seed, shape and type alone.
/// `out` is row-major.
void generate_input(std::string_view name, std::uint64_t seed, const kernels::TensorView& out);
kernels::Tensor generated_input(std::string_view name, model::DType dtype, const kernels::Sizes& sizes,
                                std::uint64_t seed);

}  // namespace bufferproof::simulator
