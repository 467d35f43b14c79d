// The text of one Python program inside an input file, and where each of its lines stands in that file.
//
// `TORCH_LOGS=output_code` prints wrappers with a prefix before each line, several programs and other log
// lines mixed. The prefix is cut off and the lines of each program are put together; positions stay those of
// the file itself. It does not look at the Python: that is tokenizer.hpp. Tested by
// tests/model/read_python_source_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostic.hpp"

namespace bufferproof::model::python {

/// A place in the input file; both count from 1, columns count bytes.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// One program's text.
struct SourceText {
  /// Where a line of `text` stands in the file, and how many bytes of prefix were cut off it.
  struct LineOrigin {
    std::uint32_t line = 0;
    std::uint32_t cut = 0;
  };
  std::shared_ptr<const std::string> file;
  std::string text;
  std::vector<LineOrigin> lines;  ///< empty: `text` is the file as it stands

  /// The place in the file of byte `column` (from 0) of line `line` (from 0) of `text`.
  Position position(std::size_t line, std::size_t column) const;
  SourceLocation locate(Position at) const;
};

/// The programs of an input file, in the order they begin: one for a plain file, one per "Output code:" of a
/// log.
std::vector<SourceText> split_sources(std::string text, const std::string& file);

}  // namespace bufferproof::model::python
