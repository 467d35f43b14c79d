// The loops of ConvertKernels (block_kernels.hpp), for sources that fill in the table. Internal linkage
// throughout.
#pragma once

#include "kernels_ref/ops/block_kernels.hpp"
#include "kernels_ref/ops/element_convert.hpp"

namespace bufferproof::kernels {
namespace {

template <typename From, typename To>
void convert_block(const void* const* inputs, void* out, std::int64_t count) {
  const From* const x = static_cast<const From*>(inputs[0]);
  To* const to = static_cast<To*>(out);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) to[i] = convert::element<To>(x[i]);
}

}  // namespace
}  // namespace bufferproof::kernels

/// One row of the table, in the order of model::DType.
#define BUFFERPROOF_CONVERT_ROW(From)                                                           \
  {                                                                                             \
    convert_block<From, F16>, convert_block<From, Bf16>, convert_block<From, float>,            \
        convert_block<From, double>, convert_block<From, B8>, convert_block<From, std::int8_t>, \
        convert_block<From, std::uint8_t>, convert_block<From, std::int16_t>,                   \
        convert_block<From, std::int32_t>, convert_block<From, std::int64_t>                    \
  }
#define BUFFERPROOF_CONVERT_TABLE                                                                           \
  {                                                                                                         \
    BUFFERPROOF_CONVERT_ROW(F16), BUFFERPROOF_CONVERT_ROW(Bf16), BUFFERPROOF_CONVERT_ROW(float),            \
        BUFFERPROOF_CONVERT_ROW(double), BUFFERPROOF_CONVERT_ROW(B8), BUFFERPROOF_CONVERT_ROW(std::int8_t), \
        BUFFERPROOF_CONVERT_ROW(std::uint8_t), BUFFERPROOF_CONVERT_ROW(std::int16_t),                       \
        BUFFERPROOF_CONVERT_ROW(std::int32_t), BUFFERPROOF_CONVERT_ROW(std::int64_t)                        \
  }
#define BUFFERPROOF_UNSIGNED_LOADS                                                         \
  {                                                                                        \
    convert_block<std::uint8_t, std::int64_t>, convert_block<std::uint16_t, std::int64_t>, \
        convert_block<std::uint32_t, std::int64_t>                                         \
  }
