// The elementary functions on blocks. sin, cos and tan run their small-argument forms, which vectorise; a
// block with a larger argument goes to the scalar functions as a whole, with the same bits.
#include "kernels_ref/ops/block_loops.hpp"
#include "kernels_ref/ops/float_ops.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
namespace {

template <typename Object>
struct TrigOf;
template <>
struct TrigOf<math::Sin> {
  using Small = math::SinSmall;
  static constexpr MathOp kOp = MathOp::sin;
};
template <>
struct TrigOf<math::Cos> {
  using Small = math::CosSmall;
  static constexpr MathOp kOp = MathOp::cos;
};
template <>
struct TrigOf<math::Tan> {
  using Small = math::TanSmall;
  static constexpr MathOp kOp = MathOp::tan;
};

template <typename Object, typename T>
void trig_block(const void* const* inputs, void* out, std::int64_t count) {
  const T* const x = operand<T>(inputs, 0);
  bool large = false;
  for (std::int64_t i = 0; i < count; ++i) large |= scalar::absolute(x[i]) > static_cast<T>(math::kTrigSmall);
  if (large) return large_argument_block(TrigOf<Object>::kOp, sizeof(T) == 8, inputs, out, count);
  block<typename TrigOf<Object>::Small, 1, T, T>(inputs, out, count);
}

template <typename Object, int kOperands, typename T, bool kTrig>
constexpr BlockFunction pick() {
  if constexpr (kTrig) {
    return trig_block<Object, T>;
  } else {
    return block<Object, kOperands, T, T>;
  }
}
enum { kIs_same = 0, kIs_trig = 1 };
#define BUFFERPROOF_MATH_F32(name, Object, operands, result) \
  pick<Object, operands, float, kIs_##result == 1>(),
#define BUFFERPROOF_MATH_F64(name, Object, operands, result) \
  pick<Object, operands, double, kIs_##result == 1>(),

}  // namespace

constinit const MathKernels math_kernels{.f32 = {BUFFERPROOF_MATH_OPS(BUFFERPROOF_MATH_F32)},
                                         .f64 = {BUFFERPROOF_MATH_OPS(BUFFERPROOF_MATH_F64)}};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
