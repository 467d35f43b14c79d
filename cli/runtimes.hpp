// From a --runtime argument to profiles.
//
// Tested by tests/cli/runtimes_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/runtime_profile.hpp"

namespace bufferproof::cli {

/// "" : every profile of a real version. "all": hypothetical ones too. Else a shipped profile's name or a
/// profile file. Raises InputError, naming the nearest profile.
std::vector<model::RuntimeProfile> choose_profiles(const std::string& argument);

/// Exactly one: `argument`, or the first shipped profile when it is empty. "all" is no single profile.
model::RuntimeProfile choose_profile(const std::string& argument);

}  // namespace bufferproof::cli
