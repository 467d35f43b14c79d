#include "cli/plan_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/run_options.hpp"

namespace bufferproof::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMostEntries = 100'000;

/// Member `key`, which must be an array or object as `sample` is; `sample` itself when it is missing.
json member(const json& object, const char* key, const json& sample, const std::string& file) {
  if (!object.contains(key)) return sample;
  const json& found = object[key];
  if (found.type() != sample.type() || found.size() > kMostEntries)
    fail_option(file, fmt::format("expected an {} for '{}'", sample.is_array() ? "array" : "object", key));
  return found;
}

json parsed(const std::string& text, const std::string& file) {
  json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) fail_option(file, "is not JSON");
  return root;
}

bool is_report(const json& root, const std::string& file) {
  if (!root.is_object())
    fail_option(file, "expected a plan or a report of 'bufferproof check --format json'");
  return root.contains("findings");
}

json chosen_finding(const json& root, const std::string& file, int finding) {
  const json findings = member(root, "findings", json::array(), file);
  if (finding < 1 || static_cast<std::size_t>(finding) > findings.size())
    fail_option(file, fmt::format("holds {} findings, there is no number {}", findings.size(), finding));
  return findings[static_cast<std::size_t>(finding) - 1];
}

/// The plan in a report, or the object itself.
json plan_in(const json& root, const std::string& file, int finding) {
  if (!is_report(root, file)) return root;
  const json chosen = chosen_finding(root, file, finding);
  if (!chosen.is_object() || !chosen.contains("plan") || !chosen["plan"].is_object())
    fail_option(file, fmt::format("finding {} has no plan; only reports of 'check' have", finding));
  return chosen["plan"];
}

model::Valuation values_of(const json& call, const std::string& file) {
  model::Valuation out;
  if (!call.is_object()) fail_option(file, "expected an object of symbol values for each of 'calls'");
  for (const auto& [symbol, value] : call.items()) {
    if (!value.is_number_integer())
      fail_option(file, fmt::format("expected a whole number for symbol '{}'", symbol));
    out[symbol] = value.get<std::int64_t>();
  }
  return out;
}

}  // namespace

std::string runtime_of_plan(const std::string& text, const std::string& file, int finding) {
  const json root = parsed(text, file);
  if (!is_report(root, file)) return "";
  const json chosen = chosen_finding(root, file, finding);
  if (!chosen.is_object() || !chosen.contains("runtimes") || !chosen["runtimes"].is_array() ||
      chosen["runtimes"].empty() || !chosen["runtimes"][0].is_string())
    return "";
  return chosen["runtimes"][0].get<std::string>();
}

model::RunPlan read_plan(const std::string& text, const std::string& file, int finding) {
  const json root = parsed(text, file);
  const json plan = plan_in(root, file, finding);
  model::RunPlan out;
  const json calls = member(plan, "calls", json::array(), file);
  if (!calls.empty()) out.calls.clear();
  for (const json& call : calls) out.calls.push_back(values_of(call, file));
  const json variants = member(plan, "variants", json::object(), file);
  for (const auto& [choice, variant] : variants.items()) {
    if (!variant.is_string())
      fail_option(file, fmt::format("expected a road's name for kernel '{}'", choice));
    out.variants[choice] = variant.get<std::string>();
  }
  const json faults = member(plan, "faults", json::array(), file);
  for (const json& fault : faults) {
    if (!fault.is_string()) fail_option(file, "expected strings KERNEL:OUT[REGION] in 'faults'");
    out.faults.push_back(parse_fault(fault.get<std::string>()));
  }
  return out;
}

}  // namespace bufferproof::cli
