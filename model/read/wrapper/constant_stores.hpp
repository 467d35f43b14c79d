// Outputs of C++ and Triton kernels that follow from the kernel's text and sizes alone.
//
// A scan of the text's statements, not a parser: what is assigned from a pointer, or from a name that was,
// depends on memory. Anything it does not see through counts as dependent. Tested by
// tests/model/constant_stores_test.cpp.
#pragma once

#include "model/program.hpp"

namespace bufferproof::model::wrapper {

/// Nothing the kernel stores through that parameter was loaded from memory.
bool stores_constants(const KernelDef& kernel, const Parameter& output);

}  // namespace bufferproof::model::wrapper
