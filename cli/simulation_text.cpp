// A simulation for people. Tested by tests/cli/simulate_test.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/run_text.hpp"
#include "cli/simulation.hpp"
#include "cli/text_table.hpp"
#include "cli/wording.hpp"
#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::cli {
namespace {

std::string element(const std::string& name, const std::vector<std::int64_t>& index) {
  return index.empty() ? name : fmt::format("{}[{}]", name, fmt::join(index, ", "));
}

std::string type_text(const OutputSummary& o) {
  return fmt::format("{} {}", model::name(o.dtype), kernels::format_sizes(o.sizes));
}

/// The cells after name, type and shape.
std::vector<std::string> difference_cells(const ComparedOutput& o) {
  if (!o.golden) return {"no golden output", "", ""};
  if (!o.difference) return {"should be " + type_text(*o.golden), "", ""};
  const OutputDifference& d = *o.difference;
  if (d.wrong == 0) return {"right", std::to_string(o.summary.nans), "0"};
  return {fmt::format("{} of {} wrong", d.wrong, o.summary.elements), std::to_string(o.summary.nans),
          d.finite == 0 ? "-" : number_text(d.largest_error, model::DType::f64)};
}

std::string magnitude(const OutputSummary& o) {
  return o.least ? number_text(o.largest_magnitude(), o.dtype) : "-";
}

std::vector<std::string> row(const ComparedOutput& o) {
  std::vector<std::string> out{o.summary.name, std::string(model::name(o.summary.dtype)),
                               kernels::format_sizes(o.summary.sizes)};
  for (std::string& cell : difference_cells(o)) out.push_back(std::move(cell));
  out.push_back(magnitude(o.summary));
  out.push_back(o.golden ? magnitude(*o.golden) : "-");
  return out;
}

std::string worst_text(const ComparedOutput& o) {
  const OutputDifference& d = *o.difference;
  std::string out =
      fmt::format("\n  {} is {}, golden {}\n", element(o.summary.name, d.worst),
                  number_text(d.worst_value, o.summary.dtype), number_text(d.worst_golden, o.summary.dtype));
  if (o.blame) out += fmt::format("    {}\n", blame_text(*o.blame));
  return out;
}

std::string call_text(const std::vector<ComparedOutput>& outputs) {
  std::vector<std::vector<std::string>> rows{
      {"output", "type", "shape", "against golden", "NaN", "largest error", "absmax", "golden"}};
  for (const ComparedOutput& o : outputs) rows.push_back(row(o));
  std::string out = text_table(rows);
  for (const ComparedOutput& o : outputs)
    if (o.difference && o.difference->wrong > 0) out += worst_text(o);
  return out;
}

std::string values_text(const ValueReport& values) {
  std::string out =
      fmt::format("\nvalues: memory {}, numerics {}, {}\n", values.memory, values.numerics, values.inputs);
  if (!values.ended.empty()) return out + fmt::format("  none: {}\n", values.ended);
  if (!values.has_golden)
    out += "  no golden output: the program itself is wrong, whatever its runtime does\n";
  for (std::size_t call = 0; call < values.calls.size(); ++call) {
    if (values.calls.size() > 1) out += fmt::format("{}call {}\n", call == 0 ? "" : "\n", call + 1);
    out += call_text(values.calls[call]);
  }
  out += births_text(values.births);
  if (!values.written.empty())
    out += fmt::format("\n  written to {}, tags to {}\n", values.written, values.sidecar);
  return out;
}

std::string standing(const Answer& answer) {
  std::string out;
  if (answer.value) out += " is " + number_text(*answer.value, model::DType::f64);
  if (answer.golden) out += ", golden " + number_text(*answer.golden, model::DType::f64);
  return out;
}

/// "K falls back", for the kernels whose road is not their first one.
std::string road_text(const Simulation& run) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> kernels;
  for (const auto& [kernel, variant] : run.plan.variants)
    if (variant != "tuned") kernels.push_back(kernel);
  if (kernels.empty()) return "";
  if (kernels.size() > kMost) return counted(kernels.size(), "kernel") + " fall back";
  return fmt::format("{} {} back", fmt::join(kernels, ", "), kernels.size() == 1 ? "falls" : "fall");
}

}  // namespace

std::string print_text(const Simulation& run) {
  std::string out = run.program.file;
  if (!run.runtime.empty()) out += fmt::format("  on {}", run.runtime);
  if (const std::string values = sizes(run.plan); !values.empty()) out += fmt::format("  with {}", values);
  if (const std::string road = road_text(run); !road.empty()) out += fmt::format("  where {}", road);
  out += fmt::format("\n  {}\n", run.trace.findings.empty() ? "clean: every read is of what was meant"
                                                            : counted(run.trace.findings.size(), "finding"));
  if (run.values) out += values_text(*run.values);
  out += findings_text(run.trace, run.full);
  for (const Answer& answer : run.answers)
    out += fmt::format("\nwhy {}{}:\n{}", spelling(answer.question), standing(answer),
                       chain_text(answer.explanation));
  return out;
}

}  // namespace bufferproof::cli
