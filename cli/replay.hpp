// A refutation is believed only after the simulator saw it: the same class, buffer, reader and element.
//
// Tested by tests/cli/replay_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "checker/check.hpp"
#include "model/program.hpp"

namespace bufferproof::cli {

/// nullopt: the run of its plan shows the finding. Else what the simulator reports instead, for the bug
/// report. `lowered` is the program the checker judged.
std::optional<std::string> replay(const model::Program& lowered, const checker::Refutation& refutation);

}  // namespace bufferproof::cli
