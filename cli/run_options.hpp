// What a user asks of one run: roads, faults, sizes, calls, memory; made into a RunPlan.
//
// Tested by tests/cli/run_options_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/program.hpp"
#include "model/run_plan.hpp"
#include "model/runtime_profile.hpp"

namespace CLI {
class App;
}

namespace bufferproof::cli {

struct RunOptions {
  std::vector<std::string> fallbacks;  ///< KERNEL[=DELIVERY]
  std::vector<std::string> faults;     ///< KERNEL:OUT[REGION]
  std::vector<std::string> sizes;      ///< s0=8; s0=8,16: call by call
  int calls = 1;
  std::string memory = "nan";  ///< nan, zero, pool, random:SEED
  bool tuning = false;         ///< kernels tune at their first launch (E10)
};

void declare_run_options(CLI::App& command, RunOptions& options);
/// --size alone.
void declare_size_option(CLI::App& command, RunOptions& options);

/// Kernels with a road that falls back, by name.
std::vector<std::string> kernels_that_fall_back(const model::Program& lowered);

/// "KERNEL:OUT[2:4,0:8]". Raises InputError.
model::Fault parse_fault(const std::string& text);

/// The wrapper under `profile`, except that a kernel named with a delivery has its fallback deliver so.
/// Raises InputError for a kernel without a fallback under this profile and an unknown delivery.
model::Program lower_with_deliveries(const model::Program& program, const model::RuntimeProfile& profile,
                                     const RunOptions& options);

/// A value for every symbol: what is asked for, else the program's own, else the smallest. Raises InputError
/// naming the nearest kernel or symbol when one is unknown.
model::RunPlan plan_of(const RunOptions& options, const model::Program& lowered);

}  // namespace bufferproof::cli
