// Annotations of FX text: "f32[4, 8*s0]", "f32[4][1]cuda:0", "Sym(s0)".
//
// Tested by tests/model/body_fx_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "model/tensor_function.hpp"

namespace bufferproof::model::fx {

struct Annotation {
  std::optional<TensorType> tensor;
  std::optional<SymExpr> size;  ///< of "Sym(...)"
};

/// Neither is set for what is not understood ("Sym(float)", other classes).
Annotation read_annotation(std::string_view text, const SourceLocation& where);

}  // namespace bufferproof::model::fx
