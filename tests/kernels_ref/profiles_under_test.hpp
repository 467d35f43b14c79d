// The numerics profiles and host settings under which every fast kernel is compared with its definition.
#pragma once

#include <string>
#include <vector>

#include "kernels_ref/isa/isa_control.hpp"
#include "kernels_ref/numerics.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {

inline std::vector<NumericsProfile> profiles_under_test() {
  std::vector<NumericsProfile> profiles(numerics_profiles().begin(), numerics_profiles().end());
  NumericsProfile profile;
  profile.name = "two roundings, blocks of 16";
  profile.fused_product = false;
  profile.k_block = 16;
  profiles.push_back(profile);
  profile = {};
  profile.name = "two roundings, contracted epilogue, hf32 toward zero";
  profile.fused_product = false;
  profile.contract_mul_add = true;
  profile.input_rounding_conv = profile.input_rounding_matmul = InputRounding::hf32_ties_toward_zero;
  profiles.push_back(profile);
  profile = {};
  profile.name = "tf32, blocks of 300";
  profile.k_block = 300;
  profile.input_rounding_conv = profile.input_rounding_matmul = InputRounding::tf32;
  profiles.push_back(profile);
  profile = {};
  profile.name = "bf16 inputs, f64 sums";
  profile.accumulator = DType::f64;
  profile.input_rounding_conv = profile.input_rounding_matmul = InputRounding::bf16;
  profiles.push_back(profile);
  profile = {};
  profile.name = "f16 inputs, cube order of 16";
  profile.tap_order = TapOrder::c1_kh_kw_c0;
  profile.input_rounding_conv = profile.input_rounding_matmul = InputRounding::f16;
  profiles.push_back(profile);
  return profiles;
}

/// Calls `body(description)` under every instruction set of this machine with 1, 2 and 3 threads.
template <typename Body>
void for_each_host_setting(Body&& body) {
  for (Isa isa : supported_isas()) {
    set_isa(isa);
    for (int threads : {1, 2, 3}) {
      set_thread_count(threads);
      body(std::string(name(isa)) + ", " + std::to_string(threads) + " threads");
    }
  }
  set_isa(std::nullopt);
  set_thread_count(0);
}

}  // namespace bufferproof::kernels
