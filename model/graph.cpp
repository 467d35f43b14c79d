#include "model/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/topological_sort.hpp>
#include <functional>
#include <set>

namespace bufferproof::model {
namespace {

using Graph = DependenceGraph::Graph;
using Id = DependenceGraph::Id;
using EdgeKind = DependenceGraph::EdgeKind;

bool orders_steps(const DependenceGraph::Edge& edge) {
  return !edge.carried && edge.kind != EdgeKind::read && edge.kind != EdgeKind::write;
}

/// Edges for which `keep` holds, as a graph of their own.
template <typename Keep>
auto only(const Graph& graph, Keep keep) {
  auto pass = [&graph, keep](Graph::edge_descriptor e) { return keep(graph[e]); };
  return boost::filtered_graph<Graph, std::function<bool(Graph::edge_descriptor)>>(graph, pass);
}

/// Vertices that a breadth-first search from `start` meets.
template <typename Searched>
std::vector<Id> reached(const Searched& graph, Id start, std::size_t vertices) {
  std::vector<boost::default_color_type> colors(vertices, boost::white_color);
  auto color_map =
      boost::make_iterator_property_map(colors.begin(), boost::typed_identity_property_map<std::size_t>());
  boost::breadth_first_search(graph, start, boost::color_map(color_map));
  std::vector<Id> out;
  for (Id v = 0; v < vertices; ++v)
    if (colors[v] != boost::white_color) out.push_back(v);
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out;
}

std::string dot_vertex(Id id, const DependenceGraph::Vertex& vertex) {
  if (vertex.storage) return fmt::format("  v{} [shape=box, label=\"{}\"];\n", id, escaped(vertex.label));
  std::string label = escaped(vertex.label);
  if (vertex.step->where.line > 0) label += fmt::format("\\nline {}", vertex.step->where.line);
  if (!vertex.stream.empty()) label += "\\n" + escaped(vertex.stream);
  return fmt::format("  v{} [shape=ellipse, label=\"{}\"];\n", id, label);
}

/// Data edges go through their storage; of the edges between steps only the device order is drawn.
std::string dot_edge(Id from, Id to, const DependenceGraph::Edge& edge) {
  switch (edge.kind) {
    case EdgeKind::read:
    case EdgeKind::write:
      return fmt::format("  v{} -> v{};\n", from, to);
    case EdgeKind::order:
      return fmt::format("  v{} -> v{} [style=dotted, constraint=false];\n", from, to);
    case EdgeKind::flow:
    case EdgeKind::anti:
    case EdgeKind::output:
      return "";
  }
  return "";
}

}  // namespace

std::vector<Id> DependenceGraph::storages() const {
  std::vector<Id> out;
  for (Id v = 0; v < num_vertices(graph_); ++v)
    if (graph_[v].storage) out.push_back(v);
  return out;
}

std::vector<Id> DependenceGraph::topological_order() const {
  std::vector<Id> order;
  auto steps = only(graph_, orders_steps);
  boost::topological_sort(steps, std::back_inserter(order));
  std::reverse(order.begin(), order.end());
  std::erase_if(order, [&](Id v) { return graph_[v].storage; });
  return order;
}

std::vector<Id> DependenceGraph::cone(Id step) const {
  const auto flow = only(graph_, [](const Edge& e) { return e.kind == EdgeKind::flow; });
  return reached(boost::make_reverse_graph(flow), step, num_vertices(graph_));
}

std::vector<Id> DependenceGraph::influenced(Id step) const {
  return reached(only(graph_, [](const Edge& e) { return e.kind == EdgeKind::flow; }), step,
                 num_vertices(graph_));
}

bool DependenceGraph::happens_before(Id a, Id b) const {
  const Place& place = places_[a];
  if (a == b || place.position == 0 || places_[b].position == 0) return false;
  const auto& seen = clocks_[b];
  return place.stream < seen.size() && seen[place.stream] >= place.position;
}

std::optional<Id> DependenceGraph::find(int step_id) const {
  for (Id v = 0; v < num_vertices(graph_); ++v)
    if (!graph_[v].storage && graph_[v].step->id == step_id) return v;
  return std::nullopt;
}

std::string DependenceGraph::dot() const {
  std::string out = "digraph bufferproof {\n  rankdir=TB;\n";
  for (Id v = 0; v < num_vertices(graph_); ++v) out += dot_vertex(v, graph_[v]);
  std::set<std::string> lines;  // one line per pair, sorted: many clauses of a step may touch one storage
  for (auto [e, end] = edges(graph_); e != end; ++e)
    lines.insert(dot_edge(source(*e, graph_), target(*e, graph_), graph_[*e]));
  for (const std::string& line : lines) out += line;
  return out + "}\n";
}

}  // namespace bufferproof::model
