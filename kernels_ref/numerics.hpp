// NumericsProfile: every choice of arithmetic that an op's definition leaves open, as data.
//
// A kernel reads the profile and has no arithmetic choice of its own. A named profile says what a machine
// does; each of its fields has a status, because much of what an NPU does is not published: unknown fields
// are parameters a user may set, not facts. Sources are cited as in the table of numerics.cpp. Tested by
// tests/kernels_ref/foundation_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels_ref/input_rounding.hpp"
#include "model/dtype.hpp"

namespace bufferproof::kernels {

using model::DType;

/// In which order a convolution's taps (channel c, kernel row kh, kernel column kw) enter an output's sum.
enum class TapOrder : std::uint8_t {
  c_kh_kw,      ///< the weights' own row-major order
  c1_kh_kw_c0,  ///< the cube's image-to-column order: channels in groups of `tap_group`, innermost c0
};

struct NumericsProfile {
  std::string_view name = "ieee-f32";

  // --- products and sums of convolution and matmul. One output element:
  //   k_block == 0:  acc = 0; for k in order: acc = step(w[k], x[k], acc)
  //   k_block == b:  each run of b taps is such a chain from 0, and total = total + chain, in order, from
  //   total = first chain
  // where step is one fused multiply-add when `fused_product`, else the product rounded and then the sum
  // rounded.
  int k_block = 0;
  TapOrder tap_order = TapOrder::c_kh_kw;
  int tap_group = 16;  ///< c0 of c1_kh_kw_c0
  InputRounding input_rounding_conv = InputRounding::none;
  InputRounding input_rounding_matmul = InputRounding::none;
  bool fused_product = true;
  /// Type of the chain and of the total. Inputs narrower than it are widened exactly; the result is rounded
  /// once to the output's type. f64 inputs always use f64.
  DType accumulator = DType::f32;

  // --- elementwise ops and reductions
  bool contract_mul_add = false;       ///< mul then add in one fused body is one rounding
  bool half_reductions_in_f32 = true;  ///< sums of f16 and bf16 run in f32, rounded once at the end
  bool excess_precision = false;       ///< an f32 -> f16 -> f32 pair inside a fused body is dropped
  bool rsqrt_is_sqrt_then_rec =
      false;  ///< rsqrt(x) = rec(sqrt(x)), two roundings; else the correctly rounded value's approximation
  bool f64_golden =
      false;  ///< every floating op computes in f64 whatever its operands; outputs round at the end
};

/// How a fact about a machine is known.
enum class FactStatus : std::uint8_t {
  documented,  ///< in the vendor's documentation
  source,      ///< readable in open source
  unknown,     ///< not published; the value is a parameter
  definition,  ///< not a fact about a machine: the profile is defined so
};
std::string_view name(FactStatus status);

/// One field of a named profile: its value in words, how it is known, and where from.
struct NumericsFact {
  std::string_view profile;
  std::string_view field;
  std::string_view value;
  FactStatus status;
  std::string_view source;
};

/// "ieee-f32", "ascend-a2", "ascend-a2-no-hf32", "f64".
std::span<const NumericsProfile> numerics_profiles();
/// Throws KernelError (op "numerics", argument "profile") for an unknown name.
const NumericsProfile& numerics_profile(std::string_view name);
/// The facts behind the named profiles, in the order of the profiles.
std::span<const NumericsFact> numerics_facts();
/// Throws KernelError when fields contradict each other or are out of range (k_block outside [0, 4096],
/// tap_group outside [1, 64], accumulator neither f32 nor f64).
void validate(const NumericsProfile& profile);

}  // namespace bufferproof::kernels
