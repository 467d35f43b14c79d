// Intervals of doubles: every value an operation can have whose operands lie in intervals, when each step is
// rounded in some element type with an error of at most so many units in the last place.
//
// The idea: bounds are computed in f64 and widened outwards by more than f64's own error, then by the
// step's error in its type. Where nothing can be said (a pole, NaN, overflow of the type) the interval is the
// whole line. Tested by tests/simulator/body_enclosure_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "model/dtype.hpp"

namespace bufferproof::simulator {

struct Interval {
  double lo = 0;
  double hi = 0;

  static Interval whole();
  static Interval exactly(double value);  ///< NaN: the whole line
  bool single() const { return lo == hi; }
  bool contains(double value) const { return lo <= value && value <= hi; }
  double magnitude() const;
};

Interval hull(const Interval& a, const Interval& b);

/// Widened by one rounding to `dtype` after an error of `ulps` units in the last place of the type that
/// `dtype` computes in (f32 for f16 and bf16). Integers: the whole line where they could wrap.
Interval rounded(const Interval& exact, model::DType dtype, double ulps);

/// Elementwise operation of the body registry; `dtype` is the operands' element type (the second operand's
/// for select). nullopt: not known here.
std::optional<Interval> apply(std::string_view op, std::span<const Interval> operands, model::DType dtype);

/// Conversion between element types, rounded as the body says ("rint", "trunc", ...).
Interval convert(const Interval& x, model::DType from, model::DType to, std::string_view round);

/// A sum or difference of a and b where a factor may be multiplied into both first, or a product be added to
/// in parts: batch norm as x * alpha + (bias - mean * alpha) instead of (x - mean) * alpha + bias.
Interval regrouped(const Interval& sum, const Interval& a, const Interval& b, model::DType dtype);

/// Rounding error of adding up n terms in any order in `dtype`, per unit of the sum of their magnitudes.
double sum_error(double n, model::DType dtype);

}  // namespace bufferproof::simulator
