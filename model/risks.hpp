// Dangerous patterns that have no state in the rules: B1, B3, B7, B8, B9, B10 as a profile makes them
// possible.
//
// Judged from the declared layouts and arguments of every call site of a kernel. They are reported with their
// evidence and never replayed. Tested by tests/model/lower_risks_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/program.hpp"
#include "model/runtime_profile.hpp"

namespace bufferproof::model {

/// One launch of a kernel definition, as the text declares its arguments.
struct CallSite {
  int definition = -1;
  SourceLocation where;
  std::vector<bool> contiguous;             ///< per argument; true for scalars
  std::vector<std::string> sizes;           ///< scalars, and sizes of tensors that are not constant
  std::vector<std::string> rebound_inputs;  ///< outputs that are graph inputs
  std::optional<std::size_t> results;       ///< of the readable body
  std::vector<std::string> differences;  ///< arguments that are not of the shape the kernel is compiled for
};

/// The risks of `program` under `profile`; `sites` in textual order. Risks the reader reported stay, unless
/// the profile rules them out.
std::vector<Risk> find_risks(const Program& program, const RuntimeProfile& profile,
                             const std::vector<CallSite>& sites);

}  // namespace bufferproof::model
