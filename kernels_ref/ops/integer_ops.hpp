// The scalar definitions of the elementwise ops on integers and i1.
//
// Every integer operand is widened to 64 bits (i1 to 0 or 1), the op is done modulo 2^64 and the result cut
// to the type's width (i1: non-zero is true), which equals the operation in the type's own width, wrapping.
// The ops named ...u see the operand's bits zero-extended. Nothing is undefined: dividing by zero gives 0
// (mod: the dividend), shifting by the width or more gives what shifting one place at a time would. Tested by
// tests/kernels_ref/ops_elementwise_test.cpp and ops_semantics_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/convert16.hpp"

namespace bufferproof::kernels::scalar {

using I64 = std::int64_t;
using U64 = std::uint64_t;

BUFFERPROOF_INLINE I64 wrap(U64 x) { return static_cast<I64>(x); }
BUFFERPROOF_INLINE U64 raw(I64 x) { return static_cast<U64>(x); }

#define BUFFERPROOF_INT1(Name, expression)                                            \
  struct Name {                                                                       \
    __attribute__((always_inline)) I64 operator()(I64 x) const { return expression; } \
  };
#define BUFFERPROOF_INT2(Name, expression)                                                   \
  struct Name {                                                                              \
    __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const { return expression; } \
  };

BUFFERPROOF_INT1(IntAbs, x < 0 ? wrap(0 - raw(x)) : x)
BUFFERPROOF_INT1(IntNeg, wrap(0 - raw(x)))
BUFFERPROOF_INT1(IntSign, (x > 0) - (x < 0))
BUFFERPROOF_INT1(IntRelu, x > 0 ? x : 0)
BUFFERPROOF_INT1(IntSquare, wrap(raw(x) * raw(x)))
BUFFERPROOF_INT1(IntNot, wrap(~raw(x)))
BUFFERPROOF_INT1(BoolNot, x == 0)
BUFFERPROOF_INT1(IntSame, x)  // floor, ceil, trunc, rint and round of an integer

BUFFERPROOF_INT2(IntAdd, wrap(raw(x) + raw(y)))
BUFFERPROOF_INT2(IntSub, wrap(raw(x) - raw(y)))
BUFFERPROOF_INT2(IntMul, wrap(raw(x) * raw(y)))
BUFFERPROOF_INT2(IntMax, x > y ? x : y)
BUFFERPROOF_INT2(IntMin, x < y ? x : y)
BUFFERPROOF_INT2(IntMaxu, raw(x) > raw(y) ? x : y)
BUFFERPROOF_INT2(IntMinu, raw(x) < raw(y) ? x : y)
BUFFERPROOF_INT2(IntAnd, x& y)
BUFFERPROOF_INT2(IntOr, x | y)
BUFFERPROOF_INT2(IntXor, x ^ y)
BUFFERPROOF_INT2(IntShl, raw(y) < 64 ? wrap(raw(x) << (raw(y) & 63)) : 0)
BUFFERPROOF_INT2(IntShrs, x >> (raw(y) < 64 ? (raw(y) & 63) : 63))
BUFFERPROOF_INT2(IntShru, raw(y) < 64 ? wrap(raw(x) >> (raw(y) & 63)) : 0)
#undef BUFFERPROOF_INT1
#undef BUFFERPROOF_INT2

/// Toward zero; the smallest value divided by -1 wraps to itself.
struct IntDiv {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const {
    if (y == 0) return 0;
    return y == -1 ? wrap(0 - raw(x)) : x / y;
  }
};
struct IntDivu {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const {
    return y == 0 ? 0 : wrap(raw(x) / raw(y));
  }
};
/// Sign of the dividend.
struct IntMod {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const {
    if (y == 0) return x;
    return y == -1 ? 0 : x % y;
  }
};
struct IntModu {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const {
    return y == 0 ? x : wrap(raw(x) % raw(y));
  }
};
/// Sign of the divisor.
struct IntRemainder {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const {
    const I64 rest = IntMod{}(x, y);
    return rest != 0 && y != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
  }
};
struct IntFloorDiv {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const {
    const I64 quotient = IntDiv{}(x, y);
    const I64 rest = IntMod{}(x, y);
    return y != 0 && rest != 0 && (rest < 0) != (y < 0) ? quotient - 1 : quotient;
  }
};
struct IntCeilDiv {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const {
    const I64 quotient = IntDiv{}(x, y);
    const I64 rest = IntMod{}(x, y);
    return y != 0 && rest != 0 && (rest < 0) == (y < 0) ? quotient + 1 : quotient;
  }
};
struct IntCeilDivu {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const {
    if (y == 0) return 0;
    return wrap(raw(x) / raw(y) + (raw(x) % raw(y) != 0 ? 1 : 0));
  }
};
/// x^y by squaring, wrapping. A negative exponent gives the truncated quotient 1 / x^|y|: 1, -1 or 0.
struct IntPow {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 y) const {
    if (y < 0) return x == 1 ? 1 : (x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0);
    U64 result = 1;
    for (U64 base = raw(x), left = raw(y); left != 0; left >>= 1, base *= base)
      if ((left & 1) != 0) result *= base;
    return wrap(result);
  }
};
struct IntClamp {
  __attribute__((always_inline)) I64 operator()(I64 x, I64 low, I64 high) const {
    return IntMin{}(IntMax{}(x, low), high);
  }
};

#define BUFFERPROOF_INT_COMPARE(Name, expression)                                                     \
  struct Name {                                                                                       \
    __attribute__((always_inline)) std::uint8_t operator()(I64 x, I64 y) const { return expression; } \
  };
BUFFERPROOF_INT_COMPARE(IntLtu, raw(x) < raw(y))
BUFFERPROOF_INT_COMPARE(IntLeu, raw(x) <= raw(y))
BUFFERPROOF_INT_COMPARE(IntGtu, raw(x) > raw(y))
BUFFERPROOF_INT_COMPARE(IntGeu, raw(x) >= raw(y))
#undef BUFFERPROOF_INT_COMPARE

}  // namespace bufferproof::kernels::scalar
