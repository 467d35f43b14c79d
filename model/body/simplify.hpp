// One form of a body, to compare texts: constants folded, multiplications by 1 and moves that change nothing
// dropped, equal operations merged, unused ones removed, the rest in the order results need them, and size
// symbols numbered.
//
// The values stay the same, but a NaN may keep a payload that a dropped multiplication would have made
// canonical: for comparing what texts mean, not for executing them.
// Tested by tests/model/body_simplify_test.cpp.
#pragma once

#include "model/tensor_function.hpp"

namespace bufferproof::model {

TensorFunction simplify(const TensorFunction& function);

}  // namespace bufferproof::model
