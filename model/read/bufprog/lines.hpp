// bufprog text as lines of code with their indentation; comments go aside.
//
// Bounds of hostile input stand here: size of the text, of a line, number of statements.
// Tested by tests/model/read_bufprog_error_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bufferproof::model::bufprog {

inline constexpr std::size_t kLargestText = 16U << 20;
inline constexpr std::size_t kLongestLine = 16U << 10;
inline constexpr std::size_t kMostStatements = 200'000;

struct Line {
  std::string_view text;  ///< without indentation and comment; of a comment: with its '#'
  int number = 0;
  int indent = 0;
};

struct Lines {
  std::vector<Line> code;
  std::vector<Line> comments;  ///< lines that are nothing but a comment
};

/// Views into `text`. Raises InputError for what is beyond the bounds and for a tab that indents.
Lines split_lines(std::string_view text, const std::shared_ptr<const std::string>& file);

}  // namespace bufferproof::model::bufprog
