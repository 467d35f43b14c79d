#include "cli/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace bufferproof::cli {
namespace {

using model::FindingClass;

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kRules{{
    {"C1", "every road of a launch writes every element of its declared outputs"},
    {"C2", "every element that is read was written before"},
    {"C3", "the last writer of an element that is read is the producer the program means"},
    {"C4",
     "conflicting accesses on different streams, or through several operands of one launch, are ordered"},
    {"C5", "accesses stay inside their handle and its storage"},
    {"C6", "no name is used after its release or without storage"},
    {"C7", "what a launch delivers has the declared shape, dtype and strides"},
    {"C8", "a kernel body yields no element that depends on undefined contents"},
    {"C9", "an accumulated element has exactly the contributors it should have"},
}};

std::string values(const model::Valuation& call) {
  std::vector<std::string> parts;
  for (const auto& [symbol, value] : call) parts.push_back(fmt::format("{} = {}", symbol, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string by_fallback(const ReportedFinding& finding) {
  return fmt::format(
      "use a runtime whose fallback stores into the buffer it is given, or keep {} from falling back",
      finding.fallback_kernels.size() == 1 ? "this kernel" : "these kernels");
}

/// An argument that a shell hands over unchanged.
std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_-./=:,").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string{c};
  return out + "'";
}

}  // namespace

std::string reading_options(const InputOptions& options) {
  std::string out;
  if (!options.schema.empty()) out += " --schema " + quoted(options.schema);
  if (!options.graphs.empty()) out += " --graphs " + quoted(options.graphs);
  return out;
}

std::string_view meaning(FindingClass c) {
  switch (c) {
    case FindingClass::unwritten:
      return "reads an element that nothing has written";
    case FindingClass::stale:
      return "reads an element that another producer wrote";
    case FindingClass::incomplete:
      return "reads an accumulated element that lacks a contribution";
    case FindingClass::extra:
      return "reads an accumulated element with a contribution that is not due";
    case FindingClass::oob:
      return "accesses an element outside the buffer";
    case FindingClass::race:
      return "is not ordered with a conflicting access to the same element";
    case FindingClass::noalloc:
      return "uses a name that has no storage on this path";
    case FindingClass::dead:
      return "uses a buffer after it was given up";
    case FindingClass::mismatch:
      return "relies on a shape, dtype or stride the buffer does not have";
  }
  return "";
}

std::string happening(const model::Finding& finding) {
  const bool of_one_launch = finding.kind == FindingClass::race && finding.writer == finding.reader;
  return of_one_launch ? finding.message : fmt::format("{} {}", reader_name(finding), meaning(finding.kind));
}

std::string advice(const ReportedFinding& finding) {
  if (!finding.fallback_kernels.empty()) return by_fallback(finding);
  switch (finding.finding.kind) {
    case FindingClass::unwritten:
      return "make the writer cover every element that is read, or initialise the buffer";
    case FindingClass::stale:
      return "let the intended producer be the last to write the element before it is read";
    case FindingClass::incomplete:
      return "add the missing contribution, or keep what was accumulated earlier";
    case FindingClass::extra:
      return "remove the surplus contribution, or clear the accumulator before";
    case FindingClass::oob:
      return "bound the access by the buffer's own extent";
    case FindingClass::race:
      if (finding.finding.writer == finding.finding.reader)  // of one launch
        return "give the launch's operands, and the elements of each, memory of their own";
      return "record an event after the earlier access and let the later stream wait for it";
    case FindingClass::noalloc:
      return "allocate the buffer on every path that uses it";
    case FindingClass::dead:
      return "release the buffer after its last use";
    case FindingClass::mismatch:
      return "make the launch deliver what its buffer declares, or read it as delivered";
  }
  return "";
}

const char* writer_label(FindingClass c, bool stale_is_due) {
  if (c == FindingClass::race) return "against";
  return c == FindingClass::unwritten || (c == FindingClass::stale && stale_is_due) ? "due from" : "writer";
}

std::string element_name(const model::Finding& finding) {
  if (finding.element.empty()) return finding.buffer;
  return fmt::format("{}[{}]", finding.buffer, fmt::join(finding.element, ", "));
}

std::string reader_name(const model::Finding& finding) {
  if (finding.reader == "plan") return "a statement between launches";
  return finding.reader == "result" ? "the caller" : finding.reader;
}

std::string counted(std::size_t n, const char* one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

std::string sizes(const model::RunPlan& plan) {
  if (plan.calls.size() == 1) return values(plan.calls[0]);
  const bool none =
      std::all_of(plan.calls.begin(), plan.calls.end(), [](const auto& c) { return c.empty(); });
  if (none) return counted(plan.calls.size(), "call");
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < plan.calls.size(); ++i)
    parts.push_back(fmt::format("call {}: {}", i + 1, values(plan.calls[i])));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string spelling(const model::Fault& fault) {
  std::vector<std::string> axes;
  for (const auto& [lo, hi] : fault.region) axes.push_back(fmt::format("{}:{}", lo, hi));
  const std::string region = axes.empty() ? "" : fmt::format("[{}]", fmt::join(axes, ","));
  return fmt::format("{}:{}{}", fault.kernel, fault.output, region);
}

std::string force_line(const ReportedFinding& finding) {
  if (finding.fallback_kernels.empty()) return "";
  return fmt::format("anir_config.force_fallback_kernel_names = {{\"{}\"}}",
                     fmt::join(finding.fallback_kernels, "\", \""));
}

std::string replay_command(const ReportedFinding& finding, const std::string& file) {
  std::string out = "bufferproof simulate " + quoted(file) + finding.reading;
  if (!finding.runtimes.empty()) out += " --runtime " + quoted(finding.runtimes.front());
  for (const auto& [kernel, variant] : finding.plan.variants)
    if (std::find(finding.fallback_kernels.begin(), finding.fallback_kernels.end(), kernel) !=
        finding.fallback_kernels.end())
      out += " --fallback " + quoted(kernel);
  for (const model::Fault& fault : finding.plan.faults) out += " --fault " + quoted(spelling(fault));
  for (const auto& [symbol, value] : finding.plan.calls.front())
    out += fmt::format(" --size {}={}", symbol, value);
  if (finding.plan.calls.size() > 1) out += fmt::format(" --calls {}", finding.plan.calls.size());
  return out;
}

std::string ranges(const model::Program& program) {
  std::vector<std::string> parts;
  for (const model::Symbol& symbol : program.symbols)
    parts.push_back(symbol.hi ? fmt::format("{} in {}..{}", symbol.name, symbol.lo, *symbol.hi)
                              : fmt::format("{} >= {}", symbol.name, symbol.lo));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string_view rule_text(std::string_view label) {
  for (const auto& [rule, text] : kRules)
    if (rule == label) return text;
  return "";
}

}  // namespace bufferproof::cli
