// The elementwise kernels by name: X(name, function object, operands, result). Result is `same` (the
// operand's type) or `mask` (i1).
//
// One list a computing type; the names of ops that callers use are in elementwise.cpp. The math functions are
// a list of their own because they are compiled apart. Usable in sources compiled once per instruction set.
#pragma once

#define BUFFERPROOF_FLOAT_OPS(X)                   \
  X(abs, scalar::Abs, 1, same)                     \
  X(neg, scalar::Neg, 1, same)                     \
  X(sign, scalar::Sign, 1, same)                   \
  X(relu, scalar::Relu, 1, same)                   \
  X(square, scalar::Square, 1, same)               \
  X(sqrt, scalar::Sqrt, 1, same)                   \
  X(rec, scalar::Rec, 1, same)                     \
  X(rsqrt_two_step, scalar::RsqrtTwoStep, 1, same) \
  X(floor, scalar::Floor, 1, same)                 \
  X(ceil, scalar::Ceil, 1, same)                   \
  X(trunc, scalar::Trunc, 1, same)                 \
  X(rint, scalar::Rint, 1, same)                   \
  X(round, scalar::Round, 1, same)                 \
  X(ilogb, scalar::Ilogb, 1, same)                 \
  X(isnan, scalar::IsNan, 1, mask)                 \
  X(isinf, scalar::IsInf, 1, mask)                 \
  X(isfinite, scalar::IsFinite, 1, mask)           \
  X(logical_not, scalar::LogicalNot, 1, mask)      \
  X(add, scalar::Add, 2, same)                     \
  X(sub, scalar::Sub, 2, same)                     \
  X(mul, scalar::Mul, 2, same)                     \
  X(div, scalar::Div, 2, same)                     \
  X(max, scalar::Max, 2, same)                     \
  X(min, scalar::Min, 2, same)                     \
  X(maxnum, scalar::MaxNum, 2, same)               \
  X(minnum, scalar::MinNum, 2, same)               \
  X(copysign, scalar::CopySign, 2, same)           \
  X(mod, scalar::Mod, 2, same)                     \
  X(remainder, scalar::Remainder, 2, same)         \
  X(floordiv, scalar::FloorDiv, 2, same)           \
  X(eq, scalar::Eq, 2, mask)                       \
  X(ne, scalar::Ne, 2, mask)                       \
  X(lt, scalar::Lt, 2, mask)                       \
  X(le, scalar::Le, 2, mask)                       \
  X(gt, scalar::Gt, 2, mask)                       \
  X(ge, scalar::Ge, 2, mask)                       \
  X(logical_and, scalar::LogicalAnd, 2, mask)      \
  X(logical_or, scalar::LogicalOr, 2, mask)        \
  X(logical_xor, scalar::LogicalXor, 2, mask)      \
  X(clamp, scalar::Clamp, 3, same)                 \
  X(fma, Fma, 3, same)

/// sin, cos and tan stand for their small-argument forms; the kernels look for large arguments first.
#define BUFFERPROOF_MATH_OPS(X)      \
  X(exp, math::Exp, 1, same)         \
  X(exp2, math::Exp2, 1, same)       \
  X(expm1, math::Expm1, 1, same)     \
  X(sigmoid, math::Sigmoid, 1, same) \
  X(tanh, math::Tanh, 1, same)       \
  X(sinh, math::Sinh, 1, same)       \
  X(cosh, math::Cosh, 1, same)       \
  X(log, math::Log, 1, same)         \
  X(log2, math::Log2, 1, same)       \
  X(log10, math::Log10, 1, same)     \
  X(log1p, math::Log1p, 1, same)     \
  X(asinh, math::Asinh, 1, same)     \
  X(acosh, math::Acosh, 1, same)     \
  X(atanh, math::Atanh, 1, same)     \
  X(sin, math::Sin, 1, trig)         \
  X(cos, math::Cos, 1, trig)         \
  X(tan, math::Tan, 1, trig)         \
  X(asin, math::Asin, 1, same)       \
  X(acos, math::Acos, 1, same)       \
  X(atan, math::Atan, 1, same)       \
  X(erf, math::Erf, 1, same)         \
  X(lgamma, math::Lgamma, 1, same)   \
  X(rsqrt, math::Rsqrt, 1, same)     \
  X(pow, math::Pow, 2, same)         \
  X(atan2, math::Atan2, 2, same)     \
  X(ldexp, scalar::Ldexp, 2, same)

#define BUFFERPROOF_INT_OPS(X)                \
  X(abs, scalar::IntAbs, 1, same)             \
  X(neg, scalar::IntNeg, 1, same)             \
  X(sign, scalar::IntSign, 1, same)           \
  X(relu, scalar::IntRelu, 1, same)           \
  X(square, scalar::IntSquare, 1, same)       \
  X(bitwise_not, scalar::IntNot, 1, same)     \
  X(bool_not, scalar::BoolNot, 1, same)       \
  X(unchanged, scalar::IntSame, 1, same)      \
  X(logical_not, scalar::LogicalNot, 1, mask) \
  X(add, scalar::IntAdd, 2, same)             \
  X(sub, scalar::IntSub, 2, same)             \
  X(mul, scalar::IntMul, 2, same)             \
  X(div, scalar::IntDiv, 2, same)             \
  X(divu, scalar::IntDivu, 2, same)           \
  X(mod, scalar::IntMod, 2, same)             \
  X(modu, scalar::IntModu, 2, same)           \
  X(remainder, scalar::IntRemainder, 2, same) \
  X(floordiv, scalar::IntFloorDiv, 2, same)   \
  X(ceildiv, scalar::IntCeilDiv, 2, same)     \
  X(ceildivu, scalar::IntCeilDivu, 2, same)   \
  X(pow, scalar::IntPow, 2, same)             \
  X(max, scalar::IntMax, 2, same)             \
  X(min, scalar::IntMin, 2, same)             \
  X(maxu, scalar::IntMaxu, 2, same)           \
  X(minu, scalar::IntMinu, 2, same)           \
  X(bit_and, scalar::IntAnd, 2, same)         \
  X(bit_or, scalar::IntOr, 2, same)           \
  X(bit_xor, scalar::IntXor, 2, same)         \
  X(shl, scalar::IntShl, 2, same)             \
  X(shrs, scalar::IntShrs, 2, same)           \
  X(shru, scalar::IntShru, 2, same)           \
  X(eq, scalar::Eq, 2, mask)                  \
  X(ne, scalar::Ne, 2, mask)                  \
  X(lt, scalar::Lt, 2, mask)                  \
  X(le, scalar::Le, 2, mask)                  \
  X(gt, scalar::Gt, 2, mask)                  \
  X(ge, scalar::Ge, 2, mask)                  \
  X(ltu, scalar::IntLtu, 2, mask)             \
  X(leu, scalar::IntLeu, 2, mask)             \
  X(gtu, scalar::IntGtu, 2, mask)             \
  X(geu, scalar::IntGeu, 2, mask)             \
  X(logical_and, scalar::LogicalAnd, 2, mask) \
  X(logical_or, scalar::LogicalOr, 2, mask)   \
  X(logical_xor, scalar::LogicalXor, 2, mask) \
  X(clamp, scalar::IntClamp, 3, same)
