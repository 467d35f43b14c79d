// A tensor size that is a number or a multiple of the batch symbol s0.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bufferproof::examples {

struct Extent {
  std::int64_t factor = 1;
  bool symbolic = false;  ///< factor * s0

  Extent(std::int64_t value = 1, bool is_symbolic = false) : factor(value), symbolic(is_symbolic) {}
  /// "8", "s0", "2*s0": as Inductor prints sizes.
  std::string str() const {
    if (!symbolic) return std::to_string(factor);
    return factor == 1 ? "s0" : std::to_string(factor) + "*s0";
  }
  friend Extent operator*(const Extent& a, const Extent& b) {
    return {a.factor * b.factor, a.symbolic || b.symbolic};  // only the batch is symbolic: never both
  }
  friend bool operator==(const Extent& a, const Extent& b) {
    return a.factor == b.factor && a.symbolic == b.symbolic;
  }
};

using Shape = std::vector<Extent>;

/// Row-major strides.
inline Shape row_major(const Shape& sizes) {
  Shape strides(sizes.size(), Extent(1));
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

/// "8, 64, 56, 56"
inline std::string list(const Shape& shape) {
  std::vector<std::string> texts;
  for (const Extent& extent : shape) texts.push_back(extent.str());
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Python tuple: "(8, 64)", "(64, )", "()".
inline std::string tuple(const Shape& shape) {
  return shape.size() == 1 ? "(" + shape[0].str() + ", )" : "(" + list(shape) + ")";
}

}  // namespace bufferproof::examples
