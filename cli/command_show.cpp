// `bufferproof show`: a program as text, as its dependence graph, or as JSON. Tested by
// tests/cli/command_test.cpp.
#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/runtimes.hpp"
#include "model/graph.hpp"
#include "model/lower.hpp"
#include "model/print.hpp"

namespace bufferproof::cli {
namespace {

struct Options {
  std::string input;
  std::string runtime;
  InputOptions input_options;
  std::string format = "text";
};

std::string print(const model::Program& program, const std::string& format) {
  if (format == "json") return model::print_json(program);
  if (format == "dot") return model::DependenceGraph(program).dot();
  return model::print_text(program);
}

int show(const Options& options, Streams streams) {
  std::string text;
  for (model::Program program : read_programs(options.input, options.input_options)) {
    if (!options.runtime.empty()) program = model::lower(program, choose_profile(options.runtime));
    if (options.format == "text" && !text.empty()) text += "\n";
    text += print(program, options.format);
  }
  streams.out << text;
  return 0;
}

}  // namespace

Action add_show(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("show", "Print a program as text, as a graph, or as JSON");
  command->add_option("INPUT", options->input, "The program")->required();
  command->add_option("--runtime", options->runtime, "Show every road of each kernel under this profile");
  declare_input_options(*command, options->input_options);
  command->add_option("--format", options->format, "text, dot or json")
      ->check(CLI::IsMember({"text", "dot", "json"}));
  return [options](Streams streams) { return show(*options, streams); };
}

}  // namespace bufferproof::cli
