// The loops of ConvertKernels (block_kernels.hpp), for sources that fill in the table. Internal linkage
// throughout.
#pragma once

#include "kernels_ref/ops/block_kernels.hpp"
#include "kernels_ref/ops/element_convert.hpp"

#if defined(BUFFERPROOF_ISA_NAMESPACE) && defined(__F16C__)
#include <immintrin.h>  // its functions are always inlined and never emitted
#endif

namespace bufferproof::kernels {
namespace {

template <typename From, typename To>
void convert_block(const void* const* inputs, void* out, std::int64_t count) {
  const From* const x = static_cast<const From*>(inputs[0]);
  To* const to = static_cast<To*>(out);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) to[i] = convert::element<To>(x[i]);
}

#if defined(BUFFERPROOF_ISA_NAMESPACE) && defined(__F16C__)
// The processor's own f16 conversions round as convert16.hpp does (to nearest even, subnormals kept); only
// NaNs need care: they become canonical on the f32 side, whose conversion is the canonical f16 NaN.

inline __m256 canonical_lanes(__m256 x) {
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(kNanF32)));
  return _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

template <>
void convert_block<F16, float>(const void* const* inputs, void* out, std::int64_t count) {
  const F16* const x = static_cast<const F16*>(inputs[0]);
  float* const to = static_cast<float*>(out);
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 wide = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i)));
    _mm256_storeu_ps(to + i, canonical_lanes(wide));
  }
  for (; i < count; ++i) to[i] = convert::element<float>(x[i]);
}

template <>
void convert_block<float, F16>(const void* const* inputs, void* out, std::int64_t count) {
  const float* const x = static_cast<const float*>(inputs[0]);
  F16* const to = static_cast<F16*>(out);
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 wide = canonical_lanes(_mm256_loadu_ps(x + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(wide, _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < count; ++i) to[i] = convert::element<F16>(x[i]);
}
#endif

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
