// The register tile of the GEMM kernel: kTileRows rows times up to kTileVectors vectors of running sums.
//
// Only for gemm_kernel.isa.cpp (it is compiled once per instruction set). Loops over the tile are unrolled so
// that every sum has a register of its own. Tested by tests/kernels_ref/matmul_test.cpp and
// convolution_test.cpp.
#pragma once

#include <cstdint>

#include "kernels_ref/isa/vector.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {

// 32 registers hold 24 running sums; 16 registers hold 12.
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int kTileRows = 8;
#else
inline constexpr int kTileRows = 4;
#endif
inline constexpr int kTileVectors = 3;

BUFFERPROOF_INLINE std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

template <typename T, int kVectors>
struct TileSums {
  Vec<T> at[kTileRows][kVectors];
};

/// Calls body(sum, i, j) for every vector of the tile.
template <typename T, int kVectors, typename Body>
BUFFERPROOF_INLINE void for_each_sum(TileSums<T, kVectors>& sums, Body body) {
#pragma GCC unroll 8
  for (int i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < kVectors; ++j) body(sums.at[i][j], i, j);
  }
}

/// sum + weight * value, with one rounding or with two.
template <typename T, bool kFused>
BUFFERPROOF_INLINE Vec<T> multiply_add(Vec<T> weight, Vec<T> value, Vec<T> sum) {
  if constexpr (kFused)
    return fma(weight, value, sum);
  else
    return sum + weight * value;
}

/// The chain over `count` taps: per tap, kTileRows weights (broadcast) times kVectors vectors of the panel.
template <typename T, bool kFused, int kVectors>
BUFFERPROOF_INLINE void chain(TileSums<T, kVectors>& sums, const T*& weights, const T*& panel,
                              std::int64_t count) {
  for (std::int64_t tap = 0; tap < count; ++tap) {
    Vec<T> values[kVectors];
#pragma GCC unroll 3
    for (int j = 0; j < kVectors; ++j) values[j] = load<T>(panel + j * kLanes<T>);
#pragma GCC unroll 8
    for (int i = 0; i < kTileRows; ++i) {
      const Vec<T> weight = broadcast<T>(weights[i]);
#pragma GCC unroll 3
      for (int j = 0; j < kVectors; ++j)
        sums.at[i][j] = multiply_add<T, kFused>(weight, values[j], sums.at[i][j]);
    }
    weights += kTileRows;
    panel += kVectors * kLanes<T>;
  }
}

/// One pass of taps. `tile` holds the sums between passes; `first`: nothing is in it yet. The totals are left
/// in `sums`.
template <typename T, bool kFused, bool kBlocked, int kVectors>
BUFFERPROOF_INLINE void multiply_tile(TileSums<T, kVectors>& sums, const T* weights, const T* panel,
                                      std::int64_t count, std::int64_t block, T* tile, bool first) {
  const auto place = [tile](int i, int j) { return tile + (i * kVectors + j) * kLanes<T>; };
  const auto clear = [](Vec<T>& sum, int, int) { sum = Vec<T>{}; };
  if constexpr (!kBlocked) {
    if (first)
      for_each_sum(sums, clear);
    else
      for_each_sum(sums, [&](Vec<T>& sum, int i, int j) { sum = load<T>(place(i, j)); });
    chain<T, kFused, kVectors>(sums, weights, panel, count);
  } else {
    for (std::int64_t done = 0; done < count; done += block) {
      for_each_sum(sums, clear);
      chain<T, kFused, kVectors>(sums, weights, panel, smaller(block, count - done));
      if (!first || done > 0)
        for_each_sum(sums, [&](Vec<T>& sum, int i, int j) { sum = load<T>(place(i, j)) + sum; });
      if (done + block < count)
        for_each_sum(sums, [&](Vec<T>& sum, int i, int j) { store<T>(place(i, j), sum); });
    }
  }
}

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
