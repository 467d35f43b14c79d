// Named-op MLIR text (linalg, hfusion, tensor, arith, math, func) to TensorFunctions.
//
// One BodyText per function with a body, in order. Destinations (`outs`) give shapes and, where an operation
// reads them, an operand. `linalg.generic` with projected-permutation maps becomes broadcasts, transposes and
// elementwise operations. Everything else is reported as unsupported, with its name and place.
// Throws InputError for malformed text and for types that do not follow.
// Tested by tests/model/body_mlir_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "model/body/body_text.hpp"

namespace bufferproof::model {

/// `origin`: where the first character of the text stands in its file.
std::vector<BodyText> read_mlir(std::string_view text, const SourceLocation& origin);

}  // namespace bufferproof::model
