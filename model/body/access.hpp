// Backward analysis: which elements of each value the results depend on (E1, C2).
//
// Starts from every element of every result and walks the index maps backwards. Destinations that are
// overwritten are not read, so a value nobody depends on has no demand at all. What a gather or a select
// reads is decided by contents: where those come from the inputs, each element matters for some inputs and
// counts as read; where sizes alone decide, the box is inexact. Tested by tests/model/body_summary_test.cpp.
#pragma once

#include "model/body/summary.hpp"

namespace bufferproof::model {

/// One list per value of the function.
std::vector<BoxParts> demanded_elements(const TensorFunction& function);
/// Per value what the given elements of one result are computed from.
std::vector<BoxParts> elements_behind(const TensorFunction& function, std::size_t result, const Box& wanted);

}  // namespace bufferproof::model
