// Where the views of common operators lie in what they are views of.
//
// Tested by tests/model/read_wrapper_view_test.cpp.
#pragma once

#include "model/read/wrapper/operator_shapes.hpp"

namespace bufferproof::model::wrapper {

/// Layout of the view that `op` (without namespace and overload: "permute") returns of its operand "self",
/// its offset counted from where that begins; nullopt: not known. `item`: of a list of views, which.
std::optional<Layout> view_layout(std::string_view op, const std::vector<Operand>& operands,
                                  std::int64_t item = 0);
/// Whether a view of `op` begins where its operand does, so that sizes and strides say all.
bool begins_with_operand(std::string_view op);

}  // namespace bufferproof::model::wrapper
