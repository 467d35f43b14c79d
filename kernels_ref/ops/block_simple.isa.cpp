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

template <typename Op, typename T>
void fold_rows(const void* x, std::int64_t rows, void* lanes) {
  const T* from = static_cast<const T*>(x);
  T total[32];
  __builtin_memcpy(total, lanes, sizeof total);
  for (std::int64_t row = 0; row < rows; ++row, from += 32)
    for (int j = 0; j < 32; ++j) total[j] = Op{}(total[j], from[j]);
  __builtin_memcpy(lanes, total, sizeof total);
}

}  // namespace

constinit const FoldKernels fold_kernels{
    .f32 = {fold_rows<scalar::Add, float>, fold_rows<scalar::Mul, float>, fold_rows<scalar::Max, float>,
            fold_rows<scalar::Min, float>},
    .f64 = {fold_rows<scalar::Add, double>, fold_rows<scalar::Mul, double>, fold_rows<scalar::Max, double>,
            fold_rows<scalar::Min, double>}};

constinit const SimpleKernels simple_kernels{
    .f32 = {BUFFERPROOF_FLOAT_OPS(BUFFERPROOF_BLOCK_F32)},
    .f64 = {BUFFERPROOF_FLOAT_OPS(BUFFERPROOF_BLOCK_F64)},
    .i64 = {BUFFERPROOF_INT_OPS(BUFFERPROOF_BLOCK_I64)},
    .select = {select_block<std::uint8_t>, select_block<std::uint16_t>, select_block<std::uint32_t>,
               select_block<std::uint64_t>}};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
