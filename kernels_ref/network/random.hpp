// Seeded tensors that are the same on every machine: integers from a shift-register generator, scaled by a
// power of two. Tested by tests/kernels_ref/resnet18_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1dULL;
  }
  /// Uniform in [-1, 1), 24 bits: exact in f32.
  double unit() { return static_cast<double>(static_cast<std::int64_t>(next() >> 40)) * 0x1p-23 - 1.0; }

 private:
  std::uint64_t state_;
};

/// A row-major f32 or f64 tensor of centre + spread * unit(), rounded once to f32; f64 tensors hold the f32
/// values.
Tensor seeded_tensor(DType dtype, const Sizes& sizes, std::uint64_t seed, double centre, double spread);

/// FNV-1a, 64 bits, over a view's bytes in row-major order: the hash by which outputs of different builds are
/// compared.
std::uint64_t content_hash(const ConstTensorView& view);

}  // namespace bufferproof::kernels
