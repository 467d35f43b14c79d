// `bufferproof simulate`: what happens on one run; by tags alone, or with values beside them.
//
// Values are computed when the user asks for something that needs them (--values, --tensors, --out, --memory,
// --numerics, --seed): a run by tags alone takes milliseconds at any size and needs no kernel bodies, and
// that is what a finding's replay command promises. Tested by tests/cli/simulate_test.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>

#include "cli/app.hpp"
#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/plan_file.hpp"
#include "cli/run_options.hpp"
#include "cli/runtime_log.hpp"
#include "cli/runtimes.hpp"
#include "cli/simulation.hpp"
#include "kernels_ref/io/npz.hpp"
#include "model/lower.hpp"

namespace bufferproof::cli {
namespace {

struct Options {
  std::string input;
  std::string runtime;
  InputOptions input_options;
  RunOptions run;
  ValueOptions values;
  std::string log;
  std::string plan;
  int finding = 1;
  std::vector<std::string> whys;
  bool with_values = false;
  bool buffers = false;
  bool full = false;
  std::string format = "text";
};

/// A plan whose last call is this one. Tags depend on earlier calls only where kernels tune (E10).
model::RunPlan call_of(const model::RunPlan& plan, std::size_t call) {
  model::RunPlan out = plan;
  out.calls.resize(call + 1);
  if (!plan.tuning) out.calls.erase(out.calls.begin(), out.calls.end() - 1);
  return out;
}

/// What is kept of a run's launches: operands to explain with, buffers to write.
class KeptRun : public simulator::LaunchObserver {
 public:
  bool explains = false;
  bool buffers = false;
  simulator::LaunchRecorder launches;
  std::vector<std::map<std::string, kernels::Tensor>> by_call;

  void computed(const simulator::ComputedLaunch& launch) override {
    if (explains) launches.computed(launch);
  }
  bool wants_buffers() const override { return buffers; }
  void delivered(const simulator::DeliveredBuffer& buffer) override {
    by_call.resize(std::max(by_call.size(), buffer.call + 1));
    by_call[buffer.call].insert_or_assign(buffer.name, kernels::contiguous_copy(buffer.tensor.view()));
  }
};

/// Runs with values, the golden run included, and writes what is asked for.
class ValuedRun {
 public:
  ValuedRun(const Options& options, const model::Program& program, Simulation& simulation, Streams streams)
      : options_(options),
        program_(program),
        simulation_(simulation),
        setting_(read_setting(options.values)),
        progress_(streams.err, is_terminal(streams.err)) {}

  void run() {
    const std::vector<DeclaredInput> inputs = inputs_of(simulation_.program);
    check_tensors(setting_.tensors, inputs, simulation_.plan);
    ValueReport& report = simulation_.values.emplace();
    report.memory = options_.run.memory;
    report.numerics = options_.values.numerics;
    report.seed = options_.values.seed;
    report.inputs = inputs_text(setting_.tensors, inputs, setting_.seed);
    // Launches are kept only where there is something to explain.
    kept_.explains = !simulation_.answers.empty() ||
                     !simulator::run_tags(simulation_.program, simulation_.plan).findings.empty();
    kept_.buffers = options_.buffers;
    const auto trace = computed();
    if (!trace) return;
    simulation_.trace = trace->tags;
    compare(*trace);
    if (!options_.values.out.empty()) write(*trace);
  }

 private:
  /// nullopt: wrong contents of memory stopped a kernel (an index out of range); what the tags found is told.
  std::optional<simulator::ValueTrace> computed() {
    try {
      return run_with_values(simulation_.program, simulation_.plan, setting_, progress_, "run",
                             {false, &kept_});
    } catch (const model::InputError& error) {
      simulation_.trace = simulator::run_tags(simulation_.program, simulation_.plan);
      if (simulation_.trace.findings.empty() || !options_.values.out.empty()) throw;
      // What no run can execute is said as such: the golden run then fails likewise.
      golden_run(contract_abiding(program_), golden_plan(simulation_.plan), setting_, progress_, nullptr);
      simulation_.values->ended = error.what();
      return std::nullopt;
    }
  }

  void compare(const simulator::ValueTrace& trace) {
    const simulator::ValueTrace golden = golden_run(contract_abiding(program_), golden_plan(simulation_.plan),
                                                    setting_, progress_, kept_.explains ? &golden_ : nullptr);
    ValueReport& report = *simulation_.values;
    report.has_golden = golden.tags.findings.empty();
    report.births = golden.births;
    if (!trace.calls.empty()) {
      tell(trace.calls.back(), &Answer::value);
      if (report.has_golden) tell(golden.calls.at(trace.calls.size() - 1), &Answer::golden);
    }
    for (std::size_t call = 0; call < trace.calls.size(); ++call) {
      report.calls.push_back(
          compare_outputs(trace.calls[call], report.has_golden ? &golden.calls.at(call) : nullptr));
      for (ComparedOutput& output : report.calls.back()) blame(output, call);
    }
    for (Answer& answer : simulation_.answers) explain(answer, trace.calls.size());
  }

  /// What stands where somebody asked.
  void tell(const std::vector<simulator::ReturnedTensor>& outputs, std::optional<double> Answer::*where) {
    for (Answer& answer : simulation_.answers)
      for (const simulator::ReturnedTensor& output : outputs)
        if (output.name == answer.question.output && !(answer.*where))
          answer.*where = element_of(output.tensor.view(), answer.question.index);
  }

  void blame(ComparedOutput& output, std::size_t call) {
    if (!output.difference || output.difference->wrong == 0) return;
    progress_.phase("explaining " + output.summary.name);
    const simulator::WhyValues values = kept_values(call);
    try {
      output.blame = simulator::explain(simulation_.program, call_of(simulation_.plan, call),
                                        output.returned_name, output.difference->worst, &values);
    } catch (const model::InputError&) {
      output.blame.reset();  // the text does not say the shape of what it returns: no element can be followed
    }
  }

  /// By values where the element is wrong; a right one keeps the answer by positions.
  void explain(Answer& answer, std::size_t calls) {
    const bool right = answer.value && answer.golden && *answer.value == *answer.golden;
    if (calls == 0 || !answer.value || right) return;
    const simulator::WhyValues values = kept_values(calls - 1);
    answer.explanation = simulator::explain(simulation_.program, call_of(simulation_.plan, calls - 1),
                                            answer.question.output, answer.question.index, &values);
  }

  simulator::WhyValues kept_values(std::size_t call) const {
    return {&kept_.launches, simulation_.values->has_golden ? &golden_ : nullptr, call, setting_.numerics};
  }

  /// "call2.buf1" when there are several calls.
  std::vector<std::string> members(const std::vector<simulator::ReturnedTensor>& outputs,
                                   std::size_t call) const {
    std::vector<std::string> out = distinct_names(outputs);
    if (simulation_.plan.calls.size() > 1)
      for (std::string& name : out) name = fmt::format("call{}.{}", call + 1, name);
    return out;
  }

  void write(const simulator::ValueTrace& trace) {
    std::vector<kernels::NamedTensor> named;
    std::vector<std::vector<simulator::OutputTags>> tags;
    std::vector<std::vector<std::string>> names;
    for (std::size_t call = 0; call < trace.calls.size(); ++call) {
      names.push_back(members(trace.calls[call], call));
      tags.push_back(simulator::output_tags(simulation_.program, call_of(simulation_.plan, call)));
      for (std::size_t i = 0; i < trace.calls[call].size(); ++i)
        named.push_back({names.back()[i], trace.calls[call][i].tensor.view()});
    }
    add_buffers(named);
    const std::string& out = options_.values.out;
    ValueReport& report = *simulation_.values;
    report.written = out;
    report.sidecar = out.substr(0, out.size() - 4) + ".tags.json";
    kernels::write_npz(out, named);
    write_file(report.sidecar, print_sidecar(simulation_, tags, names));
  }

  /// What launches handed over, beside the outputs of the same names.
  void add_buffers(std::vector<kernels::NamedTensor>& named) const {
    const bool several = simulation_.plan.calls.size() > 1;
    for (std::size_t call = 0; call < kept_.by_call.size(); ++call)
      for (const auto& [buffer, tensor] : kept_.by_call[call]) {
        const std::string name = several ? fmt::format("call{}.{}", call + 1, buffer) : buffer;
        if (std::none_of(named.begin(), named.end(), [&](const auto& other) { return other.name == name; }))
          named.push_back({name, tensor.view()});
      }
  }

  const Options& options_;
  const model::Program& program_;
  Simulation& simulation_;
  const ValueSetting setting_;
  Progress progress_;
  KeptRun kept_;
  simulator::LaunchRecorder golden_;
};

/// The kernels a run's log reports as fallen back, as if --fallback named them.
RunOptions with_log(const Options& options, const model::Program& program, std::ostream& err) {
  RunOptions out = options.run;
  if (options.log.empty()) return out;
  std::vector<std::string> unknown;
  for (const std::string& kernel : kernels_fallen_back(read_file(options.log), program, unknown))
    out.fallbacks.push_back(kernel);
  for (const std::string& name : unknown)
    err << fmt::format("{}: kernel {} is not one of {}\n", options.log, name, program.file);
  return out;
}

model::RunPlan plan_for(const Options& options, const RunOptions& run, const model::Program& lowered) {
  model::RunPlan plan = plan_of(run, lowered);
  if (options.plan.empty()) return plan;
  const model::RunPlan written = read_plan(read_file(options.plan), options.plan, options.finding);
  const model::Valuation values = plan.calls[0];
  plan.calls = written.calls;
  for (model::Valuation& call : plan.calls) call.insert(values.begin(), values.end());
  plan.variants = written.variants;
  plan.faults = written.faults;
  return plan;
}

/// That of the option, else the first a report's finding names.
std::string runtime_for(const Options& options) {
  if (!options.runtime.empty() || options.plan.empty()) return options.runtime;
  return runtime_of_plan(read_file(options.plan), options.plan, options.finding);
}

int simulate(const Options& options, Streams streams) {
  std::vector<Question> questions;
  for (const std::string& text : options.whys) questions.push_back(parse_question(text));
  const model::Program program = read_one_program(options.input, options.input_options);
  const bool wrapper = program.dialect == model::Dialect::wrapper;
  model::RuntimeProfile profile;
  if (wrapper) profile = choose_profile(runtime_for(options));
  const RunOptions run = with_log(options, program, streams.err);
  const model::Program lowered = wrapper ? lower_with_deliveries(program, profile, run) : program;
  Simulation simulation{lowered, profile.name, plan_for(options, run, lowered), {}, {}, {}, options.full};
  for (const Question& question : questions)
    simulation.answers.push_back({question, answer(lowered, simulation.plan, question)});
  if (options.with_values) {
    ValuedRun(options, program, simulation, streams).run();
  } else {
    simulation.trace = simulator::run_tags(lowered, simulation.plan);
  }
  streams.out << (options.format == "json" ? print_json(simulation) : print_text(simulation));
  return exit_code(outcome_of(simulation.trace));
}

/// Whether one of the options that need values was given.
bool needs_values(const CLI::App& command) {
  const auto options = {"--tensors", "--out", "--memory", "--numerics", "--seed"};
  return std::any_of(options.begin(), options.end(), [&](const char* o) { return command.count(o) > 0; });
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
  command->add_option("--log", options->log, "A run's log: the kernels it reports as fallen back fall back");
  CLI::Option* plan = command->add_option(
      "--plan", options->plan, "Sizes, roads and faults from a JSON plan or a JSON report of 'check'");
  for (const char* other : {"--fallback", "--fault", "--size", "--calls", "--log"})
    plan->excludes(command->get_option(other));
  command->add_option("--finding", options->finding, "Which finding's plan, from 1")->needs(plan);
  command->add_flag("--values", options->with_values,
                    "Compute the outputs and hold them against the golden run; implied by the options below");
  declare_value_options(*command, options->values);
  command
      ->add_flag("--buffers", options->buffers,
                 "Into --out also what every launch handed over, by the buffer's name")
      ->needs(command->get_option("--out"));
  command
      ->add_option("--why", options->whys,
                   "OUTPUT[INDEX]: where this element comes from, back to memory that is not as meant")
      ->take_all()
      ->delimiter('\0');
  command->add_flag("--full", options->full, "In text, every finding with all its lines");
  command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  return [options, command](Streams streams) {
    options->with_values = options->with_values || needs_values(*command);
    return simulate(*options, streams);
  };
}

}  // namespace bufferproof::cli
