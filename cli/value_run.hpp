// A run with values as the commands need it: progress on the terminal, errors of kernels as bad input, and
// the golden run beside it.
//
// The golden run is the one the contract promises (C1): every kernel tuned, writing the memory it was given,
// whatever the runtime. Tested by tests/cli/golden_test.cpp.
#pragma once

#include "cli/progress.hpp"
#include "cli/value_options.hpp"
#include "model/program.hpp"
#include "model/run_plan.hpp"
#include "simulator/values/value_run.hpp"

namespace bufferproof::cli {

/// What every run of one command shares.
struct ValueSetting {
  Tensors tensors;
  kernels::NumericsProfile numerics;
  std::uint64_t seed = 0;
};

/// Reads the tensors. Raises InputError for what no run could use.
ValueSetting read_setting(const ValueOptions& options);

/// What else a run is asked for.
struct RunExtras {
  bool births = false;  ///< look where NaN and infinity are born, which takes long where there are many
  simulator::LaunchObserver* observer = nullptr;
};

/// Raises InputError: what run_values raises, and what a kernel refuses.
simulator::ValueTrace run_with_values(const model::Program& lowered, const model::RunPlan& plan,
                                      const ValueSetting& setting, Progress& progress,
                                      const std::string& phase, const RunExtras& extras = {});

/// The golden run; with births when its outputs have NaN or infinity: no memory is to blame for those.
simulator::ValueTrace golden_run(const model::Program& contract_abiding, const model::RunPlan& plan,
                                 const ValueSetting& setting, Progress& progress,
                                 simulator::LaunchObserver* observer = nullptr);

/// `program` as the contract has it, for lowered-program commands: under the profile `stock`.
model::Program contract_abiding(const model::Program& program);

/// The plan's calls, every kernel tuned, nothing left out, unwritten memory NaN.
model::RunPlan golden_plan(const model::RunPlan& plan);

}  // namespace bufferproof::cli
