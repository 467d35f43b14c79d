// One pass of the pipeline: unroll, walk, judge every obligation, minimise what is refuted.
//
// Tested by tests/checker.
#pragma once

#include "checker/check.hpp"

namespace bufferproof::checker {

/// `everything`: every bounded loop becomes its iterations. `vacuous` becomes true when no run satisfies the
/// ranges and the assumptions together.
Result pass(const model::Program& program, const Options& options, bool everything, bool* vacuous = nullptr);

/// Same class, buffer and reader: one finding.
bool same_subject(const Refutation& a, const Refutation& b);

}  // namespace bufferproof::checker
