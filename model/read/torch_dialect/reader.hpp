// Torch-dialect MLIR text (torch_npu 26.1.0 and later) to TensorFunctions.
//
// `!torch.vtensor` values, torch.aten / torch.prims operations, constants, list constructs and symbolic
// sizes. The meaning of each aten operation is model/read/aten's; this reader only knows the syntax. Throws
// InputError for malformed text and types that do not follow; unknown operations are values. Tested by
// tests/model/body_torch_dialect_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "model/body/body_text.hpp"

namespace bufferproof::model {

/// `origin`: where the first character of the text stands in its file.
std::vector<BodyText> read_torch_dialect(std::string_view text, const SourceLocation& origin);

/// True for text of this dialect: it names a `!torch.` type.
bool is_torch_dialect(std::string_view text);

/// Either MLIR text, chosen by content.
std::vector<BodyText> read_kernel_text(std::string_view text, const SourceLocation& origin);

}  // namespace bufferproof::model
