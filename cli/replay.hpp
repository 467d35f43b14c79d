// A refutation is believed only after the simulator saw it: the same class, buffer, reader and element.
//
// Tested by tests/cli/replay_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "checker/check.hpp"
#include "model/program.hpp"

namespace bufferproof::cli {

struct Replay {
  std::string difference;                         ///< what the simulator reports instead, for the bug report
  std::optional<checker::Undecided> no_run = {};  ///< the program cannot be run so: a division by zero, say
};

/// Runs the plan of a refutation. `lowered` is the program the checker judged.
Replay replay(const model::Program& lowered, const checker::Refutation& refutation);

}  // namespace bufferproof::cli
