// Running error analysis: a number as the computation sees it, with a proven radius for every rounding that
// stands behind it.
//
// A Ball is an f64 value v with two radii: what the kernel computes lies within `error` of v, the exact real
// result within `slack` of v. So the kernel's result is within error + slack of the exact one. Each operation
// propagates both radii and adds one rounding: of the kernel's type to `error`, of f64 to `slack`. Radii are
// rounded up by a factor that covers their own f64 arithmetic. A value that is not finite, or may overflow
// the type, gets an infinite radius: nothing is claimed of it. Tested by tests/kernels_ref/bounds_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/dtype.hpp"

namespace bufferproof::kernels {

/// One rounding to nearest in a floating type: |rounded - x| <= relative * |x| + absolute, for |x| <=
/// largest.
struct Rounding {
  double relative;
  double absolute;  ///< half the subnormal spacing
  double largest;

  static Rounding of(model::DType dtype) {
    switch (dtype) {
      case model::DType::f16:
        return {0x1p-11, 0x1p-25, 65504.0};
      case model::DType::bf16:
        return {0x1p-8, 0x1p-134, 0x1.fep127};
      case model::DType::f32:
        return {0x1p-24, 0x1p-150, 0x1.fffffep127};
      default:
        return {0x1p-53, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()};
    }
  }
};

struct Ball {
  double value = 0.0;
  double error = 0.0;
  double slack = 0.0;

  double bound() const { return error + slack; }
};

namespace ball {

inline double up(double radius) { return radius * (1.0 + 0x1p-40); }

/// The f64 reference of any op here is within 8 ulp (16 half-ulps) of exact, given its operands
/// (kernels_ref/math/bounds.hpp). `ulps` ulp of error in type `to` (0.5: one rounding) added to a result
/// whose radii were propagated already.
inline Ball rounded(double value, double error, double slack, const Rounding& to, double ulps = 0.5) {
  const Rounding wide = Rounding::of(model::DType::f64);
  const double size = std::abs(value);
  const bool claimable = std::isfinite(value) && size + error <= to.largest && slack < to.largest;
  if (!claimable)
    return {value, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  return {value, up(error + 2 * ulps * (to.relative * (size + error) + to.absolute)),
          up(slack + 16 * (wide.relative * (size + slack) + wide.absolute))};
}
/// A rounding of a result that is already a ball.
inline Ball rounded(const Ball& x, const Rounding& to) { return rounded(x.value, x.error, x.slack, to); }

inline Ball add(const Ball& a, const Ball& b, const Rounding& to) {
  return rounded(a.value + b.value, a.error + b.error, a.slack + b.slack, to);
}
inline Ball sub(const Ball& a, const Ball& b, const Rounding& to) {
  return rounded(a.value - b.value, a.error + b.error, a.slack + b.slack, to);
}
inline Ball mul(const Ball& a, const Ball& b, const Rounding& to) {
  const auto spread = [&](double ra, double rb) {
    return std::abs(a.value) * rb + std::abs(b.value) * ra + ra * rb;
  };
  return rounded(a.value * b.value, spread(a.error, b.error), spread(a.slack, b.slack), to);
}
inline Ball div(const Ball& a, const Ball& b, const Rounding& to) {
  const double quotient = a.value / b.value;
  const auto spread = [&](double ra, double rb) {
    const double least = std::abs(b.value) - rb;
    return least > 0 ? (ra + std::abs(quotient) * rb) / least : std::numeric_limits<double>::infinity();
  };
  return rounded(quotient, spread(a.error, b.error), spread(a.slack, b.slack), to);
}
/// fma: one rounding.
inline Ball fma(const Ball& a, const Ball& b, const Ball& c, const Rounding& to) {
  const Rounding exact{0.0, 0.0, std::numeric_limits<double>::infinity()};
  return add(mul(a, b, exact), c, to);
}

/// f at a ball, f monotone and `value` = f(a.value) in f64; `at` evaluates f. The function itself errs by
/// `ulps`.
template <typename F>
Ball monotone(const Ball& a, F&& at, const Rounding& to, double ulps) {
  const double value = at(a.value);
  const auto spread = [&](double radius) {
    if (radius == 0.0) return 0.0;
    const double above = std::abs(at(a.value + radius) - value);
    const double below = std::abs(at(a.value - radius) - value);
    // The ball reaches out of f's domain, or to a pole.
    if (!std::isfinite(above) || !std::isfinite(below)) return std::numeric_limits<double>::infinity();
    return up(std::max(above, below) + 8 * std::numeric_limits<double>::epsilon() * std::abs(value));
  };
  return rounded(value, spread(a.error), spread(a.slack), to, ulps);
}

}  // namespace ball
}  // namespace bufferproof::kernels
