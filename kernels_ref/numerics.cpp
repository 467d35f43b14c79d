#include "kernels_ref/numerics.hpp"

#include <array>
#include <string>

#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

constexpr NumericsProfile kIeeeF32{};

constexpr NumericsProfile ascend_a2(std::string_view name, InputRounding conv) {
  NumericsProfile profile;
  profile.name = name;
  profile.k_block = 8;
  profile.tap_order = TapOrder::c1_kh_kw_c0;
  profile.tap_group = 8;
  profile.input_rounding_conv = conv;
  profile.excess_precision = true;
  profile.rsqrt_is_sqrt_then_rec = true;
  return profile;
}

constexpr NumericsProfile f64_golden() {
  NumericsProfile profile;
  profile.name = "f64";
  profile.accumulator = DType::f64;
  profile.f64_golden = true;
  return profile;
}

constexpr std::array<NumericsProfile, 4> kProfiles{
    kIeeeF32,
    ascend_a2("ascend-a2", InputRounding::hf32_ties_even),
    ascend_a2("ascend-a2-no-hf32", InputRounding::none),
    f64_golden(),
};

using enum FactStatus;
constexpr std::string_view kA2 = "ascend-a2";

/// What is known of the Ascend 910B/A2 and how. "asc-devkit" is cann/asc-devkit on GitCode at 82b89a15f,
/// "AscendNPU-IR" at 52f96a130; documentation pages by their title.
constexpr std::array kFacts{
    NumericsFact{"ieee-f32", "all fields", "IEEE 754 binary32, one fused multiply-add chain in weight order",
                 definition, ""},
    NumericsFact{kA2, "input_rounding_conv", "HF32, on by default for convolution", documented,
                 "torch_npu: torch.npu.conv.allow_hf32 defaults to True"},
    NumericsFact{kA2, "input_rounding_matmul", "none: HF32 is off by default for matmul", documented,
                 "torch_npu: torch.npu.matmul.allow_hf32 defaults to False"},
    NumericsFact{kA2, "hf32 mantissa", "11 bits", documented, "asc-devkit HF32.md"},
    NumericsFact{kA2, "hf32 ties", "to even (mode 0); which mode aclnn convolution sets is not published",
                 unknown, "asc-devkit HF32.md, asc_enable_hf32_trans.md"},
    NumericsFact{kA2, "accumulator", "f32 for f16, bf16 and f32 inputs", documented, "asc-devkit Mmad.md"},
    NumericsFact{kA2, "tap_order", "(c1, kh, kw, c0), c0 = 32 bytes: 8 for f32", documented,
                 "image-to-column pages; fractal sizes in asc-devkit Mmad.md"},
    NumericsFact{kA2, "k_block", "8: order inside one 16x16xK0 step and its merge are not published", unknown,
                 ""},
    NumericsFact{kA2, "fused_product", "true: whether the f32 cube fuses is not published", unknown, ""},
    NumericsFact{kA2, "contract_mul_add", "false: whether fused vector kernels contract is not published",
                 unknown, "AscendNPU-IR Options.td (DisableFMA)"},
    NumericsFact{kA2, "half_reductions_in_f32", "true", source, "AscendNPU-IR HFusion Normalize.cpp"},
    NumericsFact{kA2, "excess_precision", "true: f32 -> f16 -> f32 pairs are deleted", source,
                 "AscendNPU-IR HFusion Normalize.cpp"},
    NumericsFact{kA2, "rsqrt_is_sqrt_then_rec", "true", source, "AscendNPU-IR HFusion Normalize.cpp"},
    NumericsFact{kA2, "exp, ln, sqrt, div errors", "not published for 910B", unknown, ""},
    NumericsFact{"ascend-a2-no-hf32", "input_rounding_conv", "none: allow_hf32 switched off by the user",
                 documented, "torch_npu: torch.npu.conv.allow_hf32"},
    NumericsFact{"ascend-a2-no-hf32", "other fields", "as ascend-a2", definition, ""},
    NumericsFact{"f64", "all fields", "IEEE 754 binary64 throughout, outputs rounded at the end", definition,
                 ""},
};

}  // namespace

std::string_view name(FactStatus status) {
  switch (status) {
    case documented:
      return "documented";
    case source:
      return "source";
    case unknown:
      return "unknown";
    case definition:
      break;
  }
  return "definition";
}

std::span<const NumericsProfile> numerics_profiles() { return kProfiles; }
std::span<const NumericsFact> numerics_facts() { return kFacts; }

const NumericsProfile& numerics_profile(std::string_view name) {
  std::string known;
  for (const NumericsProfile& profile : kProfiles) {
    if (profile.name == name) return profile;
    known += (known.empty() ? "" : ", ") + std::string(profile.name);
  }
  throw KernelError("numerics", "profile", "one of " + known, "'" + std::string(name) + "'");
}

void validate(const NumericsProfile& profile) {
  const auto require = [](bool holds, std::string_view field, std::string_view expected, int found) {
    if (!holds) throw KernelError("numerics", field, expected, std::to_string(found));
  };
  require(profile.k_block >= 0 && profile.k_block <= 4096, "k_block", "0 (one chain) to 4096",
          profile.k_block);
  require(profile.tap_group >= 1 && profile.tap_group <= 64, "tap_group", "1 to 64", profile.tap_group);
  if (profile.accumulator != DType::f32 && profile.accumulator != DType::f64)
    throw KernelError("numerics", "accumulator", "f32 or f64", model::name(profile.accumulator));
}

}  // namespace bufferproof::kernels
