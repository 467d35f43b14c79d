// One concrete run: what a counterexample hands to the simulator, and what a user asks it to do.
//
// Both are data without behaviour. Tested by tests/simulator and tests/checker (every refutation is
// replayed).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/sym_expr.hpp"

namespace bufferproof::model {

/// Part of an output left unwritten on purpose: `KERNEL:OUT[REGION]`. Region: lo:hi per axis; empty: the
/// whole output.
struct Fault {
  std::string kernel;
  int output = 0;  ///< counts the write clauses of the launch, from 0
  std::vector<std::pair<std::int64_t, std::int64_t>> region;
};

enum class MemoryFill : std::uint8_t { nan, zero, random, pool };

struct RunPlan {
  std::vector<Valuation> calls{Valuation{}};  ///< symbol values, one entry per call of the program
  std::map<std::string, std::string>
      variants;  ///< Launch::choice -> variant name; missing: the first variant
  std::vector<Fault> faults;
  /// Kernels that tune do so at their first launch in the plan (E10).
  bool tuning = false;
  MemoryFill memory = MemoryFill::nan;
  std::uint64_t seed = 0;
  std::string watch_buffer;  ///< the element the plan is about; empty: none
  std::vector<std::int64_t> watch_element;
};

}  // namespace bufferproof::model
