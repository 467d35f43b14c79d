// One program judged under each profile: lower, check, replay, and put the results into a report.
//
// Tested by tests/cli/check_program_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/report.hpp"
#include "cli/watchdog.hpp"
#include "model/runtime_profile.hpp"

namespace bufferproof::cli {

struct CheckRequest {
  std::vector<model::RuntimeProfile> profiles;  ///< for wrappers
  std::string assume;                           ///< a condition over the program's symbols; empty: none
  std::string log;                              ///< text of a runtime log
  std::string log_file;                         ///< its name; empty: no log was given
  bool certificate = false;
  Limits limits;  ///< wall time per program and profile, memory of the process
};

struct Judged {
  ProgramReport report;
  std::vector<checker::Certificate> certificates;  ///< of the proved rows, when asked for
  std::vector<std::string> remarks;                ///< for stderr
};

/// Raises InputError when --assume does not fit the program.
Judged check_program(model::Program program, const CheckRequest& request);

}  // namespace bufferproof::cli
