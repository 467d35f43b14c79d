// Reads bufprog, the notation of the cases (tests/cases/NOTATION.md), into a Program.
//
// A param with a range becomes a Symbol; one without is a constant and is put in where it is used. Comments
// that state what is expected of a case are kept beside the program, they never influence it. Tested by
// tests/model/read_bufprog_*_test.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.hpp"
#include "model/program.hpp"

namespace bufferproof::model {

/// "UNWRITTEN buf0 at CONV2"
struct BufprogExpectation {
  FindingClass kind = FindingClass::unwritten;
  std::string buffer;
  std::string reader;
  friend auto operator<=>(const BufprogExpectation&, const BufprogExpectation&) = default;
};

using Constants = std::map<std::string, SymExpr, std::less<>>;

struct BufprogAnnotations {
  std::string title;                             ///< the first comment line
  std::string kind;                              ///< of "# kind: ..."
  std::vector<BufprogExpectation> expectations;  ///< of "#expect"
  bool expect_safe = false;                      ///< "#expect SAFE"
  std::optional<Cond> safe_when;                 ///< of "#safe-when", constants put in
  Constants constants;                           ///< params without a range
};

struct BufprogFile {
  Program program;
  BufprogAnnotations annotations;
};

/// Raises InputError with file:line:column for anything outside the notation or beyond the bounds of
/// lines.hpp and expression.hpp.
BufprogFile read_bufprog(std::string_view text, const std::string& file);

/// A condition in the notation ("n <= 4 and fell == 0"); names in `constants` are replaced, every other name
/// is a symbol.
Cond parse_condition(std::string_view text, const Constants& constants = {});

}  // namespace bufferproof::model
