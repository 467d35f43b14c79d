#include "kernels_ref/ops/block_loops.hpp"
#include "kernels_ref/ops/convert_loops.hpp"
#include "kernels_ref/ops/float_ops.hpp"
#include "kernels_ref/ops/integer_ops.hpp"

// The definitions as tables (block_kernels.hpp): the function objects of float_ops.hpp, integer_ops.hpp and
// kernels_ref/math, compiled for the baseline processor and called for one element at a time.

namespace bufferproof::kernels {
namespace {

/// x * y + z with one rounding.
struct Fma {
  __attribute__((always_inline)) float operator()(float x, float y, float z) const {
    return canonical(__builtin_fmaf(x, y, z));
  }
  __attribute__((always_inline)) double operator()(double x, double y, double z) const {
    return canonical(__builtin_fma(x, y, z));
  }
};

constinit const SimpleKernels kSimple{.f32 = {BUFFERPROOF_FLOAT_OPS(BUFFERPROOF_BLOCK_F32)},
                                      .f64 = {BUFFERPROOF_FLOAT_OPS(BUFFERPROOF_BLOCK_F64)},
                                      .i64 = {BUFFERPROOF_INT_OPS(BUFFERPROOF_BLOCK_I64)},
                                      .select = {select_block<std::uint8_t>, select_block<std::uint16_t>,
                                                 select_block<std::uint32_t>, select_block<std::uint64_t>}};
constinit const MathKernels kMath{.f32 = {BUFFERPROOF_MATH_OPS(BUFFERPROOF_BLOCK_F32)},
                                  .f64 = {BUFFERPROOF_MATH_OPS(BUFFERPROOF_BLOCK_F64)}};
constinit const ConvertKernels kConvert{.convert = BUFFERPROOF_CONVERT_TABLE,
                                        .unsigned_load = BUFFERPROOF_UNSIGNED_LOADS};
constinit const BlockKernels kDefinitions{&kSimple, &kMath, &kConvert, nullptr};

}  // namespace

const BlockKernels& definition_kernels() { return kDefinitions; }

void large_argument_block(MathOp op, bool f64, const void* const* inputs, void* out, std::int64_t count) {
  const auto index = static_cast<std::size_t>(op);
  (f64 ? kMath.f64 : kMath.f32)[index](inputs, out, count);
}

}  // namespace bufferproof::kernels
