// The comparison of the two engines on one program: the checker's verdict against every run of the simulator.
#pragma once

#include <string>

#include "model/program.hpp"

namespace bufferproof::differential {

/// What came of one program. `disagreement` empty: they agree, or the checker left it undecided.
struct Agreement {
  bool decided = true;
  bool refuted = false;
  std::string disagreement;
};

/// proved: no run has a finding. refuted: every refutation's plan gives the same finding. Runs that raise end
/// there.
Agreement compare(const model::Program& program);

}  // namespace bufferproof::differential
