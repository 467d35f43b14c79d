#include "simulator/tag_run.hpp"

#include <algorithm>

#include "simulator/executor.hpp"
#include "simulator/plan_check.hpp"
#include "simulator/tag_run_with.hpp"

namespace bufferproof::simulator {
namespace {

/// Findings of a later call that an earlier one had already are left out.
void append(TagTrace& into, TagTrace&& call) {
  auto same = [](const model::Finding& a, const model::Finding& b) {
    return a.kind == b.kind && a.buffer == b.buffer && a.reader == b.reader;
  };
  auto add = [&](std::vector<model::Finding>& all, std::vector<model::Finding>& more) {
    for (model::Finding& finding : more)
      if (std::none_of(all.begin(), all.end(), [&](const auto& old) { return same(old, finding); }))
        all.push_back(std::move(finding));
  };
  add(into.findings, call.findings);
  add(into.rests_on_unknown, call.rests_on_unknown);
  for (std::string& line : call.unsupported)
    if (std::find(into.unsupported.begin(), into.unsupported.end(), line) == into.unsupported.end())
      into.unsupported.push_back(std::move(line));
  into.raised = std::move(call.raised);
  into.raised_where = call.raised_where;
}

}  // namespace

TagTrace run_tags(const model::Program& program, const model::RunPlan& plan) {
  return run_tags_with(program, plan, [](RunState& state) { Executor(state).run(); });
}

TagTrace run_tags_with(const model::Program& program, const model::RunPlan& plan,
                       const std::function<void(RunState&)>& run_call) {
  check_plan(program, plan);
  TagTrace trace;
  std::set<std::string> tuned;
  for (const model::Valuation& given : plan.calls) {
    TagTrace call;
    RunState state(program, plan, call);
    state.values = call_values(program, given);
    state.path = path_text(plan, given);
    state.tuned = &tuned;
    run_call(state);
    append(trace, std::move(call));
    if (!trace.raised.empty()) break;  // E11
  }
  return trace;
}

}  // namespace bufferproof::simulator
