// The known name a mistyped one probably means, for messages.
//
// Tested by tests/model/runtime_profile_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bufferproof::model {

/// Number of single-character insertions, deletions and substitutions that turn `a` into `b`; both are cut to
/// their first 64 bytes, names are short.
int edit_distance(std::string_view a, std::string_view b);

/// The nearest of `known` within a third of the length of `wanted` (at least 2), the first of equals; empty
/// if none is near.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& known);

/// "did you mean X?" or, when nothing is near, "known: A, B, C".
std::string name_hint(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace bufferproof::model
