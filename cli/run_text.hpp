// The parts of a run's report that several commands print: findings, rows of outputs, explanations.
//
// Tested by tests/cli/golden_test.cpp and tests/cli/simulate_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "cli/json_parts.hpp"
#include "cli/output_values.hpp"
#include "cli/source_excerpt.hpp"
#include "simulator/tag_run.hpp"

namespace bufferproof::cli {

/// The first three findings (`full`: all) with what, where, allocation and writer, further ones on a line
/// each; where the run ended; what was not understood.
std::string findings_text(const simulator::TagTrace& trace, bool full);

/// A line per NaN or infinity born in arithmetic: kind, operation, kernel, element, how many; empty without.
std::string births_text(const std::vector<simulator::LaunchBirth>& births);
Json births_json(const std::vector<simulator::LaunchBirth>& births);

/// name, type, shape, hash, min, max, absmax, NaN
std::vector<std::string> summary_row(const OutputSummary& output);
/// The same as JSON; numbers JSON has no form for are the strings "nan", "inf", "-inf".
Json summary_json(const OutputSummary& output);
Json number_json(double value, model::DType dtype);
/// "%016x"
std::string hash_text(std::uint64_t hash);

}  // namespace bufferproof::cli
