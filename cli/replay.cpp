#include "cli/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/wording.hpp"
#include "simulator/tag_run.hpp"

namespace bufferproof::cli {
namespace {

std::string describe(const model::Finding& f) {
  return fmt::format("{} {} at {}", model::name(f.kind), element_name(f), f.reader);
}

bool same(const model::Finding& proved, const model::Finding& seen) {
  return proved.kind == seen.kind && proved.buffer == seen.buffer && proved.reader == seen.reader &&
         (proved.element.empty() || seen.element.empty() || proved.element == seen.element);
}

std::string disagreement(const checker::Refutation& refutation, const std::string& simulated) {
  return fmt::format("the checker refutes {} ({}; {}), the simulator {}", describe(refutation.finding),
                     sizes(refutation.plan), refutation.finding.path, simulated);
}

}  // namespace

Replay replay(const model::Program& lowered, const checker::Refutation& refutation) {
  try {
    const simulator::TagTrace trace = simulator::run_tags(lowered, refutation.plan);
    for (const model::Finding& seen : trace.findings)
      if (same(refutation.finding, seen)) return {};
    std::vector<std::string> others;
    for (const model::Finding& seen : trace.findings) others.push_back(describe(seen));
    if (others.empty()) others.emplace_back("nothing");
    return {disagreement(refutation, fmt::format("reports {}", fmt::join(others, ", ")))};
  } catch (const model::InputError& error) {
    return {.difference = {},
            .no_run = checker::Undecided{
                checker::Verdict::unsupported, refutation.finding.where,
                fmt::format("{} ({}) cannot be confirmed, as that run cannot be carried out: {}",
                            describe(refutation.finding), sizes(refutation.plan), error.what())}};
  }
}

}  // namespace bufferproof::cli
