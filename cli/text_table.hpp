// Rows of words as aligned columns.
//
// Tested by tests/cli/output_values_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace bufferproof::cli {

/// Each row indented by two blanks, columns two blanks apart, no blanks at line ends.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace bufferproof::cli
