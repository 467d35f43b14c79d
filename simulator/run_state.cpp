#include "simulator/run_state.hpp"

#include <fmt/format.h>

#include "simulator/evaluate.hpp"

namespace bufferproof::simulator {

using model::Block;
using model::InputError;
using model::Name;
using model::SourceLocation;
using model::Step;

namespace {

constexpr std::int64_t kMostWork = std::int64_t{1} << 28;

/// Streams as written; a name with holes counts as several.
void collect_streams(const Block& block, std::set<std::string>& streams) {
  auto add = [&](const Name& name) {
    streams.insert(name.str());
    if (name.has_holes()) streams.insert(name.str() + "'");
  };
  for (const Step& step : block) {
    if (const auto* launch = std::get_if<model::Launch>(&step.node)) add(launch->stream);
    if (const auto* copy = std::get_if<model::Copy>(&step.node)) add(copy->stream);
    if (const auto* r = std::get_if<model::Return>(&step.node); r && !r->after_everything) add(r->stream);
    if (const auto* branch = std::get_if<model::Branch>(&step.node)) {
      collect_streams(branch->then_block, streams);
      collect_streams(branch->else_block, streams);
    }
    if (const auto* loop = std::get_if<model::Loop>(&step.node)) collect_streams(loop->body, streams);
  }
}

}  // namespace

RunState::RunState(const model::Program& p, const model::RunPlan& r, TagTrace& t)
    : program(p), plan(r), trace(t) {
  std::set<std::string> streams;
  collect_streams(program.body, streams);
  several_streams = streams.size() > 1;
}

bool RunState::reported(model::FindingClass kind, const std::string& buffer,
                        const std::string& reader) const {
  return seen_.count({kind, buffer, reader}) > 0;
}

void RunState::report(model::Finding finding) {
  if (!seen_.emplace(finding.kind, finding.buffer, finding.reader).second) return;
  finding.path = path;
  trace.findings.push_back(std::move(finding));
}

void RunState::report_watched(model::Finding finding) {
  for (model::Finding& old : trace.findings)
    if (old.kind == finding.kind && old.buffer == finding.buffer && old.reader == finding.reader) {
      finding.path = path;
      old = std::move(finding);
      return;
    }
  report(std::move(finding));
}

void RunState::report_unknown(model::Finding finding) {
  if (!seen_unknown_.emplace(finding.buffer, finding.reader).second) return;
  finding.path = path;
  finding.rests_on_unknown = true;
  trace.rests_on_unknown.push_back(std::move(finding));
}

void RunState::unsupported(const SourceLocation& where, const std::string& what) {
  std::string line = fmt::format("{}: {}", where.str(), what);
  if (seen_unsupported_.insert(line).second) trace.unsupported.push_back(std::move(line));
}

void RunState::charge(std::int64_t work, const SourceLocation& where) {
  if (work > kMostWork - work_)
    throw InputError(where, "a run of at most 2^28 accesses to ranges of memory", "more",
                     "this is too large to simulate; give smaller values to --size");
  work_ += work;
}

std::string RunState::text(const Name& name, const SourceLocation& where) const {
  return resolve(name, values, where);
}

}  // namespace bufferproof::simulator
