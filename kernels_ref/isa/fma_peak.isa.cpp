#include "kernels_ref/isa/fma_peak.hpp"

#include "kernels_ref/isa/vector.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
namespace {

constexpr int kChains = 12;  // more than latency times units of any processor we know

float spin(std::int64_t rounds) {
  VecF32 sums[kChains];
  for (int i = 0; i < kChains; ++i)
    sums[i] = broadcast<float>(static_cast<float>(i));  // equal chains would be merged
  const VecF32 factor = broadcast<float>(0.5F);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) sums[i] = fma(sums[i], factor, factor);
  }
  float total = 0;
  for (int i = 0; i < kChains; ++i) total += sums[i][0];
  return total;
}

}  // namespace

constinit const FmaPeak fma_peak{.fmas_per_round = kChains * kLanes<float>, .spin = spin};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
