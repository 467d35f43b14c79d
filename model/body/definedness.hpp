// Forward analysis: which elements of each value are undefined (C8, E9).
//
// Undefined elements are born where memory is allocated without a value, and spread by each operation's index
// map. Lists of boxes are bounded; beyond that a value counts as possibly undefined everywhere, inexactly.
// Tested by tests/model/body_definedness_test.cpp.
#pragma once

#include "model/body/summary.hpp"

namespace bufferproof::model {

/// One list per value of the function.
std::vector<std::vector<UndefinedElements>> undefined_elements(const TensorFunction& function);

}  // namespace bufferproof::model
