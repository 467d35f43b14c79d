// Vectors of the instruction set being compiled: GCC vector extensions plus the one operation they lack,
// fused multiply-add.
//
// VecF32 and VecF64 are as wide as the set's registers (16, 32 or 64 bytes); +, -, *, /, comparisons and ?:
// are the language's own on vector types. Without FMA hardware fma() gives the same bits in software: f32 by
// exact products in f64 and one rounding to odd, f64 lane by lane through the C library, whose fma is
// correctly rounded by definition. Only for *.isa.cpp sources (kernels_ref/isa/isa.hpp). Tested by
// tests/kernels_ref/isa_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/convert16.hpp"

#if defined(__AVX__)
#include <immintrin.h>  // its functions are always inlined and never emitted: nothing for the linker to merge
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
#define BUFFERPROOF_VECTOR_BYTES 64
#elif defined(__AVX__)
#define BUFFERPROOF_VECTOR_BYTES 32
#else
#define BUFFERPROOF_VECTOR_BYTES 16
#endif

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {

typedef float VecF32 __attribute__((vector_size(BUFFERPROOF_VECTOR_BYTES)));
typedef double VecF64 __attribute__((vector_size(BUFFERPROOF_VECTOR_BYTES)));
typedef std::int32_t VecI32 __attribute__((vector_size(BUFFERPROOF_VECTOR_BYTES)));
typedef std::uint32_t VecU32 __attribute__((vector_size(BUFFERPROOF_VECTOR_BYTES)));
typedef std::int64_t VecI64 __attribute__((vector_size(BUFFERPROOF_VECTOR_BYTES)));

template <typename T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using type = VecF32;
};
template <>
struct VectorOf<double> {
  using type = VecF64;
};
template <typename T>
using Vec = typename VectorOf<T>::type;
template <typename T>
inline constexpr int kLanes = BUFFERPROOF_VECTOR_BYTES / static_cast<int>(sizeof(T));

template <typename T>
BUFFERPROOF_INLINE Vec<T> load(const T* from) {
  Vec<T> value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <typename T>
BUFFERPROOF_INLINE void store(T* to, Vec<T> value) {
  __builtin_memcpy(to, &value, sizeof value);
}
template <typename T>
BUFFERPROOF_INLINE Vec<T> broadcast(T value) {
  return value - Vec<T>{};  // x - 0 is x, a negative zero too: folds to one broadcast
}

/// The canonical NaN of T as bits.
template <typename T>
inline constexpr auto kNan = kNanF64;
template <>
inline constexpr auto kNan<float> = kNanF32;

/// Copies `count` elements, fewer than a vector; nothing else is read or written.
BUFFERPROOF_INLINE void copy_few(float* to, const float* from, int count) {
#if defined(__AVX512F__)
  const auto mask = static_cast<__mmask16>((1U << count) - 1U);
  _mm512_mask_storeu_ps(to, mask, _mm512_maskz_loadu_ps(mask, from));
#else
  for (int i = 0; i < count; ++i) to[i] = from[i];
#endif
}
BUFFERPROOF_INLINE void copy_few(double* to, const double* from, int count) {
#if defined(__AVX512F__)
  const auto mask = static_cast<__mmask8>((1U << count) - 1U);
  _mm512_mask_storeu_pd(to, mask, _mm512_maskz_loadu_pd(mask, from));
#else
  for (int i = 0; i < count; ++i) to[i] = from[i];
#endif
}

/// Copies `count` elements; nothing else is read or written. For rows too short to be worth a call of memcpy.
template <typename T>
BUFFERPROOF_INLINE void copy_array(T* to, const T* from, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) store<T>(to + i, load<T>(from + i));
  if (i < count) copy_few(to + i, from + i, static_cast<int>(count - i));
}

/// One f32 fused multiply-add in software. p = a * b is exact in f64 (48 bits); s + e is p + c exactly
/// (two-sum); where e != 0, s is moved to the neighbour with an odd last bit on e's side, so that rounding s
/// to f32 rounds p + c once.
BUFFERPROOF_INLINE float software_fma(float a, float b, float c) {
  const double p = static_cast<double>(a) * static_cast<double>(b);
  const double addend = static_cast<double>(c);
  const double s = p + addend;
  const double t = s - p;
  const double e = (p - (s - t)) + (addend - t);
  const auto bits = __builtin_bit_cast(std::int64_t, s);
  const bool inexact = e < 0 || e > 0;  // false for the NaN that infinities give
  const bool even = (bits & 1) == 0;
  const std::int64_t toward = (e < 0) == (s < 0) ? 1 : -1;  // away from zero when e has the sign of s
  const std::int64_t odd = bits + (inexact && even ? toward : 0);
  return static_cast<float>(__builtin_bit_cast(double, odd));
}

/// a * b + c with one rounding.
BUFFERPROOF_INLINE float fma(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return software_fma(a, b, c);
#endif
}
BUFFERPROOF_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

BUFFERPROOF_INLINE VecF32 fma(VecF32 a, VecF32 b, VecF32 c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f32(c, a, b);
#else
  for (int i = 0; i < kLanes<float>; ++i) c[i] = software_fma(a[i], b[i], c[i]);
  return c;
#endif
}

BUFFERPROOF_INLINE VecF64 fma(VecF64 a, VecF64 b, VecF64 c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#elif defined(__aarch64__)
  return vfmaq_f64(c, a, b);
#else
  for (int i = 0; i < kLanes<double>; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
  return c;
#endif
}

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
