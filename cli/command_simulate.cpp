// `bufferproof simulate`: what happens on one run, by tags. Tested by tests/cli/command_test.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/app.hpp"
#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/json_parts.hpp"
#include "cli/run_options.hpp"
#include "cli/runtimes.hpp"
#include "cli/source_excerpt.hpp"
#include "cli/wording.hpp"
#include "model/lower.hpp"
#include "simulator/tag_run.hpp"

namespace bufferproof::cli {
namespace {

struct Options {
  std::string input;
  std::string runtime;
  InputOptions input_options;
  RunOptions run;
  std::string format = "text";
};

/// One run of one program and what it was.
struct Run {
  const model::Program& program;
  std::string runtime;  ///< empty for bufprog
  model::RunPlan plan;
  simulator::TagTrace trace;
};

void field(std::string& out, const char* label, const std::string& text) {
  if (!text.empty()) out += fmt::format("    {:<10} {}\n", label, text);
}

std::string text_of(const model::Finding& f, SourceExcerpts& excerpts) {
  auto place = [&](const model::SourceLocation& where) {
    if (where.line <= 0) return std::string();
    const std::string quote = excerpts.line(where);
    return quote.empty() ? where.str() : fmt::format("{}  | {}", where.str(), quote);
  };
  std::string out =
      fmt::format("\n{} {} at {}  ({})\n", model::name(f.kind), element_name(f), f.reader, f.rule);
  field(out, "what", fmt::format("{} {}", reader_name(f), meaning(f.kind)));
  field(out, "where", place(f.where));
  field(out, "allocated", place(f.alloc_where));
  const std::string writer_place = place(f.writer_where);
  field(out, "writer", writer_place.empty() ? f.writer : fmt::format("{}  {}", f.writer, writer_place));
  return out;
}

std::string print_text(const Run& run) {
  std::string out = run.program.file;
  if (!run.runtime.empty()) out += fmt::format("  on {}", run.runtime);
  if (const std::string values = sizes(run.plan); !values.empty()) out += fmt::format("  with {}", values);
  out += fmt::format("\n  {}\n", run.trace.findings.empty() ? "clean: every read is of what was meant"
                                                            : counted(run.trace.findings.size(), "finding"));
  SourceExcerpts excerpts;
  for (const model::Finding& f : run.trace.findings) out += text_of(f, excerpts);
  if (!run.trace.raised.empty())
    out += fmt::format("\nthe run ends at {}: {}\n", run.trace.raised_where.str(), run.trace.raised);
  for (const std::string& text : run.trace.unsupported) out += fmt::format("\nnot understood: {}\n", text);
  return out;
}

Outcome outcome_of(const simulator::TagTrace& trace) {
  if (!trace.findings.empty()) return Outcome::refuted;
  return trace.unsupported.empty() ? Outcome::proved : Outcome::unsupported;
}

Json to_json(const Run& run) {
  Json out{{"tool", tool_json()}, {"command", "simulate"}, {"input", run.program.file}};
  if (!run.runtime.empty()) out["runtime"] = run.runtime;
  const Outcome outcome = outcome_of(run.trace);
  out["verdict"] = outcome == Outcome::refuted  ? "findings"
                   : outcome == Outcome::proved ? "clean"
                                                : "unsupported";
  out["exit_code"] = exit_code(outcome);
  out["calls"] = Json::array();
  for (const model::Valuation& call : run.plan.calls) out["calls"].push_back(valuation_json(call));
  out["variants"] = Json::object();
  for (const auto& [kernel, variant] : run.plan.variants) out["variants"][kernel] = variant;
  out["findings"] = Json::array();
  for (const model::Finding& f : run.trace.findings) out["findings"].push_back(finding_json(f));
  out["assumptions"] = run.program.assumptions;
  out["unsupported"] = run.trace.unsupported;
  if (!run.trace.raised.empty())
    out["raised"] = {{"message", run.trace.raised}, {"location", location_json(run.trace.raised_where)}};
  return out;
}

int simulate(const Options& options, Streams streams) {
  const std::vector<model::Program> programs = read_programs(options.input, options.input_options);
  if (programs.size() != 1)
    fail_option(options.input,
                fmt::format("holds {} programs; a run is of one of them: give its file", programs.size()));
  const model::Program& program = programs[0];
  const bool wrapper = program.dialect == model::Dialect::wrapper;
  model::RuntimeProfile profile;
  if (wrapper) profile = choose_profile(options.runtime);
  const model::Program lowered = wrapper ? lower_with_deliveries(program, profile, options.run) : program;
  model::RunPlan plan = plan_of(options.run, lowered);
  const Run run{lowered, profile.name, plan, simulator::run_tags(lowered, plan)};
  streams.out << (options.format == "json" ? dump(to_json(run)) : print_text(run));
  return exit_code(outcome_of(run.trace));
}

}  // namespace

Action add_simulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("simulate", "Run a program once over memory that knows who wrote it");
  command->add_option("INPUT", options->input, "The program")->required();
  command->add_option("--runtime", options->runtime, "Profile name or file");
  declare_input_options(*command, options->input_options);
  declare_run_options(*command, options->run);
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  return [options](Streams streams) { return simulate(*options, streams); };
}

}  // namespace bufferproof::cli
