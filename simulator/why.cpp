#include "simulator/why.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "simulator/executor.hpp"
#include "simulator/tag_run_with.hpp"
#include "simulator/why/value_walk.hpp"

namespace bufferproof::simulator {

using model::InputError;

namespace {

std::string element_text(const std::string& buffer, const std::vector<std::int64_t>& element) {
  return element.empty() ? buffer : fmt::format("{}[{}]", buffer, fmt::join(element, ","));
}

/// One variable per axis, from 0 on.
bool is_whole(const Selection& selection) {
  if (!selection.listed.empty() || selection.counts.size() != selection.axes.size()) return false;
  for (std::size_t axis = 0; axis < selection.axes.size(); ++axis) {
    if (selection.axes[axis].constant != 0) return false;
    for (std::size_t v = 0; v < selection.counts.size(); ++v)
      if (selection.axes[axis].coefficients[v] != (v == axis ? 1 : 0)) return false;
  }
  return true;
}

/// Whether `index` is among the elements of a selection.
bool selects(const Selection& selection, const Index& index) {
  if (index.size() != selection.axes.size()) return false;
  if (is_whole(selection)) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      if (index[axis] < 0 || index[axis] >= selection.counts[axis]) return false;
    return true;
  }
  for (std::int64_t ordinal = 0; ordinal < selection.count; ++ordinal)
    if (selection.index_of(ordinal) == index) return true;
  return false;
}

/// Those of the readers that stand on the way, as readers or as writers.
std::vector<model::Finding> misreads(const std::vector<model::Finding>& findings,
                                     const std::vector<WhyLink>& links) {
  std::vector<model::Finding> out;
  for (const model::Finding& finding : findings) {
    const bool misread =
        finding.kind == model::FindingClass::mismatch || finding.kind == model::FindingClass::oob;
    const bool on_the_way = std::any_of(links.begin(), links.end(), [&](const WhyLink& link) {
      return link.step == finding.reader || link.writer.starts_with(finding.reader);
    });
    if (misread && on_the_way) out.push_back(finding);
  }
  return out;
}

/// Runs the plan's calls; f(state, provenance) sees the last one. Earlier ones matter where kernels tune
/// (E10).
template <typename F>
void look_at_last_call(const model::Program& program, const model::RunPlan& plan, F&& f) {
  std::size_t call = 0;
  run_tags_with(program, plan, [&](RunState& state) {
    Provenance known;
    const bool last = ++call == plan.calls.size();
    if (last) state.provenance = &known;
    Executor(state).run();
    if (last) f(state, known);
  });
}

}  // namespace

Explanation explain(const model::Program& program, const model::RunPlan& plan, const std::string& output,
                    const std::vector<std::int64_t>& index, const WhyValues* values) {
  const model::SourceLocation where{std::make_shared<const std::string>(program.file), 0, 0};
  std::optional<Explanation> out;
  bool named = false;
  look_at_last_call(program, plan, [&](const RunState& state, const Provenance& known) {
    LaunchMaps maps(program, known);
    for (const Provenance::Output& candidate : known.outputs) {
      named |= candidate.name == output;
      if (candidate.name != output || out || !selects(known.accesses[candidate.read].selection, index))
        continue;
      out = values ? ValueWalk(state, known, maps, *values).from(candidate.read, index)
                   : WhySearch(state, known, maps).from(candidate.read, index);
      out->misread = misreads(state.trace.findings, out->links);
    }
  });
  if (!named) throw InputError(where, "the name of an output this run returns", "'" + output + "'");
  if (!out) throw InputError(where, "an index of an element that is returned", element_text(output, index));
  return *out;
}

std::string text(const Explanation& explanation) {
  std::string out;
  for (std::size_t i = 0; i < explanation.links.size(); ++i) {
    const WhyLink& link = explanation.links[i];
    const bool last = i + 1 == explanation.links.size();
    out += fmt::format("{}{} ({}) reads {}", i == 0 ? "" : "  which ", link.step, link.where.str(),
                       element_text(link.buffer, link.element));
    if (!last || !(explanation.at_fault || explanation.unknown)) {
      out += fmt::format(", written by {}\n", link.writer);
      continue;
    }
    if (explanation.unknown) out += ", left unknown by a call whose effects are not known";
    if (explanation.at_fault)
      out +=
          link.writer.empty() ? ", which nothing has written" : fmt::format(", written by {}", link.writer);
    if (!link.due.empty()) out += fmt::format("; due from {} ({})", link.due, link.due_where.str());
    out += fmt::format("; memory of {}\n", link.alloc_where.str());
  }
  if (!explanation.at_fault && !explanation.unknown) out += "  " + innocent_text(explanation) + "\n";
  return out;
}

std::string innocent_text(const Explanation& explanation) {
  if (explanation.misread.empty()) return "everything it can rest on was written by whom the text means";
  const model::Finding& first = explanation.misread.front();
  return fmt::format(
      "what it rests on was written by whom the text means, but {} ({}): what that gives is not followed",
      first.message, first.where.str());
}

std::vector<OutputTags> output_tags(const model::Program& program, const model::RunPlan& plan) {
  std::vector<OutputTags> out;
  look_at_last_call(program, plan, [&](const RunState& state, const Provenance& known) {
    for (const Provenance::Output& output : known.outputs) {
      OutputTags tags{output.name, output.sizes, {}};
      for (const auto& span : output.spans) {
        std::string text = TagTable::is_unwritten(span.tag) ? "unwritten"
                           : state.tags[span.tag].unknown   ? "unknown"
                                                            : state.tags.contributors(span.tag);
        tags.spans.push_back({span.first, span.last, std::move(text)});
      }
      out.push_back(std::move(tags));
    }
  });
  return out;
}

}  // namespace bufferproof::simulator
