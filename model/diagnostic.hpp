// Where something stands in an input file, and the one exception that bad input raises.
//
// Every message of the tool is file:line:column, what was expected, what stands there, what to do.
// Tested by tests/model/diagnostic_test.cpp.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace bufferproof::model {

/// A position in an input file. Lines and columns count from 1; 0 means unknown. Columns count bytes.
struct SourceLocation {
  std::shared_ptr<const std::string> file;  ///< shared: a program has one location per step
  int line = 0;
  int column = 0;

  /// "file:line:column", leaving out what is unknown.
  std::string str() const;
  friend bool operator==(const SourceLocation& a, const SourceLocation& b) {
    return a.line == b.line && a.column == b.column;
  }
};

/// Unreadable input or bad usage: the program prints it and exits 2.
class InputError : public std::runtime_error {
 public:
  /// `expected` and `hint` may be empty; the message reads "LOC: expected X, found Y; HINT".
  InputError(SourceLocation where, const std::string& expected, const std::string& found,
             const std::string& hint = "");
  /// A message that does not fit the expected/found form.
  InputError(SourceLocation where, const std::string& message);
  const SourceLocation& where() const { return where_; }

 private:
  SourceLocation where_;
};

}  // namespace bufferproof::model
