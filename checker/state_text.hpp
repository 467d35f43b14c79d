// The state of a walk as text: two states are the same, up to which storages are meant, when their texts are.
//
// What names mean, on which paths; where handles stand; for each storage that can be reached the stores that
// may still be seen, in order. Tested by tests/checker/repeat_test.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "checker/walker.hpp"

namespace bufferproof::checker {

struct StateWords {
  std::function<std::string(int)> step;  ///< how a step is called
  Substitution symbols;                  ///< how symbols are called
};

/// nullopt: the state has parts that cannot be written down (contents that were copied, iterations of a
/// summary).
std::optional<std::string> state_text(const Walker& walker, const StateWords& words);

}  // namespace bufferproof::checker
