// The search behind explain(): from an element that a step reads back to a read that is at fault.
//
// Breadth first over (step, elements of one result), so the chain found is a shortest one. Elements are
// followed through memory: which earlier store left the bytes, as which elements of its tensor. Tested by
// tests/simulator/why_test.cpp.
#pragma once

#include <set>

#include "simulator/run_state.hpp"
#include "simulator/why.hpp"
#include "simulator/why/launch_map.hpp"

namespace bufferproof::simulator {

/// A store that left bytes for a later read.
struct LeftBytes {
  std::size_t store = 0;  ///< access
  Runs bytes;
};
/// The latest first. `before`: number of the access that reads.
std::vector<LeftBytes> stores_before(const Provenance& known, std::size_t read, Runs bytes);

/// The first read at fault among these bytes of an access; certain ones first.
struct FoundFault {
  const Provenance::Fault* fault = nullptr;
  std::int64_t address = 0;
};
std::optional<FoundFault> fault_in(const Provenance& known, std::size_t read, const Runs& bytes);

/// A link without an element: who reads what.
WhyLink link_of(const RunState& state, const Provenance& known, std::size_t read);
/// Ends a chain at a fault of its last link's read.
void end_at(Explanation& out, const RunState& state, const Provenance::Fault& fault);

class WhySearch {
 public:
  static constexpr std::size_t kMostNodes = 20000;

  /// Beyond `most_nodes` sets of elements the search begins again without bodies (WhyBasis::reads).
  WhySearch(const RunState& state, const Provenance& known, LaunchMaps& maps,
            std::size_t most_nodes = kMostNodes)
      : state_(state), known_(known), maps_(maps), most_nodes_(most_nodes) {}

  /// The chain behind one element of what a step reads, that read's own link included.
  Explanation from(std::size_t read, const Index& element);

 private:
  /// Elements of a step's result that are asked for, and on whose behalf.
  struct Node {
    std::size_t step = 0;
    std::size_t parent = 0;  ///< node
    std::size_t read = 0;    ///< access of the parent's step through which it needs this one
    std::size_t store = 0;   ///< access that left the bytes
    std::size_t result = 0;
    Runs bytes;              ///< of the store
    model::BoxParts wanted;  ///< empty where the step's body cannot be read
  };
  /// Part of what a step reads.
  struct Demand {
    std::size_t read = 0;
    Runs bytes;
    std::optional<model::Box> box;  ///< of the tensor read; nullopt: bytes alone say
    WhyBasis basis = WhyBasis::reads;
    bool exact = true;
  };

  std::optional<Explanation> search(const Demand& root);
  std::optional<Explanation> look(std::size_t node, const std::vector<Demand>& demands) const;
  void follow(std::size_t node, const Demand& demand);
  void visit(std::size_t parent, const Demand& demand, const LeftBytes& left);
  model::BoxParts asked_of(const LaunchMap& map, std::size_t result, const Demand& demand,
                           const LeftBytes& left) const;
  void add_new(Node node, const model::BoxParts& asked);

  std::vector<Demand> demands(const Node& node) const;
  std::vector<Demand> demands_of_body(const Node& node, const LaunchMap& map) const;
  std::vector<Demand> demands_of_copy(const Node& node) const;
  std::vector<Demand> demands_of_reads(const Node& node) const;
  Demand whole(std::size_t read, WhyBasis basis) const;

  // chain.cpp
  Explanation chain(std::size_t node, const Demand& demand, const FoundFault& found) const;
  WhyLink link(std::size_t node, const Demand& demand) const;
  /// The element of the parent's operand that holds what this node computed of an element of its own operand.
  std::optional<Index> element_before(const Node& node, std::size_t read, const Index& element,
                                      bool& exact) const;
  std::optional<Index> element_copied(const Node& node, std::size_t read, const Index& element) const;

  const RunState& state_;
  const Provenance& known_;
  LaunchMaps& maps_;
  const std::size_t most_nodes_;
  bool by_reads_ = false;
  std::vector<Node> nodes_;
  std::map<std::pair<std::size_t, std::size_t>, model::BoxParts> seen_;  ///< per step and result
  std::set<std::size_t> seen_whole_;                                     ///< steps that cannot be read
};

}  // namespace bufferproof::simulator
