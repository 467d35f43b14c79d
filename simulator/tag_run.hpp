// What happens on one run of a lowered program, by tags alone: who wrote each element, without values.
//
// Input: a bufprog Program, or a wrapper's after model/lower.hpp, and a RunPlan with a value for every
// symbol. Memory is kept as ranges while accesses are whole, as elements where needed (S1); streams are
// vector clocks (C4). Tested by tests/simulator.
#pragma once

#include <string>
#include <vector>

#include "model/finding.hpp"
#include "model/program.hpp"
#include "model/run_plan.hpp"

namespace bufferproof::simulator {

struct TagTrace {
  std::vector<model::Finding> findings;  ///< in step order; at most one per (class, buffer, reader)
  std::string raised;                    ///< not empty: the run ended in this error (E11)
  model::SourceLocation raised_where;
  std::vector<std::string> unsupported;  ///< steps whose effects are not known, with location
  /// Reads whose judgement rests on a call of unknown effects (E8): no findings, but no proof either.
  std::vector<model::Finding> rests_on_unknown;
};

/// Raises InputError when a symbol has no value, a value is outside its range, a variant or fault names
/// nothing, or a size is too large to simulate.
TagTrace run_tags(const model::Program& program, const model::RunPlan& plan);

}  // namespace bufferproof::simulator
