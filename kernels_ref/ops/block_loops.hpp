// The loops of block_kernels.hpp, for sources that fill in a table: *.isa.cpp and definition_kernels.cpp.
//
// Everything has internal linkage. `ivdep` says what block_kernels.hpp promises: an output is an operand
// itself or apart from it.
#pragma once

#include "kernels_ref/ops/block_kernels.hpp"

namespace bufferproof::kernels {
namespace {

template <typename T>
using Result_same = T;
template <typename T>
using Result_trig = T;
template <typename T>
using Result_mask = std::uint8_t;

template <typename T>
const T* operand(const void* const* inputs, int index) {
  return static_cast<const T*>(inputs[index]);
}

template <typename Op, int kOperands, typename T, typename Out>
void block(const void* const* inputs, void* out, std::int64_t count) {
  Out* const to = static_cast<Out*>(out);
  const T* const x = operand<T>(inputs, 0);
  if constexpr (kOperands == 1) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) to[i] = Op{}(x[i]);
  } else if constexpr (kOperands == 2) {
    const T* const y = operand<T>(inputs, 1);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) to[i] = Op{}(x[i], y[i]);
  } else {
    const T* const y = operand<T>(inputs, 1);
    const T* const z = operand<T>(inputs, 2);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) to[i] = Op{}(x[i], y[i], z[i]);
  }
}

/// out = condition ? a : b, bit for bit.
template <typename T>
void select_block(const void* const* inputs, void* out, std::int64_t count) {
  T* const to = static_cast<T*>(out);
  const std::uint8_t* const condition = operand<std::uint8_t>(inputs, 0);
  const T* const a = operand<T>(inputs, 1);
  const T* const b = operand<T>(inputs, 2);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) to[i] = condition[i] != 0 ? a[i] : b[i];
}

}  // namespace
}  // namespace bufferproof::kernels

#define BUFFERPROOF_BLOCK_F32(name, Object, operands, result) \
  block<Object, operands, float, Result_##result<float>>,
#define BUFFERPROOF_BLOCK_F64(name, Object, operands, result) \
  block<Object, operands, double, Result_##result<double>>,
#define BUFFERPROOF_BLOCK_I64(name, Object, operands, result) \
  block<Object, operands, std::int64_t, Result_##result<std::int64_t>>,
