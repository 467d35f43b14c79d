// A simulation for tools; the schema is docs/report.schema.json. Tested by tests/cli/simulate_test.cpp.
#include "cli/run_text.hpp"
#include "cli/simulation.hpp"
#include "cli/wording.hpp"

namespace bufferproof::cli {
namespace {

Json difference_json(const OutputDifference& d, model::DType dtype) {
  Json out{{"wrong", d.wrong}, {"nan", d.nans}, {"finite", d.finite}, {"max_abs_error", d.largest_error}};
  if (d.wrong == 0) return out;
  out["first"] = d.first;
  out["worst"] = {{"element", d.worst},
                  {"value", number_json(d.worst_value, dtype)},
                  {"golden", number_json(d.worst_golden, dtype)}};
  return out;
}

Json output_json(const ComparedOutput& o) {
  Json out = summary_json(o.summary);
  if (o.golden) out["golden"] = summary_json(*o.golden);
  if (o.difference) out["difference"] = difference_json(*o.difference, o.summary.dtype);
  if (o.blame) out["blame"] = explanation_json(*o.blame);
  return out;
}

Json values_json(const ValueReport& values) {
  Json out{{"memory", values.memory}, {"has_golden", values.has_golden}, {"calls", Json::array()}};
  if (!values.ended.empty()) out["ended"] = values.ended;
  for (const auto& call : values.calls) {
    Json outputs = Json::array();
    for (const ComparedOutput& o : call) outputs.push_back(output_json(o));
    out["calls"].push_back(std::move(outputs));
  }
  out["births"] = births_json(values.births);
  if (!values.written.empty()) {
    out["written"] = values.written;
    out["tags"] = values.sidecar;
  }
  return out;
}

const char* verdict(Outcome outcome) {
  if (outcome == Outcome::refuted) return "findings";
  return outcome == Outcome::proved ? "clean" : "unsupported";
}

Json head(const Simulation& run) {
  Json out{{"tool", tool_json()}, {"command", "simulate"}, {"input", run.program.file}};
  if (!run.runtime.empty()) out["runtime"] = run.runtime;
  return out;
}

}  // namespace

std::string print_json(const Simulation& run) {
  Json out = head(run);
  const Outcome outcome = outcome_of(run.trace);
  out["verdict"] = verdict(outcome);
  out["exit_code"] = exit_code(outcome);
  out["calls"] = Json::array();
  for (const model::Valuation& call : run.plan.calls) out["calls"].push_back(valuation_json(call));
  out["variants"] = Json::object();
  for (const auto& [kernel, variant] : run.plan.variants) out["variants"][kernel] = variant;
  out["faults"] = Json::array();
  for (const model::Fault& fault : run.plan.faults) out["faults"].push_back(spelling(fault));
  out["findings"] = Json::array();
  for (const model::Finding& f : run.trace.findings) out["findings"].push_back(finding_json(f));
  out["assumptions"] = run.program.assumptions;
  out["unsupported"] = run.trace.unsupported;
  if (!run.trace.raised.empty())
    out["raised"] = {{"message", run.trace.raised}, {"location", location_json(run.trace.raised_where)}};
  if (run.values) {
    out["numerics"] = run.values->numerics;
    out["seed"] = run.values->seed;
    out["values"] = values_json(*run.values);
  }
  if (!run.answers.empty()) out["why"] = Json::array();
  for (const Answer& a : run.answers) {
    Json one = explanation_json(a.explanation);
    one["output"] = a.question.output;
    one["element"] = a.question.index;
    if (a.value) one["value"] = number_json(*a.value, model::DType::f64);
    if (a.golden) one["golden"] = number_json(*a.golden, model::DType::f64);
    out["why"].push_back(std::move(one));
  }
  return dump(out);
}

std::string print_sidecar(const Simulation& run, const std::vector<std::vector<simulator::OutputTags>>& tags,
                          const std::vector<std::vector<std::string>>& members) {
  Json out = head(run);
  out["outputs"] = Json::array();
  for (std::size_t call = 0; call < tags.size(); ++call)
    for (std::size_t i = 0; i < tags[call].size() && i < members[call].size(); ++i) {
      Json one{{"member", members[call][i]},
               {"call", call + 1},
               {"name", tags[call][i].name},
               {"sizes", tags[call][i].sizes},
               {"spans", Json::array()}};
      for (const simulator::TagSpan& span : tags[call][i].spans)
        one["spans"].push_back({{"first", span.first}, {"last", span.last}, {"tag", span.tag}});
      out["outputs"].push_back(std::move(one));
    }
  return dump(out);
}

}  // namespace bufferproof::cli
