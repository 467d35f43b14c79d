// Loops of unknown count that carry state: how many iterations show everything.
//
// given: a loop of a wrapper whose iterations all have the same text, run n times
// because: what a step does depends on what names mean and who wrote what, and on nothing else. When the
// state after
//          iteration j is the one after an earlier iteration i, up to which storages are meant and how many
//          iterations ago something was written, then what follows iteration j has happened after iteration i
//          already: a run of n > j iterations goes wrong only where one of n - (j - i) > i does. So n = 0 ..
//          j is enough, for proofs and refutations; where n has a least value, i + 1 must not be below it.
// A symbol that comes into being inside the loop (a size read from a tensor, the condition of a branch) may
// have another value in each iteration: for a proof each iteration gets its own; refutations look at runs in
// which it stays. Not handled: loops inside loops, several streams, copies whose source still matters. Tested
// by tests/checker/repeat_test.cpp and tests/differential.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/check.hpp"

namespace bufferproof::checker {

struct Finite {
  model::Program program;                ///< the loops as their iterations, each under "k < count"
  bool own_symbols = false;              ///< iterations have symbols of their own: only for proofs
  std::vector<std::string> conclusions;  ///< one line per loop, for certificates
};

/// nullopt: no loop of the program is of this kind. `apart`: symbols made inside get one copy per iteration.
std::optional<Finite> with_finite_loops(const model::Program& program, const Options& options, bool apart);

}  // namespace bufferproof::checker
