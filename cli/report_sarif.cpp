// The report as SARIF 2.1.0, for code-scanning services. Tested by tests/cli/report_test.cpp.
#include <fmt/format.h>

#include <set>

#include "cli/json_parts.hpp"
#include "cli/report.hpp"
#include "cli/wording.hpp"

namespace bufferproof::cli {
namespace {

constexpr model::FindingClass kClasses[] = {
    model::FindingClass::unwritten, model::FindingClass::stale, model::FindingClass::incomplete,
    model::FindingClass::extra,     model::FindingClass::oob,   model::FindingClass::race,
    model::FindingClass::noalloc,   model::FindingClass::dead,  model::FindingClass::mismatch};

Json message(const std::string& text) { return {{"text", text}}; }

/// A relative reference as RFC 3986 wants it.
std::string uri(const std::string& path) {
  std::string out;
  for (const unsigned char c : path) {
    const bool plain =
        std::isalnum(c) || std::string_view("-._~/").find(static_cast<char>(c)) != std::string_view::npos;
    out += plain ? std::string{static_cast<char>(c)} : fmt::format("%{:02X}", c);
  }
  return path.starts_with("/") ? "file://" + out : out;
}

Json physical(const model::SourceLocation& where, const std::string& program_file) {
  Json out{{"artifactLocation", {{"uri", uri(where.file ? *where.file : program_file)}}}};
  if (where.line > 0) out["region"]["startLine"] = where.line;
  if (where.line > 0 && where.column > 0) out["region"]["startColumn"] = where.column;
  return out;
}

Json location(const model::SourceLocation& where, const std::string& file, const std::string& text) {
  Json out{{"physicalLocation", physical(where, file)}};
  if (!text.empty()) out["message"] = message(text);
  return out;
}

/// Allocation, the write that does not cover the element, the read.
Json code_flow(const ReportedFinding& f, const std::string& file) {
  Json steps = Json::array();
  auto add = [&](const model::SourceLocation& where, const std::string& text, const char* importance) {
    if (where.line > 0)
      steps.push_back({{"location", location(where, file, text)}, {"importance", importance}});
  };
  const model::Finding& finding = f.finding;
  add(finding.alloc_where, fmt::format("{} is allocated", finding.buffer), "important");
  const char* writes = finding.kind == model::FindingClass::race
                           ? "{} accesses the memory of {} here too"
                           : "{} runs here and is not what the read of {} needs";
  add(finding.writer_where, fmt::format(fmt::runtime(writes), finding.writer, element_name(finding)),
      "important");
  add(finding.where, fmt::format("{} {}", finding.reader, meaning(finding.kind)), "essential");
  if (steps.empty()) steps.push_back({{"location", location(finding.where, file, finding.message)}});
  return {{"message", message(finding.message)}, {"threadFlows", {{{"locations", steps}}}}};
}

std::string result_text(const ReportedFinding& f) {
  std::string text = fmt::format("{} {}: {} {}. {}", model::name(f.finding.kind), element_name(f.finding),
                                 f.finding.reader, meaning(f.finding.kind), f.finding.message);
  if (!f.finding.path.empty()) text += fmt::format(" Road: {}.", f.finding.path);
  if (!f.runtimes.empty()) text += fmt::format(" Runtimes: {}.", fmt::join(f.runtimes, ", "));
  return text + fmt::format(" To do: {}.", advice(f));
}

std::size_t rule_index(model::FindingClass kind) {
  return static_cast<std::size_t>(std::find(std::begin(kClasses), std::end(kClasses), kind) -
                                  std::begin(kClasses));
}

Json result(const ReportedFinding& f, const std::string& file) {
  Json out{{"ruleId", model::name(f.finding.kind)},
           {"ruleIndex", rule_index(f.finding.kind)},
           {"kind", "fail"},
           {"level", "error"},
           {"message", message(result_text(f))},
           {"locations", {location(f.finding.where, file, "")}},
           {"codeFlows", {code_flow(f, file)}},
           {"partialFingerprints", {{"bufferproof/v1", f.fingerprint}}},
           {"baselineState", f.standing == Standing::baseline ? "unchanged" : "new"}};
  if (f.standing == Standing::suppressed)
    out["suppressions"] = {{{"kind", "external"},
                            {"status", "accepted"},
                            {"justification", fmt::format("{} (until {})", f.reason, f.expires)}}};
  out["properties"] = {{"rule", f.finding.rule},
                       {"buffer", f.finding.buffer},
                       {"element", f.finding.element},
                       {"runtimes", f.runtimes},
                       {"replay", replay_command(f, file)}};
  return out;
}

Json rules() {
  Json out = Json::array();
  for (const model::FindingClass kind : kClasses)
    out.push_back({{"id", model::name(kind)},
                   {"shortDescription", message("A step " + std::string(meaning(kind)) + ".")},
                   {"defaultConfiguration", {{"level", "error"}}}});
  return out;
}

/// What is not decided must be seen where only SARIF is looked at.
void notifications(const ProgramReport& report, Json& into) {
  for (const RuntimeReport& row : report.runtimes) {
    for (const checker::Undecided& u : row.undecided)
      into.push_back({{"level", "warning"},
                      {"message", message(fmt::format("{}: {}", checker::name(u.kind), u.reason))},
                      {"locations", {location(u.where, report.program->file, "")}}});
    if (!row.failure.empty()) into.push_back({{"level", "error"}, {"message", message(row.failure)}});
  }
}

Json invocation(const CheckReport& report) {
  Json notes = Json::array();
  for (const ProgramReport& program : report.programs) notifications(program, notes);
  std::set<std::string> seen;
  Json unique = Json::array();
  for (const Json& note : notes)
    if (seen.insert(note.dump(-1, ' ', false, Json::error_handler_t::replace)).second) unique.push_back(note);
  return {{"executionSuccessful", report.exit == 0 || report.exit == 1},
          {"exitCode", report.exit},
          {"toolExecutionNotifications", unique}};
}

}  // namespace

std::string print_sarif(const CheckReport& report) {
  Json results = Json::array();
  for (const ProgramReport& program : report.programs)
    for (const ReportedFinding& f : program.findings) results.push_back(result(f, program.program->file));
  const Json driver{{"name", "bufferproof"}, {"version", BUFFERPROOF_VERSION}, {"rules", rules()}};
  return dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs",
                {{{"tool", {{"driver", driver}}},
                  {"columnKind", "utf16CodeUnits"},
                  {"invocations", {invocation(report)}},
                  {"results", results}}}}});
}

}  // namespace bufferproof::cli
