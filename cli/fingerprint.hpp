// A name for a finding that outlives line numbers, renumbered symbols and changes elsewhere in the program.
//
// Made of the class, the rule, the buffer, the reader and writer, the kind of element, and the dependence
// graph around the reader (what feeds it, two steps back, and what it feeds), by names without their numbers.
// Tested by tests/cli/fingerprint_test.cpp.
#pragma once

#include <string>

#include "model/finding.hpp"
#include "model/graph.hpp"

namespace bufferproof::cli {

class Fingerprints {
 public:
  /// Keeps a reference to `program`.
  explicit Fingerprints(const model::Program& program);
  /// 16 hexadecimal digits.
  std::string of(const model::Finding& finding) const;

 private:
  std::string around(const model::Finding& finding) const;
  model::DependenceGraph graph_;
  std::vector<std::uint64_t> colours_;  ///< by vertex: its neighbourhood, refined twice
};

}  // namespace bufferproof::cli
