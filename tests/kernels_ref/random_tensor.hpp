// Seeded test data: ordinary values, edge values, and views with awkward strides.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "kernels_ref/element.hpp"
#include "kernels_ref/gemm/arithmetic.hpp"
#include "kernels_ref/network/random.hpp"
#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// The library's own generator, with what tests need beside it.
class TestRandom : public SeededRandom {
 public:
  using SeededRandom::SeededRandom;
  std::int64_t below(std::int64_t bound) { return static_cast<std::int64_t>(next() >> 33) % bound; }
  /// About uniform in [-1, 1), 30 bits: products are not exact in f64 either.
  double unit() { return static_cast<double>(static_cast<std::int64_t>(next() >> 34)) * 0x1p-29 - 1.0; }
};

/// What a fill draws from: `ordinary` is [-1, 1); `edge` adds NaN, infinities, signed zeros, subnormals, huge
/// and tiny.
enum class Values : std::uint8_t { ordinary, edge };

inline double draw(TestRandom& random, Values values) {
  if (values == Values::edge && random.below(8) == 0) {
    constexpr double kEdges[] = {0.0,       -0.0,     INFINITY, -INFINITY, NAN,   0x1p-140,
                                 -0x1p-149, 0x1p-126, 3e38,     -3e38,     65504, 6e-8};
    return kEdges[random.below(12)];
  }
  // One draw a statement: the order in which a call's arguments are evaluated differs between compilers.
  const double value = random.unit();
  const int exponent = values == Values::edge ? static_cast<int>(random.below(40)) - 20 : 0;
  return std::ldexp(value, exponent);
}

inline void fill_random(const TensorView& contiguous, std::uint64_t seed, Values values) {
  TestRandom random(seed);
  visit_floating(contiguous.dtype(), [&]<typename Element>(TypeTag<Element>) {
    Element* elements = contiguous.data<Element>();
    const std::int64_t count = contiguous.element_count();
    for (std::int64_t i = 0; i < count; ++i) elements[i] = as_element<Element>(draw(random, values));
  });
}

inline Tensor random_tensor(DType dtype, const Sizes& sizes, std::uint64_t seed,
                            Values values = Values::ordinary) {
  Tensor tensor(dtype, sizes);
  fill_random(tensor.view(), seed, values);
  return tensor;
}

/// A tensor together with a view of it whose dimensions are stored in another order and with gaps between the
/// elements.
struct StridedTensor {
  Tensor storage;
  TensorView view;
};
inline StridedTensor random_strided(DType dtype, const Sizes& sizes, std::uint64_t seed,
                                    Values values = Values::ordinary) {
  Sizes stored(sizes.rbegin(), sizes.rend());
  stored.push_back(2);
  StridedTensor made{random_tensor(dtype, stored, seed, values), {}};
  Sizes strides = contiguous_strides(stored);
  strides.pop_back();
  made.view = TensorView(made.storage.view().bytes(), dtype, sizes, Sizes(strides.rbegin(), strides.rend()));
  return made;
}

/// Bytes of a view in row-major order: what memcmp compares.
inline std::string bytes_of(const ConstTensorView& view) {
  const Tensor copy = contiguous_copy(view);
  return {reinterpret_cast<const char*>(copy.view().bytes()), copy.size_in_bytes()};
}

/// Index of the first element whose bytes differ, or -1.
inline std::int64_t first_difference(const ConstTensorView& a, const ConstTensorView& b) {
  const std::string left = bytes_of(a);
  const std::string right = bytes_of(b);
  if (left.size() != right.size()) return 0;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i] != right[i]) return static_cast<std::int64_t>(i) / model::size_in_bytes(a.dtype());
  return -1;
}

}  // namespace bufferproof::kernels
