// Outputs whose own elements share memory: a launch stores such an element more than once (C4).
//
// Tested by tests/model/self_overlap_test.cpp.
#pragma once

#include <optional>

#include "model/lowering/declared.hpp"

namespace bufferproof::model::lowering {

/// An element that has the address of another one, where steps along one axis lead to it too, and for which
/// sizes; nullopt: none is found, or strides are not numbers.
std::optional<IndexSet> shared_element(const Layout& layout);

/// Adds the second store of such an element to each road that stores a whole output in no fixed order.
void store_shared_twice(const Environment& environment, Launch& launch);

}  // namespace bufferproof::model::lowering
