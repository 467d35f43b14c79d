// Which elements of a body's parameters an element of a result is computed from, and back.
//
// The idea: the op registry's index maps (model/ops) over boxes whose bounds are numbers, walked backwards
// from some elements of one result, or forwards from one element of a parameter. Contents do not count: of a
// gather every element that may be chosen, of a select both sides. A box that is rounded outwards is marked
// inexact. Tested by tests/simulator/dependence_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "model/body/region.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::simulator {

using Index = std::vector<std::int64_t>;

/// One element.
model::Box element_box(const Index& index);
/// The elements of a box whose bounds are numbers, at most `most` of them, in row-major order.
std::vector<Index> elements_of(const model::Box& box, std::size_t most);
/// Adds a box to a list; beyond a bound of boxes the list becomes everything, inexactly.
void add_elements(model::BoxParts& parts, model::BoxPart part, const model::TensorType& type);

/// Per value of the function what `wanted` of result number `result` is computed from, itself included. Sizes
/// are numbers (with_sizes).
std::vector<model::BoxParts> values_read(const model::TensorFunction& function, std::size_t result,
                                         const model::BoxParts& wanted);
/// The same per parameter.
std::vector<model::BoxParts> elements_read(const model::TensorFunction& function, std::size_t result,
                                           const model::BoxParts& wanted);

/// Elements of the result that one element of a parameter is part of.
model::BoxParts elements_reached(const model::TensorFunction& function, std::size_t parameter,
                                 const Index& element, std::size_t result);

}  // namespace bufferproof::simulator
