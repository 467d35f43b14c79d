#include "cli/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace bufferproof::cli {
namespace {

using Graph = model::DependenceGraph::Graph;
using Id = model::DependenceGraph::Id;

/// FNV-1a, 64 bits: the same on every machine.
std::uint64_t hash(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325U) {
  for (const unsigned char c : text) seed = (seed ^ c) * 0x100000001b3U;
  return seed;
}

/// "buf12" and "buf13" are one name to a fingerprint: a compiler counts through.
std::string without_numbers(const std::string& name) {
  std::string out;
  for (const unsigned char c : name)
    if (!std::isdigit(c)) out += static_cast<char>(c);
  return out;
}

/// What feeds a step says what it is; what merely runs before it on its stream does not.
bool is_data(const model::DependenceGraph::Edge& edge) {
  using EdgeKind = model::DependenceGraph::EdgeKind;
  return edge.kind == EdgeKind::read || edge.kind == EdgeKind::write || edge.kind == EdgeKind::flow;
}

/// One round of colour refinement over data edges: own colour, sorted colours before, sorted colours after.
std::vector<std::uint64_t> refine(const Graph& graph, const std::vector<std::uint64_t>& colours) {
  std::vector<std::uint64_t> out(colours.size());
  for (Id v = 0; v < colours.size(); ++v) {
    std::vector<std::uint64_t> before;
    std::vector<std::uint64_t> after;
    for (auto [e, end] = in_edges(v, graph); e != end; ++e)
      if (is_data(graph[*e])) before.push_back(colours[source(*e, graph)]);
    for (auto [e, end] = out_edges(v, graph); e != end; ++e)
      if (is_data(graph[*e])) after.push_back(colours[target(*e, graph)]);
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    out[v] = hash(fmt::format("{}<{}>{}", colours[v], fmt::join(before, ","), fmt::join(after, ",")));
  }
  return out;
}

/// Which axes start at zero; sizes change too often to be part of a name.
std::string element_class(const std::vector<std::int64_t>& element) {
  std::string out;
  for (const std::int64_t index : element) out += index == 0 ? '0' : '+';
  return out;
}

}  // namespace

Fingerprints::Fingerprints(const model::Program& program) : graph_(program) {
  const Graph& graph = graph_.graph();
  for (Id v = 0; v < num_vertices(graph); ++v)
    colours_.push_back(hash((graph[v].storage ? "buffer " : "step ") + without_numbers(graph[v].label)));
  for (int round = 0; round < 2; ++round) colours_ = refine(graph, colours_);
}

std::string Fingerprints::around(const model::Finding& finding) const {
  const Graph& graph = graph_.graph();
  for (Id v = 0; v < colours_.size(); ++v)
    if (!graph[v].storage && graph[v].step->where.line == finding.where.line &&
        graph[v].step->where.column == finding.where.column)
      return std::to_string(colours_[v]);
  return "";
}

std::string Fingerprints::of(const model::Finding& finding) const {
  const std::string text =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", model::name(finding.kind), finding.rule, finding.buffer,
                  finding.reader, finding.writer, element_class(finding.element), around(finding));
  return fmt::format("{:016x}", hash(text));
}

}  // namespace bufferproof::cli
