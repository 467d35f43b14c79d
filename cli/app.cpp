#include "cli/app.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ostream>

#include "cli/command.hpp"
#include "model/diagnostic.hpp"
#include "model/near_name.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::cli {
namespace {

constexpr const char* kFooter =
    "INPUT is an output_code.py (also as TORCH_LOGS=output_code prints it), a torch_compile_debug folder or "
    "a\n"
    ".bufprog file.\n"
    "Exit codes: 0 proved or clean, 1 findings, 2 bad usage or unreadable input, 3 something is unsupported\n"
    "and nothing is refuted, 4 out of budget and nothing is refuted, 70 internal error.";

struct Command {
  CLI::App* app;
  Action action;
};

std::vector<Command> declare(CLI::App& app) {
  app.description(
      "Proves that every buffer a graph compiler's program reads has been written, on every road.");
  app.footer(kFooter);
  app.set_version_flag("--version", "bufferproof " BUFFERPROOF_VERSION);
  app.require_subcommand(1);
  std::vector<Command> commands;
  for (auto add : {add_check, add_verify, add_simulate, add_golden, add_crosscheck, add_show, add_runtimes}) {
    Action action = add(app);
    commands.push_back({app.get_subcommands({}).back(), std::move(action)});
  }
  return commands;
}

/// A mistyped subcommand gets a hint, other usage errors CLI11's own message.
int usage_error(const std::vector<std::string>& arguments, const std::vector<Command>& commands,
                const std::string& message, std::ostream& err) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.app->get_name());
  const bool known =
      !arguments.empty() &&
      (arguments[0].starts_with("-") || std::find(names.begin(), names.end(), arguments[0]) != names.end());
  if (arguments.empty() || known) {
    err << "bufferproof: " << message << "; run 'bufferproof --help'\n";
  } else {
    err << fmt::format("bufferproof: unknown command '{}'; {}\n", arguments[0],
                       model::name_hint(arguments[0], names));
  }
  return kBadInput;
}

int internal_error(const char* what, std::ostream& err) {
  err << "bufferproof: internal error: " << what
      << "\nThis is a fault of bufferproof, not of your program. Please report it together with the input "
         "file "
         "and the command line.\n";
  return kInternal;
}

int dispatch(const std::vector<Command>& commands, Streams streams) {
  for (const Command& command : commands)
    if (command.app->parsed()) return command.action(streams);
  return kBadInput;
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  CLI::App app;
  app.name("bufferproof");
  const std::vector<Command> commands = declare(app);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return dispatch(commands, {out, err});
  } catch (const CLI::Success& help) {
    app.exit(help, out, err);
    return kClean;
  } catch (const CLI::ParseError& error) {
    return usage_error(arguments, commands, error.what(), err);
  } catch (const model::InputError& error) {
    err << error.what() << '\n';
    return kBadInput;
  } catch (const model::OverflowError& error) {
    err << "bufferproof: a size or index of the input leaves 64 bits: " << error.what() << '\n';
    return kBadInput;
  } catch (const std::bad_alloc&) {
    return internal_error("out of memory", err);
  } catch (const std::exception& error) {
    return internal_error(error.what(), err);
  }
}

void fail_option(const std::string& option, const std::string& message) {
  throw model::InputError({std::make_shared<const std::string>(option), 0, 0}, message);
}

void leave(int code) { std::_Exit(code); }

}  // namespace bufferproof::cli
