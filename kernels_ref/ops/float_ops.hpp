// The scalar definitions of the elementwise ops on floats: what one element is, every rounding included.
//
// T is float or double; f16 and bf16 operands are widened to float, and the result rounded once more
// (element_convert.hpp). Each operation below is one IEEE operation, to nearest even, unless it calls a
// function of kernels_ref/math. A NaN result is the canonical NaN. The fast kernels are these objects in a
// loop (block_*.isa.cpp), so this file is the specification. Tested by
// tests/kernels_ref/ops_elementwise_test.cpp and ops_semantics_test.cpp.
#pragma once

#include "kernels_ref/math/math.hpp"

namespace bufferproof::kernels::scalar {

BUFFERPROOF_INLINE float absolute(float x) { return __builtin_fabsf(x); }
BUFFERPROOF_INLINE double absolute(double x) { return __builtin_fabs(x); }
BUFFERPROOF_INLINE float root(float x) { return __builtin_sqrtf(x); }
BUFFERPROOF_INLINE double root(double x) { return __builtin_sqrt(x); }
BUFFERPROOF_INLINE float signed_as(float size, float sign) { return __builtin_copysignf(size, sign); }
BUFFERPROOF_INLINE double signed_as(double size, double sign) { return __builtin_copysign(size, sign); }
BUFFERPROOF_INLINE bool sign_bit(float x) { return bits_of(x) >> 31 != 0; }
BUFFERPROOF_INLINE bool sign_bit(double x) { return bits_of(x) >> 63 != 0; }
template <typename T>
inline constexpr T kInf = static_cast<T>(__builtin_inf());
template <typename T>
inline constexpr T kQuietNan = __builtin_bit_cast(double, kNanF64);
template <>
inline constexpr float kQuietNan<float> = __builtin_bit_cast(float, kNanF32);

/// 2^23 or 2^52: from here on every value is an integer.
template <typename T>
inline constexpr T kAllIntegers = sizeof(T) == 4 ? static_cast<T>(0x1p23) : static_cast<T>(0x1p52);

/// Nearest integer, ties to even. The sum with 2^23 (2^52) rounds to an integer; the sign is put back for -0.
template <typename T>
BUFFERPROOF_INLINE T round_to_even(T x) {
  const T size = absolute(x);
  const T rounded = (size + kAllIntegers<T>)-kAllIntegers<T>;
  return signed_as(size < kAllIntegers<T> ? rounded : size, x);
}
template <typename T>
BUFFERPROOF_INLINE T truncate(T x) {
  const T size = absolute(x);
  const T even = round_to_even(size);
  return signed_as(even > size ? even - 1 : even, x);
}
template <typename T>
BUFFERPROOF_INLINE T round_away(T x) {
  const T size = absolute(x);
  const T whole = truncate(size);
  return signed_as(size - whole >= static_cast<T>(0.5) ? whole + 1 : whole, x);
}
template <typename T>
BUFFERPROOF_INLINE T round_down(T x) {
  const T even = round_to_even(x);
  return signed_as(absolute(even > x ? even - 1 : even), x);
}
template <typename T>
BUFFERPROOF_INLINE T round_up(T x) {
  const T even = round_to_even(x);
  return signed_as(absolute(even < x ? even + 1 : even), x);
}

#define BUFFERPROOF_OP1(Name, expression)                    \
  struct Name {                                              \
    template <typename T>                                    \
    __attribute__((always_inline)) T operator()(T x) const { \
      return canonical(static_cast<T>(expression));          \
    }                                                        \
  };
#define BUFFERPROOF_OP2(Name, expression)                         \
  struct Name {                                                   \
    template <typename T>                                         \
    __attribute__((always_inline)) T operator()(T x, T y) const { \
      return canonical(static_cast<T>(expression));               \
    }                                                             \
  };

// --- one operand
BUFFERPROOF_OP1(Abs, absolute(x))
BUFFERPROOF_OP1(Neg, -x)
BUFFERPROOF_OP1(Sign, x > 0 ? 1 : (x < 0 ? -1 : x))  // -0 stays -0
BUFFERPROOF_OP1(Relu, x > 0 ? x : (x == x ? 0 : x))  // relu(-0) = +0; NaN stays NaN
BUFFERPROOF_OP1(Square, x* x)
BUFFERPROOF_OP1(Sqrt, root(x))
BUFFERPROOF_OP1(Rec, 1 / x)
BUFFERPROOF_OP1(RsqrtTwoStep, 1 / root(x))  // sqrt rounded, then the quotient rounded
BUFFERPROOF_OP1(Floor, round_down(x))
BUFFERPROOF_OP1(Ceil, round_up(x))
BUFFERPROOF_OP1(Trunc, truncate(x))
BUFFERPROOF_OP1(Rint, round_to_even(x))
BUFFERPROOF_OP1(Round, round_away(x))  // ties away from zero

/// The exponent of |x| as a float: floor(log2 |x|), -infinity for 0.
struct Ilogb {
  __attribute__((always_inline)) double operator()(double x) const {
    const double size = absolute(x);
    const bool tiny = size < 0x1p-1022;
    const double exponent =
        math::to_double((bits_of(tiny ? size * 0x1p54 : size) >> 52) - 1023) - (tiny ? 54.0 : 0.0);
    const double finite = size == 0.0 ? -kInf<double> : exponent;
    return canonical(size < kInf<double> ? finite : size);
  }
  __attribute__((always_inline)) float operator()(float x) const {
    return canonical(static_cast<float>((*this)(static_cast<double>(x))));
  }
};

// --- two operands
BUFFERPROOF_OP2(Add, x + y)
BUFFERPROOF_OP2(Sub, x - y)
BUFFERPROOF_OP2(Mul, x* y)
BUFFERPROOF_OP2(Div, x / y)
/// NaN where either is NaN; max(-0, +0) = +0, min(-0, +0) = -0.
BUFFERPROOF_OP2(Max, x != x ? x : (y != y ? y : (x > y || (x == y && !sign_bit(x)) ? x : y)))
BUFFERPROOF_OP2(Min, x != x ? x : (y != y ? y : (x < y || (x == y && sign_bit(x)) ? x : y)))
/// The number where the other is NaN.
BUFFERPROOF_OP2(MaxNum, x != x ? y : (y != y ? x : (x > y || (x == y && !sign_bit(x)) ? x : y)))
BUFFERPROOF_OP2(MinNum, x != x ? y : (y != y ? x : (x < y || (x == y && sign_bit(x)) ? x : y)))
BUFFERPROOF_OP2(CopySign, signed_as(x, y))
/// x * 2^y, the power rounded to the type first.
BUFFERPROOF_OP2(Ldexp, x* math::Exp2{}(y))
#undef BUFFERPROOF_OP1
#undef BUFFERPROOF_OP2

/// The exact remainder with the sign of x (C's fmod), by long division on the significands; |x| < |y| gives
/// x.
BUFFERPROOF_INLINE double exact_mod(double x, double y) {
  const double a = absolute(x);
  const double b = absolute(y);
  if (!(a < kInf<double>) || !(b > 0)) return kQuietNan<double>;
  if (a < b) return x;  // y may be infinite
  const auto significand = [](double v, int& exponent) {
    const std::uint64_t bits = bits_of(v);
    const auto field = static_cast<int>(bits >> 52);
    exponent = field > 0 ? field : 1;
    return (bits & 0x000fffffffffffffULL) | (field > 0 ? 0x0010000000000000ULL : 0);
  };
  int ea = 0;
  int eb = 0;
  std::uint64_t rest = significand(a, ea);
  const std::uint64_t divisor = significand(b, eb);
  for (rest %= divisor; ea > eb && rest != 0;) {
    const int step = ea - eb < 11 ? ea - eb : 11;  // rest < 2^53: eleven places fit into 64 bits
    rest = (rest << step) % divisor;
    ea -= step;
  }
  // rest * 2^(eb - 1075), exact: split so that neither power leaves the normal range.
  const double high =
      math::power_of_two(static_cast<std::uint64_t>(static_cast<std::int64_t>(eb > 1000 ? eb - 1075 : -75)));
  const double low = eb > 1000 ? 1.0 : __builtin_bit_cast(double, static_cast<std::uint64_t>(eb + 23) << 52);
  return signed_as(static_cast<double>(rest) * high * low, x);
}

struct Mod {
  __attribute__((always_inline)) double operator()(double x, double y) const {
    return canonical(exact_mod(x, y));
  }
  __attribute__((always_inline)) float operator()(float x, float y) const {
    return canonical(static_cast<float>(exact_mod(x, y)));  // the remainder of two floats is a float
  }
};
/// The remainder with the sign of y: mod, plus y where the signs differ (one rounding). A zero takes the sign
/// of y.
struct Remainder {
  template <typename T>
  __attribute__((always_inline)) T operator()(T x, T y) const {
    const T rest = Mod{}(x, y);
    const bool differs = rest != 0 && (rest < 0) != (y < 0);
    return canonical(rest == 0 ? signed_as(rest, y) : (differs ? rest + y : rest));
  }
};
/// floor of the exact quotient rounded like PyTorch's: (x - mod(x, y)) / y, corrected, to the nearest integer
/// below.
struct FloorDiv {
  template <typename T>
  __attribute__((always_inline)) T operator()(T x, T y) const {
    const T rest = Mod{}(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (y < 0) != (rest < 0)) quotient = quotient - 1;
    const T floored = round_down(quotient);
    const T corrected = quotient - floored > static_cast<T>(0.5) ? floored + 1 : floored;
    const T sized = quotient == 0 ? signed_as(static_cast<T>(0), x / y) : corrected;
    return canonical(y == 0 ? x / y : sized);
  }
};

// --- three operands
/// min(max(x, low), high): high wins where low > high, as in PyTorch. NaN in any operand gives NaN.
struct Clamp {
  template <typename T>
  __attribute__((always_inline)) T operator()(T x, T low, T high) const {
    return Min{}(Max{}(x, low), high);
  }
};
// fma is in block_ternary.isa.cpp and define_scalar.cpp: without hardware FMA its f32 form needs an
// emulation.

// --- tests and comparisons: the result is a byte, 1 for true. NaN compares unequal to everything, itself
// included.
struct IsNan {
  template <typename T>
  __attribute__((always_inline)) std::uint8_t operator()(T x) const {
    return x != x;
  }
};
struct IsInf {
  template <typename T>
  __attribute__((always_inline)) std::uint8_t operator()(T x) const {
    return absolute(x) == kInf<T>;
  }
};
struct IsFinite {
  template <typename T>
  __attribute__((always_inline)) std::uint8_t operator()(T x) const {
    return absolute(x) < kInf<T>;
  }
};
/// x == 0; NaN counts as true, so its negation is false.
struct LogicalNot {
  template <typename T>
  __attribute__((always_inline)) std::uint8_t operator()(T x) const {
    return x == 0;
  }
};

#define BUFFERPROOF_COMPARE(Name, expression)                                \
  struct Name {                                                              \
    template <typename T>                                                    \
    __attribute__((always_inline)) std::uint8_t operator()(T x, T y) const { \
      return expression;                                                     \
    }                                                                        \
  };
BUFFERPROOF_COMPARE(Eq, x == y)
BUFFERPROOF_COMPARE(Ne, x != y)
BUFFERPROOF_COMPARE(Lt, x < y)
BUFFERPROOF_COMPARE(Le, x <= y)
BUFFERPROOF_COMPARE(Gt, x > y)
BUFFERPROOF_COMPARE(Ge, x >= y)
BUFFERPROOF_COMPARE(LogicalAnd, (x != 0) & (y != 0))
BUFFERPROOF_COMPARE(LogicalOr, (x != 0) | (y != 0))
BUFFERPROOF_COMPARE(LogicalXor, (x != 0) ^ (y != 0))
#undef BUFFERPROOF_COMPARE

}  // namespace bufferproof::kernels::scalar
