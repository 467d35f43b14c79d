// The report as JSON; its schema is docs/report.schema.json. Tested by tests/cli/report_test.cpp.
#include "cli/json_parts.hpp"
#include "cli/report.hpp"
#include "cli/wording.hpp"

namespace bufferproof::cli {
namespace {

Json plan_json(const model::RunPlan& plan) {
  Json out{{"calls", Json::array()}, {"variants", Json::object()}, {"faults", Json::array()}};
  for (const model::Valuation& call : plan.calls) out["calls"].push_back(valuation_json(call));
  for (const auto& [kernel, variant] : plan.variants) out["variants"][kernel] = variant;
  for (const model::Fault& fault : plan.faults) out["faults"].push_back(spelling(fault));
  return out;
}

Json reported_json(const ReportedFinding& f, const std::string& file) {
  Json out = finding_json(f.finding);
  out["fingerprint"] = f.fingerprint;
  out["advice"] = advice(f);
  out["counterexample"] = f.plan.calls.empty() ? Json::object() : valuation_json(f.plan.calls.back());
  out["plan"] = plan_json(f.plan);
  out["replay"] = replay_command(f, file);
  out["force_fallback_kernel_names"] = f.fallback_kernels;
  if (!f.runtimes.empty()) out["runtimes"] = f.runtimes;
  static constexpr const char* kStanding[] = {"counted", "baseline", "suppressed"};
  out["standing"] = kStanding[static_cast<int>(f.standing)];
  if (f.standing == Standing::suppressed) out["suppression"] = {{"reason", f.reason}, {"expires", f.expires}};
  return out;
}

Json undecided_json(const checker::Undecided& u) {
  return {{"kind", checker::name(u.kind)}, {"location", location_json(u.where)}, {"reason", u.reason}};
}

Json row_json(const ProgramReport& report, const RuntimeReport& row) {
  Json out;
  if (!row.name.empty()) out["name"] = row.name;
  if (!row.name.empty()) out["hypothetical"] = row.hypothetical;
  out["verdict"] = name(row.outcome);
  out["findings"] = Json::array();
  for (std::size_t i : row.findings)
    out["findings"].push_back(reported_json(report.findings[i], report.program->file));
  out["undecided"] = Json::array();
  for (const checker::Undecided& u : row.undecided) out["undecided"].push_back(undecided_json(u));
  out["notes"] = Json::array();
  for (const checker::Note& note : row.notes)
    out["notes"].push_back(
        {{"rule", note.rule}, {"location", location_json(note.where)}, {"message", note.message}});
  out["risks"] = Json::array();
  for (const model::Risk& risk : row.risks)
    out["risks"].push_back(
        {{"label", risk.label}, {"location", location_json(risk.where)}, {"message", risk.message}});
  out["assumptions"] = row.assumptions;
  out["statistics"] = {{"obligations", row.statistics.obligations},
                       {"by_algebra", row.statistics.by_algebra},
                       {"by_solver", row.statistics.by_solver}};
  if (!row.failure.empty()) out["failure"] = row.failure;
  return out;
}

/// Of the first counted finding; empty when nothing is refuted.
Json counterexample_json(const ProgramReport& report) {
  for (const ReportedFinding& f : report.findings)
    if (f.standing == Standing::counted && !f.plan.calls.empty()) return valuation_json(f.plan.calls.back());
  return Json::object();
}

Json symbols_json(const model::Program& program) {
  Json out = Json::array();
  for (const model::Symbol& symbol : program.symbols)
    out.push_back({{"name", symbol.name}, {"lo", symbol.lo}, {"hi", symbol.hi ? Json(*symbol.hi) : Json()}});
  return out;
}

/// Everything any row says, without repetition.
Json united(const Json& rows, const char* key) {
  Json out = Json::array();
  for (const Json& row : rows)
    for (const Json& entry : row[key])
      if (std::find(out.begin(), out.end(), entry) == out.end()) out.push_back(entry);
  return out;
}

Json program_json(const ProgramReport& report) {
  Json rows = Json::array();
  for (const RuntimeReport& row : report.runtimes) rows.push_back(row_json(report, row));
  Json out{{"input", report.program->file},
           {"dialect", report.program->dialect == model::Dialect::bufprog ? "bufprog" : "wrapper"},
           {"verdict", name(report.outcome)},
           {"symbols", symbols_json(*report.program)},
           {"counterexample", counterexample_json(report)}};
  for (const char* key : {"findings", "undecided", "notes", "risks", "assumptions"})
    out[key] = united(rows, key);
  if (report.program->dialect == model::Dialect::wrapper) {
    out["runtimes"] = std::move(rows);
  } else {
    out["statistics"] = rows.at(0)["statistics"];
    if (rows.at(0).contains("failure")) out["failure"] = rows.at(0)["failure"];
  }
  return out;
}

}  // namespace

std::string print_json(const CheckReport& report) {
  Json out{
      {"tool", tool_json()}, {"command", "check"}, {"exit_code", report.exit}, {"strict", report.strict}};
  Json programs = Json::array();
  for (const ProgramReport& program : report.programs) programs.push_back(program_json(program));
  if (programs.size() == 1) {
    out.update(programs[0]);
    return dump(out);
  }
  Outcome worst = Outcome::proved;
  for (const ProgramReport& program : report.programs) worst = worse(worst, program.outcome);
  out["verdict"] = name(worst);
  for (const char* key : {"findings", "assumptions"}) {
    out[key] = Json::array();
    for (const Json& program : programs)
      for (const Json& entry : program[key]) out[key].push_back(entry);
  }
  out["programs"] = std::move(programs);
  return dump(out);
}

}  // namespace bufferproof::cli
