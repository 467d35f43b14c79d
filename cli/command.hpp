// What a subcommand is: its options, declared on CLI11's parser, and what it does with them.
//
// A command throws model::InputError for bad input and usage; anything else that escapes is an internal
// error. Tested by tests/cli.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bufferproof::cli {

/// Where a command prints to.
struct Streams {
  std::ostream& out;
  std::ostream& err;
};

/// Runs a parsed command and returns its exit code.
using Action = std::function<int(Streams)>;

/// Bad usage: "OPTION: MESSAGE", exit 2.
[[noreturn]] void fail_option(const std::string& option, const std::string& message);

/// Each declares one subcommand and returns what runs when it was chosen.
Action add_check(CLI::App& app);
Action add_crosscheck(CLI::App& app);
Action add_golden(CLI::App& app);
Action add_show(CLI::App& app);
Action add_runtimes(CLI::App& app);
Action add_simulate(CLI::App& app);
Action add_verify(CLI::App& app);

}  // namespace bufferproof::cli
