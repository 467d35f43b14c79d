// Reads what Inductor emitted (output_code.py, or a TORCH_LOGS=output_code log that holds several) into
// Programs.
//
// The Python is never run: its statements are followed with what each name holds, functions inlined where
// they are called, branches and loops kept. Every statement becomes steps, or has no effect and is known to
// have none, or is an Unsupported step with its place. The forms are those of Inductor from PyTorch 2.0
// to 2.13 and of torch_npu. Kernel texts are kept unread in Program::kernels. Tested by
// tests/model/read_wrapper_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/program.hpp"
#include "model/read/wrapper/schema.hpp"

namespace bufferproof::model::wrapper {

/// One Program per output code in `text`, in order; at least one. Raises InputError when the text is not
/// Python, has no entry point `call`, or has sizes beyond 64 bits.
std::vector<Program> read_wrappers(std::string text, const std::string& file,
                                   const SchemaTable& schemas = SchemaTable::shipped());

/// Does the text look like an Inductor wrapper (rather than bufprog)? Cheap; looks at the beginning only.
bool looks_like_wrapper(std::string_view text);

}  // namespace bufferproof::model::wrapper
