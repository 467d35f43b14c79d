// What `simulate` found, as data: both formats print the same.
//
// The outputs of a run with values are held against the golden run's, and the worst wrong element is
// explained. Tested by tests/cli/simulate_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output_values.hpp"
#include "cli/question.hpp"
#include "cli/report.hpp"
#include "cli/value_run.hpp"
#include "simulator/tag_run.hpp"

namespace bufferproof::cli {

/// One output of one call.
struct ComparedOutput {
  std::string returned_name;  ///< the program's; summary.name tells outputs apart
  OutputSummary summary;
  std::optional<OutputSummary> golden;  ///< nullopt: there is no golden run, or no such output in it
  /// nullopt: without golden, or where shape or element type differ.
  std::optional<OutputDifference> difference;
  std::optional<simulator::Explanation> blame;  ///< of the worst element, when one is wrong
};

struct ValueReport {
  std::string ended;   ///< why there are no values, only what the tags found; empty: there are
  std::string memory;  ///< as given: "nan", "random:7"
  std::string numerics;
  std::string inputs;  ///< where the inputs come from, in words
  std::uint64_t seed = 0;
  bool has_golden = false;
  std::vector<std::vector<ComparedOutput>> calls;
  std::vector<simulator::LaunchBirth> births;  ///< of the golden run
  std::string written;                         ///< .npz, if any
  std::string sidecar;
};

struct Answer {
  Question question;
  simulator::Explanation explanation;
  // What stands there after the last call and what should; nullopt without values.
  std::optional<double> value;
  std::optional<double> golden;
};

struct Simulation {
  const model::Program& program;
  std::string runtime;  ///< empty for bufprog
  model::RunPlan plan;
  simulator::TagTrace trace;
  std::vector<Answer> answers;
  std::optional<ValueReport> values;
  bool full = false;  ///< in text, every finding with all its lines
};

Outcome outcome_of(const simulator::TagTrace& trace);
std::string print_text(const Simulation& simulation);
std::string print_json(const Simulation& simulation);

/// Outputs of a run against those of a golden run; `golden` may be null.
std::vector<ComparedOutput> compare_outputs(const std::vector<simulator::ReturnedTensor>& outputs,
                                            const std::vector<simulator::ReturnedTensor>* golden);

/// Tags and wrong elements of every output, for tools: OUT.tags.json beside OUT.npz.
std::string print_sidecar(const Simulation& simulation,
                          const std::vector<std::vector<simulator::OutputTags>>& tags,
                          const std::vector<std::vector<std::string>>& members);

}  // namespace bufferproof::cli
