// What the search found, as links from the output to the fault.
#include <algorithm>

#include "simulator/why/search.hpp"

namespace bufferproof::simulator {

using Access = Provenance::Access;

WhyLink link_of(const RunState& state, const Provenance& known, std::size_t read) {
  const Access& access = known.accesses[read];
  const Writer& step = state.tags.writer(known.steps[access.step].writer);
  WhyLink out;
  out.step = step.name;
  out.where = step.where;
  out.buffer = access.buffer;
  return out;
}

void end_at(Explanation& out, const RunState& state, const Provenance::Fault& fault) {
  WhyLink& last = out.links.back();
  last.writer = fault.writer;
  last.alloc_where = fault.alloc_where;
  for (const WriterId writer : fault.due) {
    if (writer >= state.tags.writer_count()) continue;  // a producer that never ran
    last.due += (last.due.empty() ? "" : " or ") + state.tags.writer(writer).name;
    last.due_where = state.tags.writer(writer).where;
  }
  out.at_fault = !fault.unknown;
  out.unknown = fault.unknown;
}

WhyLink WhySearch::link(std::size_t, const Demand& demand) const {
  WhyLink out = link_of(state_, known_, demand.read);
  out.basis = demand.basis;
  out.exact = demand.exact;
  for (const LeftBytes& left : stores_before(known_, demand.read, demand.bytes)) {
    const std::string& writer =
        state_.tags.writer(known_.steps[known_.accesses[left.store].step].writer).name;
    if (out.writer.empty()) out.writer = writer;
  }
  return out;
}

/// From the fault backwards to the root, then turned round: elements are known at the fault.
Explanation WhySearch::chain(std::size_t number, const Demand& demand, const FoundFault& found) const {
  Explanation out;
  std::size_t read = demand.read;
  const auto place = maps_.place(known_.accesses[read]);
  std::optional<Index> element = place ? place->at(found.address) : std::nullopt;
  bool exact = demand.exact;
  for (bool last = true;; last = false) {
    const Node& node = nodes_[number];
    WhyLink link = link_of(state_, known_, read);
    link.element = element.value_or(Index{});
    link.basis = number != 0 && node.wanted.empty() &&
                         (by_reads_ || known_.accesses[node.store].kind != Provenance::Kind::copy)
                     ? WhyBasis::reads
                     : WhyBasis::positions;
    link.exact = exact;
    if (!last) link.writer = out.links.back().step;
    out.links.push_back(std::move(link));
    if (number == 0) break;
    element = element ? element_before(node, read, *element, exact) : std::nullopt;
    read = node.read;
    number = node.parent;
  }
  std::reverse(out.links.begin(), out.links.end());
  end_at(out, state_, *found.fault);
  return out;
}

std::optional<Index> WhySearch::element_before(const Node& node, std::size_t read, const Index& element,
                                               bool& exact) const {
  const Access& store = known_.accesses[node.store];
  const auto to = maps_.place(known_.accesses[node.read]);
  if (!to) return std::nullopt;
  if (store.kind == Provenance::Kind::copy) return element_copied(node, read, element);
  const LaunchMap* map = node.wanted.empty() ? nullptr : maps_.of(node.step);
  const auto place = maps_.place(store);
  if (!map || !place) return std::nullopt;
  for (std::size_t p = 0; p < map->parameters.size(); ++p) {
    if (map->parameters[p] != known_.accesses[read].buffer) continue;
    for (const model::BoxPart& reached : elements_reached(map->body, p, element, node.result))
      for (const model::BoxPart& wanted : node.wanted) {
        model::Box both = reached.box;
        bool clipped = reached.exact && wanted.exact;
        for (std::size_t axis = 0; axis < both.axes.size(); ++axis)
          both.axes[axis] = model::clip(both.axes[axis], wanted.box.axes[axis].begin,
                                        wanted.box.axes[axis].end, {}, clipped);
        for (const Index& index : elements_of(both, 64))
          if (auto at = to->at(place->address(index))) {
            exact = exact && clipped;
            return at;
          }
      }
  }
  return std::nullopt;
}

/// Copies pair up elements in order.
std::optional<Index> WhySearch::element_copied(const Node& node, std::size_t read,
                                               const Index& element) const {
  const Access& store = known_.accesses[node.store];
  const Access& source = known_.accesses[read];
  const auto from = maps_.place(source);
  const auto to = maps_.place(known_.accesses[node.read]);
  if (!from || !to || store.selection.count != source.selection.count) return std::nullopt;
  const std::int64_t address = from->address(element);
  std::optional<Index> out;
  for_each_pair(source.selection, store.selection, {}, [&](std::int64_t a, std::int64_t b, std::int64_t n) {
    const std::int64_t span = source.selection.span * source.unit;
    const std::int64_t number = (address - a * source.unit) / span;
    if (address < a * source.unit || number >= n) return;
    out = to->at((b + number * store.selection.span) * store.unit);
  });
  return out;
}

}  // namespace bufferproof::simulator
