// The stated error bound of each elementary function, in ulp of the result's type.
//
// |computed - exact| <= ulps * ulp(exact) + absolute, where ulp is the distance of neighbouring values of the
// result's type at the exact result (the subnormal spacing below the normal range). Overflow and the special
// values are exact. f32: over 0.5 by the error of the f64 computation. Shown by
// tests/kernels_ref/mpfr/math_mpfr_test.cpp.
#pragma once

#include <array>
#include <string_view>

namespace bufferproof::kernels::math {

struct UlpBound {
  std::string_view name;
  double f32;
  double f64;
  double absolute_f64 = 0.0;  ///< added to both; only for lgamma below 0, whose zeros are not resolved
};

inline constexpr std::array kUlpBounds{
    UlpBound{"exp", 0.501, 1.0},     UlpBound{"exp2", 0.501, 1.0},          UlpBound{"expm1", 0.501, 1.3},
    UlpBound{"sigmoid", 0.501, 2.5}, UlpBound{"tanh", 0.501, 2.5},          UlpBound{"sinh", 0.501, 2.0},
    UlpBound{"cosh", 0.501, 2.0},    UlpBound{"log", 0.501, 1.0},           UlpBound{"log2", 0.501, 0.6},
    UlpBound{"log10", 0.501, 0.6},   UlpBound{"log1p", 0.501, 1.0},         UlpBound{"asinh", 0.501, 2.0},
    UlpBound{"acosh", 0.501, 2.0},   UlpBound{"atanh", 0.501, 2.5},         UlpBound{"sin", 0.501, 0.8},
    UlpBound{"cos", 0.501, 0.8},     UlpBound{"tan", 0.501, 2.5},           UlpBound{"asin", 0.501, 1.0},
    UlpBound{"acos", 0.501, 1.0},    UlpBound{"atan", 0.501, 1.0},          UlpBound{"atan2", 0.501, 1.5},
    UlpBound{"erf", 0.501, 2.0},     UlpBound{"lgamma", 1.0, 6.0, 0x1p-48}, UlpBound{"rsqrt", 0.501, 0.6},
    UlpBound{"pow", 0.501, 1.0},     UlpBound{"reciprocal", 0.5, 0.5},      UlpBound{"sqrt", 0.5, 0.5},
};

/// nullptr for a name without a row.
constexpr const UlpBound* find_ulp_bound(std::string_view name) {
  for (const UlpBound& bound : kUlpBounds)
    if (bound.name == name) return &bound;
  return nullptr;
}

}  // namespace bufferproof::kernels::math
