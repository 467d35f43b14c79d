// `bufferproof check`: what holds on every run. Tested by tests/cli/command_test.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <ostream>

#include "checker/certificate.hpp"
#include "cli/baseline.hpp"
#include "cli/check_program.hpp"
#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/runtimes.hpp"
#include "cli/wording.hpp"

namespace bufferproof::cli {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string runtime;
  std::string assume;
  std::string log;
  InputOptions input_options;
  std::string baseline;
  std::string suppressions;
  std::string format = "text";
  std::string output;
  std::string certificate;
  double seconds = 300;
  std::size_t mebibytes = 4096;
  bool strict = false;
  bool full = false;
};

std::string print(const CheckReport& report, const Options& options) {
  if (options.format == "json") return print_json(report);
  if (options.format == "sarif") return print_sarif(report);
  return print_text(report, options.full);
}

void set_aside(const Options& options, CheckReport& report, std::ostream& err) {
  std::set<std::string> baseline;
  std::vector<Suppression> suppressions;
  if (!options.baseline.empty()) baseline = read_baseline(read_file(options.baseline), options.baseline);
  if (!options.suppressions.empty())
    suppressions = read_suppressions(read_file(options.suppressions), options.suppressions);
  std::vector<ReportedFinding*> findings;
  for (ProgramReport& program : report.programs)
    for (ReportedFinding& finding : program.findings) findings.push_back(&finding);
  for (const std::string& remark : apply(baseline, suppressions, today(), findings))
    err << options.suppressions << ": " << remark << '\n';
}

CheckRequest request_of(const Options& options) {
  CheckRequest request;
  request.profiles = choose_profiles(options.runtime);
  request.assume = options.assume;
  request.log_file = options.log;
  if (!options.log.empty()) request.log = read_file(options.log);
  request.certificate = !options.certificate.empty();
  request.limits = {options.seconds, options.mebibytes << 20};
  return request;
}

int check(const Options& options, Streams streams) {
  const CheckRequest request = request_of(options);
  CheckReport report;
  report.strict = options.strict;
  std::vector<checker::Certificate> certificates;
  for (const std::string& input : options.inputs) {
    for (model::Program& program : read_programs(input, options.input_options)) {
      Judged judged = check_program(std::move(program), request);
      for (const std::string& remark : judged.remarks) streams.err << remark << '\n';
      for (ReportedFinding& finding : judged.report.findings)
        finding.reading = reading_options(options.input_options);
      certificates.insert(certificates.end(), judged.certificates.begin(), judged.certificates.end());
      report.programs.push_back(std::move(judged.report));
    }
  }
  set_aside(options, report, streams.err);
  settle(report);
  if (request.certificate) write_file(options.certificate, checker::write_certificates(certificates));
  const std::string text = print(report, options);
  if (options.output.empty()) {
    streams.out << text;
  } else {
    write_file(options.output, text);
  }
  return report.exit;
}

}  // namespace

Action add_check(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Prove or refute that every read is of what was meant");
  command->add_option("INPUT", options->inputs, "Programs: output_code.py, a debug folder, a .bufprog file")
      ->required();
  command->add_option(
      "--runtime", options->runtime,
      "Profile name, profile file, or 'all' with the hypothetical ones; default: every real one");
  command->add_option("--assume", options->assume,
                      "Judge only runs where this holds: 'n <= 4 and s0 % 8 == 0'");
  command->add_option("--log", options->log, "A run's log: judge the roads its kernels took");
  declare_input_options(*command, options->input_options);
  command->add_flag("--strict", options->strict, "Assumptions and risks count");
  command->add_flag("--full", options->full, "In text, every finding with all its lines");
  command->add_option("--baseline", options->baseline,
                      "An earlier JSON report; what it holds does not count");
  command->add_option("--suppressions", options->suppressions,
                      "Findings set aside, each with a reason and an expiry");
  command->add_option("--format", options->format, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  command->add_option("-o,--output", options->output, "Write the report to this file");
  command->add_option("--certificate", options->certificate, "Write what was proved, and how, for 'verify'");
  command->add_option("--timeout", options->seconds, "Seconds of wall time per program and profile")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->check(
          [](const std::string& text) {
            return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : "expected a number of seconds";
          },
          "");
  command->add_option("--memory-limit", options->mebibytes, "MiB of memory")
      ->capture_default_str()
      ->check(CLI::Range(64, 1 << 20));
  return [options](Streams streams) { return check(*options, streams); };
}

}  // namespace bufferproof::cli
