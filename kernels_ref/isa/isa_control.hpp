// Asking for and overriding the instruction set: for tests, benchmarks and diagnostics. Kernels use isa.hpp
// alone. Tested by tests/kernels_ref/isa_test.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernels_ref/isa/isa.hpp"

namespace bufferproof::kernels {

/// "avx512", "avx2", "fma", "baseline".
std::string_view name(Isa isa);
std::optional<Isa> parse_isa(std::string_view text);
/// The sets this processor can run, worst first; baseline is always one.
std::vector<Isa> supported_isas();
/// Overrides the environment for the whole process; nullopt takes the override back. Throws KernelError when
/// the processor lacks the set. Not to be called while kernels run.
void set_isa(std::optional<Isa> isa);

}  // namespace bufferproof::kernels
