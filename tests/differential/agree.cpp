#include "tests/differential/agree.hpp"

#include <algorithm>

#include "checker/check.hpp"
#include "simulator/tag_run.hpp"
#include "tests/differential/generate.hpp"

namespace bufferproof::differential {
namespace {

std::string subject(const model::Finding& f) {
  return std::string(model::name(f.kind)) + " " + f.buffer + " at " + f.reader;
}

std::string text(const model::RunPlan& plan) {
  std::string out;
  for (const auto& [symbol, value] : plan.calls[0]) out += " " + symbol + "=" + std::to_string(value);
  for (const auto& [kernel, variant] : plan.variants) out += " " + kernel + ":" + variant;
  return out;
}

std::string first_run_with_finding(const model::Program& program) {
  for (const model::RunPlan& plan : all_runs(program)) {
    const auto trace = simulator::run_tags(program, plan);
    for (const model::Finding& f : trace.findings)
      if (!f.rests_on_unknown) return "proved, but" + text(plan) + " gives " + subject(f);
  }
  return {};
}

std::string replays(const model::Program& program, const checker::Refutation& refutation) {
  const auto trace = simulator::run_tags(program, refutation.plan);
  const std::string wanted = subject(refutation.finding);
  std::string seen;
  for (const model::Finding& f : trace.findings) {
    if (subject(f) == wanted) return {};
    seen += " " + subject(f) + ";";
  }
  return "refuted with " + wanted + " at" + text(refutation.plan) + ", but the run gives" +
         (seen.empty() ? " nothing" : seen);
}

}  // namespace

Agreement compare(const model::Program& program) {
  Agreement out;
  checker::Options options;
  options.most_refutations = 3;
  const checker::Result result = checker::check(program, options);
  out.decided = result.verdict == checker::Verdict::proved || result.verdict == checker::Verdict::refuted;
  out.refuted = result.verdict == checker::Verdict::refuted;
  if (result.verdict == checker::Verdict::proved) out.disagreement = first_run_with_finding(program);
  for (const checker::Refutation& refutation : result.refutations)
    if (out.disagreement.empty()) out.disagreement = replays(program, refutation);
  return out;
}

}  // namespace bufferproof::differential
