// The command line: one function that does what the program does, without a process around it.
//
// stdout carries the result, stderr diagnostics. Tested by tests/cli.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace bufferproof::cli {

/// Of the process. 3 and 4 are never folded into 0.
enum ExitCode : int {
  kClean = 0,        ///< proved, or a run without findings
  kFindings = 1,     ///< something is refuted
  kBadInput = 2,     ///< bad usage or unreadable input
  kUnsupported = 3,  ///< something is not understood and nothing is refuted
  kBudget = 4,       ///< out of budget and nothing is refuted
  kInternal = 70,    ///< a fault of bufferproof itself
};

/// `arguments` without the program's name. Never throws.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

/// Ends the process at once: a check that the watchdog gave up may still be running in its thread.
[[noreturn]] void leave(int code);

}  // namespace bufferproof::cli
