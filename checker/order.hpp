// C4: conflicting accesses must be ordered by streams, events or the host.
//
// Happens-before from one access forward: which streams, and the host, have surely seen it finish, as
// conditions. Loops that hold synchronisation are unrolled before (checker/unroll.hpp). Tested by
// tests/checker (cases 32, 37, 45 to 52) and the differential suite.
#pragma once

#include "checker/judge.hpp"

namespace bufferproof::checker {

/// One question per pair of accesses that may race. nullopt: stream or event names outside the fragment.
std::optional<std::vector<Question>> races(const World& world);
/// Accesses of one launch that come in no order.
Judged judge(const World& world, const Meeting& meeting);

}  // namespace bufferproof::checker
