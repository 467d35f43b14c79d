#include "simulator/values/generated_input.hpp"

#include <algorithm>
#include <cmath>

#include "kernels_ref/convert16.hpp"
#include "kernels_ref/element.hpp"
#include "kernels_ref/network/random.hpp"

namespace bufferproof::simulator {

using kernels::Bool8;
using kernels::Sizes;

namespace {

/// FNV-1a: the same on every host.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return value;
}

/// Kernels of more taps than this are rare: larger trailing axes are an image.
constexpr std::int64_t kMostTaps = 64;

struct Range {
  double centre = 1;
  double spread = 0.5;
};

Range range_of(const Sizes& sizes) {
  if (sizes.size() < 2) return {};
  std::int64_t taps = 1;
  for (std::size_t axis = 2; axis < sizes.size(); ++axis)
    taps = std::min(kMostTaps, taps * std::clamp<std::int64_t>(sizes[axis], 1, kMostTaps));
  const double terms = static_cast<double>(std::max<std::int64_t>(sizes[1], 1)) * static_cast<double>(taps);
  return {0, std::ldexp(1.0, -(std::ilogb(terms) / 2))};
}

template <typename T>
T element(double value, std::uint64_t random) {
  if constexpr (std::is_same_v<T, Eigen::half>) {
    return __builtin_bit_cast(T, kernels::f32_to_f16(static_cast<float>(value)));
  } else if constexpr (std::is_same_v<T, Eigen::bfloat16>) {
    return __builtin_bit_cast(T, kernels::f32_to_bf16(static_cast<float>(value)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, Bool8>) {
    return Bool8{static_cast<std::uint8_t>(random & 1)};
  } else {
    return static_cast<T>(random & 3);
  }
}

}  // namespace

void generate_input(std::string_view name, std::uint64_t seed, const kernels::TensorView& out) {
  const Range range = range_of(out.sizes());
  kernels::SeededRandom random(seed * 0x9e3779b97f4a7c15ULL ^ hash(name));
  kernels::visit_dtype(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const elements = out.template data<T>();
    const std::int64_t count = out.element_count();
    for (std::int64_t i = 0; i < count; ++i) {
      // 11 bits survive in every floating type but bf16, which rounds them.
      const std::uint64_t bits = random.next();
      const double unit = static_cast<double>(static_cast<std::int64_t>(bits >> 53)) * 0x1p-10 - 1.0;
      elements[i] = element<T>(range.centre + range.spread * unit, bits >> 20);
    }
  });
}

kernels::Tensor generated_input(std::string_view name, model::DType dtype, const Sizes& sizes,
                                std::uint64_t seed) {
  kernels::Tensor out(dtype, sizes);
  generate_input(name, seed, out.view());
  return out;
}

}  // namespace bufferproof::simulator
