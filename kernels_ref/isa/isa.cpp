#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include "kernels_ref/isa/isa_control.hpp"
#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::array<std::string_view, kIsaCount> kNames{"baseline", "fma", "avx2", "avx512"};

/// The API's choice; -1: none.
std::atomic<int> override_isa{-1};

bool supported(Isa isa) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool fma = __builtin_cpu_supports("avx") && __builtin_cpu_supports("fma");
  const bool avx2 = fma && __builtin_cpu_supports("avx2");
  switch (isa) {
    case Isa::baseline:
      return true;
    case Isa::fma:
      return fma;
    case Isa::avx2:
      return avx2;
    case Isa::avx512:
      break;
  }
  return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return isa == Isa::baseline;
#endif
}

Isa require_supported(Isa isa, std::string_view argument) {
  if (!supported(isa))
    throw KernelError(
        "dispatch", argument,
        "an instruction set this processor has (best: " + std::string(name(supported_isas().back())) + ")",
        name(isa));
  return isa;
}

Isa from_environment() {
  const char* wanted = std::getenv("BUFFERPROOF_ISA");
  if (wanted == nullptr || *wanted == '\0') return supported_isas().back();
  const std::optional<Isa> isa = parse_isa(wanted);
  if (!isa) throw KernelError("dispatch", "BUFFERPROOF_ISA", "avx512, avx2, fma or baseline", wanted);
  return require_supported(*isa, "BUFFERPROOF_ISA");
}

}  // namespace

std::string_view name(Isa isa) { return kNames[static_cast<std::size_t>(isa)]; }

std::optional<Isa> parse_isa(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (text == kNames[i]) return static_cast<Isa>(i);
  return std::nullopt;
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> found;
  for (int i = 0; i < kIsaCount; ++i)
    if (supported(static_cast<Isa>(i))) found.push_back(static_cast<Isa>(i));
  return found;
}

void set_isa(std::optional<Isa> isa) {
  override_isa = isa ? static_cast<int>(require_supported(*isa, "isa")) : -1;
}

Isa current_isa() {
  const int chosen = override_isa;
  if (chosen >= 0) return static_cast<Isa>(chosen);
  static const Isa detected = from_environment();
  return detected;
}

}  // namespace bufferproof::kernels
