// Who depends on whom: the dependence graph of a program, on Boost.Graph.
//
// Vertices are the storages and the steps that touch memory or order them. A flow edge says "may see what
// that step stored", an order edge "runs after it on the device" (streams, events, host). Access sets are not
// looked at: two steps that touch one storage depend on each other, so a cone of influence is never too
// small. Branches are joined; a dependence from one iteration of a loop to the next is an edge marked
// `carried`, left out of the topological order. Tested by tests/model/graph_test.cpp.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <string>
#include <vector>

#include "model/program.hpp"

namespace bufferproof::model {

class DependenceGraph {
 public:
  enum class EdgeKind : std::uint8_t {
    read,    ///< storage -> step
    write,   ///< step -> storage
    flow,    ///< writer -> later reader or partial writer of the same storage
    anti,    ///< reader -> next writer
    output,  ///< writer -> next writer
    order    ///< device order: stream, event, host
  };
  struct Vertex {
    bool storage = false;
    std::string label;           ///< kernel name, "COPY", "result", or the name a storage was allocated under
    const Step* step = nullptr;  ///< of a storage: its allocation
    std::string stream;          ///< of a step that runs on one
  };
  struct Edge {
    EdgeKind kind = EdgeKind::flow;
    bool carried = false;
  };
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Vertex, Edge>;
  using Id = Graph::vertex_descriptor;

  /// Keeps pointers into `program`.
  explicit DependenceGraph(const Program& program);

  const Graph& graph() const { return graph_; }
  std::vector<Id> storages() const;
  /// The steps, in an order in which each stands after everything it depends on within one iteration.
  std::vector<Id> topological_order() const;
  /// Every step whose stores can reach what `step` reads, `step` included; sorted.
  std::vector<Id> cone(Id step) const;
  /// Every step that can see, directly or through others, what `step` stores, `step` included; sorted.
  std::vector<Id> influenced(Id step) const;
  /// `a` is finished before `b` begins, by stream order, events and host synchronisation. Of steps in a loop:
  /// within one iteration. Steps that run on no stream are never ordered by this.
  bool happens_before(Id a, Id b) const;
  /// Vertex of a numbered step; nullopt if it neither touches memory nor orders.
  std::optional<Id> find(int step_id) const;
  /// Graphviz text: storages as boxes, steps as ellipses, deterministic.
  std::string dot() const;

 private:
  friend class GraphBuilder;
  struct Place {
    std::size_t stream = 0;
    std::size_t position = 0;  ///< from 1; 0: on no stream
  };
  Graph graph_;
  std::vector<Place> places_;  ///< by vertex
  std::vector<std::vector<std::size_t>>
      clocks_;  ///< by vertex: what it has seen of each stream, itself included
};

}  // namespace bufferproof::model
