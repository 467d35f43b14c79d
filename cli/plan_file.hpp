// A run somebody wrote down: the plan of a finding in a JSON report, or such an object by itself.
//
// Names and sizes are held against the program by the simulator, as those of options are. Tested by
// tests/cli/plan_file_test.cpp.
#pragma once

#include <string>

#include "model/run_plan.hpp"

namespace bufferproof::cli {

/// `text` is {"calls", "variants", "faults"}, each optional, or a report of `check` whose finding number
/// `finding` (from 1) is meant. Raises InputError naming `file` and the key.
/// The first runtime that the chosen finding of a report names; empty: none.
std::string runtime_of_plan(const std::string& text, const std::string& file, int finding);
model::RunPlan read_plan(const std::string& text, const std::string& file, int finding);

}  // namespace bufferproof::cli
