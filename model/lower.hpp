// From what a wrapper says to what a runtime does: every Launch gets one Variant per road of the profile
// (E1..E11).
//
// Both engines interpret the result, neither knows a profile. Tested by tests/model/lower_test.cpp.
#pragma once

#include "model/program.hpp"
#include "model/runtime_profile.hpp"

namespace bufferproof::model {

/// A copy of `program` in which every Launch of a kernel definition has variants under `profile`. A bufprog
/// program comes back unchanged.
Program lower(const Program& program, const RuntimeProfile& profile);

}  // namespace bufferproof::model
