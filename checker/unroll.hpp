// Loops with few iterations become their iterations; the others stay and are summarised by the walk.
//
// An unrolled loop with a symbolic count becomes `if k < count` blocks, so nothing is lost.
// Tested by tests/checker/unroll_test.cpp.
#pragma once

#include "checker/check.hpp"
#include "checker/ranges.hpp"

namespace bufferproof::checker {

struct UnrollPolicy {
  std::int64_t small_trip = 8;   ///< loops of at most this many iterations are always unrolled
  std::int64_t budget = 20'000;  ///< steps the unrolled program may have
  bool everything = false;       ///< unroll every bounded loop, whatever its count
};

struct Unrolled {
  model::Block body;                 ///< steps numbered in textual order
  std::vector<Undecided> undecided;  ///< loops that must be unrolled and cannot
  model::Cond within = true;  ///< the runs the body is true to: those in which such loops run few times
};

/// A loop that changes what names mean or orders streams has no summary and is unrolled whatever the policy
/// says.
Unrolled unroll(const model::Program& program, const Ranges& ranges, const UnrollPolicy& policy);

}  // namespace bufferproof::checker
