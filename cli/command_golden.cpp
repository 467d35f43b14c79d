// `bufferproof golden`: what a wrapper should give, to the bit. Tested by tests/cli/golden_test.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "cli/app.hpp"
#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/json_parts.hpp"
#include "cli/output_values.hpp"
#include "cli/run_options.hpp"
#include "cli/run_text.hpp"
#include "cli/text_table.hpp"
#include "cli/value_run.hpp"
#include "cli/wording.hpp"
#include "kernels_ref/io/npz.hpp"
#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::cli {
namespace {

struct Options {
  std::string input;
  InputOptions input_options;
  RunOptions run;
  ValueOptions values;
  std::string format = "text";
  bool full = false;
};

/// One golden run and what it gave.
struct Golden {
  const model::Program& program;
  const Options& options;
  model::RunPlan plan;
  std::string inputs;
  simulator::ValueTrace trace;
  std::vector<OutputSummary> outputs;
};

std::string print_text(const Golden& golden) {
  std::string out = golden.program.file;
  if (const std::string values = sizes(golden.plan); !values.empty()) out += fmt::format("  with {}", values);
  out += fmt::format("\n  golden: every kernel tuned, numerics {}, {}\n", golden.options.values.numerics,
                     golden.inputs);
  if (!golden.trace.tags.findings.empty())
    return out +
           "  no golden output: the program itself is wrong, whatever its runtime does; see 'bufferproof "
           "check'\n" +
           findings_text(golden.trace.tags, golden.options.full);
  std::vector<std::vector<std::string>> rows{
      {"output", "type", "shape", "hash", "min", "max", "absmax", "NaN"}};
  for (const OutputSummary& o : golden.outputs) rows.push_back(summary_row(o));
  out += "\n" + text_table(rows) + births_text(golden.trace.births);
  if (!golden.options.values.out.empty())
    out += fmt::format("\n  written to {}\n", golden.options.values.out);
  return out;
}

Json to_json(const Golden& golden) {
  Json out{{"tool", tool_json()}, {"command", "golden"}, {"input", golden.program.file}};
  const bool clean = golden.trace.tags.findings.empty();
  out["verdict"] = clean ? "clean" : "findings";
  out["exit_code"] = clean ? kClean : kFindings;
  out["calls"] = Json::array({valuation_json(golden.plan.calls[0])});
  out["findings"] = Json::array();
  for (const model::Finding& f : golden.trace.tags.findings) out["findings"].push_back(finding_json(f));
  out["assumptions"] = golden.program.assumptions;
  out["numerics"] = golden.options.values.numerics;
  out["seed"] = golden.options.values.seed;
  out["outputs"] = Json::array();
  for (const OutputSummary& o : golden.outputs) out["outputs"].push_back(summary_json(o));
  out["births"] = births_json(golden.trace.births);
  return out;
}

void write_outputs(const Golden& golden) {
  std::vector<kernels::NamedTensor> named;
  const auto& outputs = golden.trace.calls.at(0);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    named.push_back({golden.outputs[i].name, outputs[i].tensor.view()});
  kernels::write_npz(golden.options.values.out, named);
}

int golden(const Options& options, Streams streams) {
  const ValueSetting setting = read_setting(options.values);
  const model::Program program = contract_abiding(read_one_program(options.input, options.input_options));
  Golden golden{program, options, plan_of(options.run, program), "", {}, {}};
  const std::vector<DeclaredInput> inputs = inputs_of(program);
  check_tensors(setting.tensors, inputs, golden.plan);
  golden.inputs = inputs_text(setting.tensors, inputs, setting.seed);
  {
    Progress progress(streams.err, is_terminal(streams.err));
    golden.trace = golden_run(program, golden.plan, setting, progress);
  }
  const bool clean = golden.trace.tags.findings.empty();
  if (clean) {
    const auto& outputs = golden.trace.calls.at(0);
    const std::vector<std::string> names = distinct_names(outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      golden.outputs.push_back(summarize(names[i], outputs[i].tensor.view()));
    if (!options.values.out.empty()) write_outputs(golden);
  }
  streams.out << (options.format == "json" ? dump(to_json(golden)) : print_text(golden));
  return clean ? kClean : kFindings;
}

}  // namespace

Action add_golden(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("golden", "What a wrapper should give: every kernel keeps its contract");
  command->add_option("INPUT", options->input, "The wrapper")->required();
  declare_input_options(*command, options->input_options);
  declare_value_options(*command, options->values);
  declare_size_option(*command, options->run);
  command->add_flag("--full", options->full, "In text, every finding with all its lines");
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  return [options](Streams streams) { return golden(*options, streams); };
}

}  // namespace bufferproof::cli
