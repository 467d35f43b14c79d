#include "simulator/why.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "simulator/executor.hpp"
#include "simulator/tag_run_with.hpp"

namespace bufferproof::simulator {

using model::InputError;

namespace {

std::string element_text(const std::string& buffer, const std::vector<std::int64_t>& element) {
  return element.empty() ? buffer : fmt::format("{}[{}]", buffer, fmt::join(element, ","));
}

/// Walks from the output to the nearest fault, breadth first.
class Search {
 public:
  Search(const RunState& state, const Provenance& known) : state_(state), known_(known) {}

  Explanation from(const Provenance::Output& output, std::int64_t ordinal,
                   const std::vector<std::int64_t>& index) {
    const TagId tag = tag_of(output, ordinal);
    WhyLink first{"result", output.where, output.name, index, state_.tags.contributors(tag), "", {}, {}};
    if (const Provenance::Fault* fault = fault_of(output.reader, output.name);
        fault && fault->element == index)
      return finish({first}, *fault);
    for (const WriterId writer : state_.tags[tag].writers) visit(writer, {first});
    while (!open_.empty()) {
      const Road road = std::move(open_.front());
      open_.pop_front();
      const auto reader = known_.readers.find(road.writer);
      if (reader == known_.readers.end()) continue;
      if (!reader->second.faults.empty()) return fault_road(road, *reader->second.faults.begin());
      for (const Provenance::Source& source : reader->second.sources) follow(road, source);
    }
    return {{first}, false, false};
  }

 private:
  struct Road {
    WriterId writer;
    std::vector<WhyLink> links;
  };

  static TagId tag_of(const Provenance::Output& output, std::int64_t ordinal) {
    for (const auto& span : output.spans)
      if (ordinal >= span.first && ordinal < span.last) return span.tag;
    return kUnwritten;
  }
  const Provenance::Fault* fault_of(WriterId reader, const std::string& buffer) const {
    const auto found = known_.readers.find(reader);
    if (found == known_.readers.end()) return nullptr;
    const auto fault = found->second.faults.find(buffer);
    return fault == found->second.faults.end() ? nullptr : &fault->second;
  }
  void visit(WriterId writer, std::vector<WhyLink> links) {
    if (seen_.insert(writer).second) open_.push_back({writer, std::move(links)});
  }
  WhyLink link(WriterId reader, const std::string& buffer) const {
    const Writer& step = state_.tags.writer(reader);
    return {step.name, step.where, buffer, {}, "", "", {}, {}};
  }
  void follow(const Road& road, const Provenance::Source& source) {
    std::vector<WhyLink> links = road.links;
    links.push_back(link(road.writer, source.buffer));
    links.back().writer = state_.tags.writer(source.writer).name;
    visit(source.writer, std::move(links));
  }
  Explanation fault_road(const Road& road,
                         const std::pair<const std::string, Provenance::Fault>& fault) const {
    std::vector<WhyLink> links = road.links;
    links.push_back(link(road.writer, fault.first));
    links.back().element = fault.second.element;
    return finish(std::move(links), fault.second);
  }
  Explanation finish(std::vector<WhyLink> links, const Provenance::Fault& fault) const {
    WhyLink& last = links.back();
    last.writer = fault.writer;
    last.alloc_where = fault.alloc_where;
    for (const WriterId writer : fault.due) {
      if (writer >= state_.tags.writer_count()) continue;  // a producer that never ran
      last.due += (last.due.empty() ? "" : " or ") + state_.tags.writer(writer).name;
      last.due_where = state_.tags.writer(writer).where;
    }
    return {std::move(links), !fault.unknown, fault.unknown};
  }

  const RunState& state_;
  const Provenance& known_;
  std::set<WriterId> seen_;
  std::deque<Road> open_;
};

/// The ordinal of `index` among what was returned; -1 when it is not among it.
std::int64_t ordinal_of(const Provenance::Output& output, const std::vector<std::int64_t>& index) {
  if (index.size() != output.selection.axes.size()) return -1;
  for (std::int64_t ordinal = 0; ordinal < output.selection.count; ++ordinal)
    if (output.selection.index_of(ordinal) == index) return ordinal;
  return -1;
}

model::RunPlan last_call_of(const model::RunPlan& plan) {
  model::RunPlan out = plan;
  if (out.calls.size() > 1) out.calls.erase(out.calls.begin(), out.calls.end() - 1);
  return out;
}

}  // namespace

Explanation explain(const model::Program& program, const model::RunPlan& given, const std::string& output,
                    const std::vector<std::int64_t>& index) {
  model::RunPlan plan = last_call_of(given);
  plan.watch_buffer = output;
  plan.watch_element = index;
  const model::SourceLocation where{std::make_shared<const std::string>(program.file), 0, 0};
  Explanation out;
  bool named = false;
  bool found = false;
  run_tags_with(program, plan, [&](RunState& state) {
    Provenance known;
    state.provenance = &known;
    Executor(state).run();
    for (const Provenance::Output& candidate : known.outputs) {
      named |= candidate.name == output;
      const std::int64_t ordinal = candidate.name == output && !found ? ordinal_of(candidate, index) : -1;
      if (ordinal < 0) continue;
      found = true;
      out = Search(state, known).from(candidate, ordinal, index);
    }
  });
  if (!named) throw InputError(where, "the name of an output this run returns", "'" + output + "'");
  if (!found) throw InputError(where, "an index of an element that is returned", element_text(output, index));
  return out;
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
  if (!explanation.at_fault && !explanation.unknown)
    out += "  everything it can rest on was written by whom the text means\n";
  return out;
}

std::vector<OutputTags> output_tags(const model::Program& program, const model::RunPlan& plan) {
  std::vector<OutputTags> out;
  run_tags_with(program, last_call_of(plan), [&](RunState& state) {
    Provenance known;
    state.provenance = &known;
    Executor(state).run();
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
