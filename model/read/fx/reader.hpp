// FX graph text to TensorFunctions: docstrings of `import_fx`, fx_graph_readable.py, traced-graph module
// files.
//
// Read with the Python reader, never executed. Parameter types come from the annotations ("f32[4, s0]"); the
// module files of a traced-graph cache have none, so the caller passes those of the kernel. The meaning of
// each call is model/read/aten's. A tensor constant that the file creates by torch.empty and never loads
// holds nothing (B5): it becomes undefined elements and a note. Throws InputError for text that is not
// Python; unknown calls are values. Tested by tests/model/body_fx_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "model/body/body_text.hpp"

namespace bufferproof::model {

struct FxOptions {
  /// Used for parameters without an annotation, by position.
  std::vector<TensorType> parameter_types;
};

/// One body per class with a `forward`. `origin`: where the first character of the text stands in its file.
std::vector<BodyText> read_fx(std::string_view text, const SourceLocation& origin,
                              const FxOptions& options = {});

}  // namespace bufferproof::model
