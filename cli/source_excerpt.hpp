// Lines of the input file, quoted beside a finding.
//
// Tested by tests/cli/report_test.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"

namespace bufferproof::cli {

/// Reads each file once. A file that has gone or changed since yields empty quotes, never an error.
class SourceExcerpts {
 public:
  /// The line without indentation, cut to `most` bytes; empty when it is unknown.
  std::string line(const model::SourceLocation& where, std::size_t most = 96);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace bufferproof::cli
