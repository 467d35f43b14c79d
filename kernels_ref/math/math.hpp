// The elementary functions of the kernels, of f32 and f64: our own fixed-order code, the same bits on every
// machine.
//
// An f32 function is the f64 computation rounded once to f32; f16 and bf16 take the f32 function and round
// once more (kernels_ref/ops/scalar_ops.hpp). A NaN result is the canonical NaN. No libm: fma and sqrt are
// IEEE operations. Each function object is stateless and inlines into vector loops; bounds.hpp states the
// error of each in ulp. Not for a rounding mode other than to nearest (kernels_ref/fp_state.hpp sees to
// that). Tested by tests/kernels_ref/math_golden_test.cpp and, against MPFR, by
// tests/kernels_ref/mpfr/math_mpfr_test.cpp.
#pragma once

#include "kernels_ref/math/exponential.hpp"
#include "kernels_ref/math/inverse_trigonometric.hpp"
#include "kernels_ref/math/logarithm.hpp"
#include "kernels_ref/math/power.hpp"
#include "kernels_ref/math/special.hpp"
#include "kernels_ref/math/trigonometric.hpp"

namespace bufferproof::kernels::math {

BUFFERPROOF_INLINE double reciprocal(double x) { return 1.0 / x; }

/// Function objects: Exp{}(x) for float or double. Small-argument forms of sin, cos, tan are SinSmall, ...
// NOLINTBEGIN(bugprone-macro-parentheses): names of a type and of a template, not values.
#define BUFFERPROOF_MATH_UNARY(Object, function)                                       \
  struct Object {                                                                      \
    __attribute__((always_inline)) float operator()(float x) const {                   \
      return canonical(static_cast<float>(function<kSingle>(static_cast<double>(x)))); \
    }                                                                                  \
    __attribute__((always_inline)) double operator()(double x) const {                 \
      return canonical(function<kDouble>(x));                                          \
    }                                                                                  \
  };
BUFFERPROOF_MATH_UNARY(Exp, math::exp)
BUFFERPROOF_MATH_UNARY(Exp2, math::exp2)
BUFFERPROOF_MATH_UNARY(Expm1, math::expm1)
BUFFERPROOF_MATH_UNARY(Sigmoid, math::sigmoid)
BUFFERPROOF_MATH_UNARY(Tanh, math::tanh)
BUFFERPROOF_MATH_UNARY(Sinh, math::sinh)
BUFFERPROOF_MATH_UNARY(Cosh, math::cosh)
BUFFERPROOF_MATH_UNARY(Log, math::log)
BUFFERPROOF_MATH_UNARY(Log2, math::log2)
BUFFERPROOF_MATH_UNARY(Log10, math::log10)
BUFFERPROOF_MATH_UNARY(Log1p, math::log1p)
BUFFERPROOF_MATH_UNARY(Asinh, math::asinh)
BUFFERPROOF_MATH_UNARY(Acosh, math::acosh)
BUFFERPROOF_MATH_UNARY(Atanh, math::atanh)
BUFFERPROOF_MATH_UNARY(Sin, math::sin)
BUFFERPROOF_MATH_UNARY(Cos, math::cos)
BUFFERPROOF_MATH_UNARY(Tan, math::tan)
BUFFERPROOF_MATH_UNARY(SinSmall, math::sin_small)
BUFFERPROOF_MATH_UNARY(CosSmall, math::cos_small)
BUFFERPROOF_MATH_UNARY(TanSmall, math::tan_small)
BUFFERPROOF_MATH_UNARY(Asin, math::asin)
BUFFERPROOF_MATH_UNARY(Acos, math::acos)
BUFFERPROOF_MATH_UNARY(Atan, math::atan)
BUFFERPROOF_MATH_UNARY(Erf, math::erf)
BUFFERPROOF_MATH_UNARY(Lgamma, math::lgamma)
BUFFERPROOF_MATH_UNARY(Rsqrt, math::rsqrt)
#undef BUFFERPROOF_MATH_UNARY

#define BUFFERPROOF_MATH_BINARY(Object, function)                                                 \
  struct Object {                                                                                 \
    __attribute__((always_inline)) float operator()(float x, float y) const {                     \
      return canonical(                                                                           \
          static_cast<float>(function<kSingle>(static_cast<double>(x), static_cast<double>(y)))); \
    }                                                                                             \
    __attribute__((always_inline)) double operator()(double x, double y) const {                  \
      return canonical(function<kDouble>(x, y));                                                  \
    }                                                                                             \
  };
// NOLINTEND(bugprone-macro-parentheses)
BUFFERPROOF_MATH_BINARY(Pow, math::pow)
BUFFERPROOF_MATH_BINARY(Atan2, math::atan2)
#undef BUFFERPROOF_MATH_BINARY

}  // namespace bufferproof::kernels::math
