// Elementwise ops on blocks, other than the elementary functions (block_math.isa.cpp).
#include "kernels_ref/isa/vector.hpp"
#include "kernels_ref/ops/block_loops.hpp"
#include "kernels_ref/ops/float_ops.hpp"
#include "kernels_ref/ops/integer_ops.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
namespace {

/// x * y + z with one rounding: the set's own form, emulated where it has no FMA hardware.
struct Fma {
  template <typename T>
  __attribute__((always_inline)) T operator()(T x, T y, T z) const {
    return canonical(BUFFERPROOF_ISA_NAMESPACE::fma(x, y, z));
  }
};

}  // namespace

constinit const SimpleKernels simple_kernels{
    .f32 = {BUFFERPROOF_FLOAT_OPS(BUFFERPROOF_BLOCK_F32)},
    .f64 = {BUFFERPROOF_FLOAT_OPS(BUFFERPROOF_BLOCK_F64)},
    .i64 = {BUFFERPROOF_INT_OPS(BUFFERPROOF_BLOCK_I64)},
    .select = {select_block<std::uint8_t>, select_block<std::uint16_t>, select_block<std::uint32_t>,
               select_block<std::uint64_t>}};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
