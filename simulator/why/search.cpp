#include "simulator/why/search.hpp"

#include <algorithm>

namespace bufferproof::simulator {

using model::Box;
using model::BoxPart;
using model::BoxParts;
using Access = Provenance::Access;
using Kind = Provenance::Kind;

namespace {

/// Bytes a store left of these.
Runs left_by(const Access& store, const Runs& bytes) {
  if (!store.handle.known_layout) return bytes;  // all of a storage of unknown size
  Runs out = intersection(bytes, runs_of(store.selection, store.unit));
  for (const Selection& hole : store.left_out) out = difference(out, runs_of(hole, store.unit));
  return out;
}

/// Bytes [lo, hi) of `from`'s elements as bytes of `to`'s, which pair up in order.
Runs moved(const Access& from, const Access& to, const Runs& bytes) {
  Runs out;
  const std::int64_t span = from.selection.span * from.unit;
  const std::int64_t to_span = to.selection.span * to.unit;
  for_each_pair(from.selection, to.selection, {}, [&](std::int64_t a, std::int64_t b, std::int64_t n) {
    const Runs run{{a * from.unit, a * from.unit + n * span}};
    for (const ByteRun& piece : intersection(bytes, run)) {
      const std::int64_t first = (piece.lo - run[0].lo) / span;
      const std::int64_t last = (piece.hi - run[0].lo + span - 1) / span;
      out.push_back({b * to.unit + first * to_span, b * to.unit + last * to_span});
    }
  });
  std::sort(out.begin(), out.end(), [](const ByteRun& x, const ByteRun& y) { return x.lo < y.lo; });
  return out;
}

}  // namespace

std::vector<LeftBytes> stores_before(const Provenance& known, std::size_t read, Runs bytes) {
  std::vector<LeftBytes> out;
  const auto& stores = known.stores_to(known.accesses[read].handle.storage.get());
  for (auto at = std::lower_bound(stores.begin(), stores.end(), read);
       at != stores.begin() && !bytes.empty();) {
    const Access& store = known.accesses[*--at];
    Runs left = left_by(store, bytes);
    if (left.empty()) continue;
    if (store.kind != Kind::may_write) bytes = difference(bytes, left);
    out.push_back({*at, std::move(left)});
  }
  return out;
}

std::optional<FoundFault> fault_in(const Provenance& known, std::size_t read, const Runs& bytes) {
  std::optional<FoundFault> out;
  const Access& access = known.accesses[read];
  for (const Provenance::Fault& fault : known.steps[access.step].faults) {
    if (fault.buffer != access.buffer || (out && (fault.unknown || !out->fault->unknown))) continue;
    const Runs met = intersection(bytes, {fault.run});
    if (!met.empty()) out = FoundFault{&fault, met[0].lo};
  }
  return out;
}

Explanation WhySearch::from(std::size_t read, const Index& element) {
  Demand root = whole(read, WhyBasis::positions);
  if (const auto place = maps_.place(known_.accesses[read]); place && place->sizes.size() == element.size()) {
    const std::int64_t address = place->address(element);
    root.bytes = {{address, address + place->element}};
    root.box = element_box(element);
  }
  auto found = search(root);
  if (!found && nodes_.size() >= most_nodes_) {
    by_reads_ = true;
    found = search(root);
  }
  if (found) return std::move(*found);
  Explanation out;
  out.links.push_back(link(0, root));
  out.links.back().element = element;
  return out;
}

std::optional<Explanation> WhySearch::search(const Demand& root) {
  seen_.clear();
  seen_whole_.clear();
  nodes_ = {Node{known_.accesses[root.read].step, 0, root.read, 0, 0, {}, {}}};
  std::vector<Demand> wanted{root};
  for (std::size_t node = 0;; wanted = demands(nodes_[node])) {
    if (auto found = look(node, wanted)) return found;
    for (const Demand& demand : wanted) follow(node, demand);
    if (++node >= nodes_.size() || (!by_reads_ && nodes_.size() >= most_nodes_)) return std::nullopt;
  }
}

std::optional<Explanation> WhySearch::look(std::size_t node, const std::vector<Demand>& demands) const {
  const Demand* where = nullptr;
  std::optional<FoundFault> found;
  for (const Demand& demand : demands) {
    if (found && !found->fault->unknown) break;
    const auto here = fault_in(known_, demand.read, demand.bytes);
    if (!here || (found && here->fault->unknown)) continue;
    found = here;
    where = &demand;
  }
  if (!found) return std::nullopt;
  return chain(node, *where, *found);
}

void WhySearch::follow(std::size_t node, const Demand& demand) {
  for (const LeftBytes& left : stores_before(known_, demand.read, demand.bytes)) visit(node, demand, left);
}

void WhySearch::visit(std::size_t parent, const Demand& demand, const LeftBytes& left) {
  const Access& store = known_.accesses[left.store];
  Node node{store.step, parent, demand.read, left.store, 0, left.bytes, {}};
  const LaunchMap* map = store.kind == Kind::write && !by_reads_ ? maps_.of(store.step) : nullptr;
  const auto named = map ? std::find(map->outputs.begin(), map->outputs.end(), store.buffer)
                         : decltype(map->outputs.end()){};
  if (map && named != map->outputs.end() &&
      static_cast<std::size_t>(named - map->outputs.begin()) < map->body.results.size()) {
    node.result = static_cast<std::size_t>(named - map->outputs.begin());
    const BoxParts asked = asked_of(*map, node.result, demand, left);
    return add_new(std::move(node), asked);
  }
  // A copy is as exact as its bytes; of a body that cannot be read everything counts, once.
  if ((store.kind == Kind::copy && !by_reads_) || seen_whole_.insert(store.step).second)
    nodes_.push_back(std::move(node));
}

/// Bytes that a store left, as elements of the result it stored.
BoxParts WhySearch::asked_of(const LaunchMap& map, std::size_t result, const Demand& demand,
                             const LeftBytes& left) const {
  const model::TensorType& type = map.body.type(map.body.results[result]);
  const auto place = maps_.place(known_.accesses[left.store]);
  std::vector<std::int64_t> sizes;
  for (const model::SymExpr& size : type.shape) sizes.push_back(size.constant().value_or(0));
  if (!place || place->sizes != sizes) return {{model::full_box(type.shape), false}};
  const auto from = maps_.place(known_.accesses[demand.read]);
  if (from && demand.box && *from == *place && left.bytes == demand.bytes)
    return {{*demand.box, demand.exact}};
  if (from && demand.box)
    if (auto box = translated(*from, *demand.box, *place)) {
      bool exact = true;
      if (runs_of(*place, *box, exact) == left.bytes && exact) return {{std::move(*box), demand.exact}};
    }
  BoxParts out = elements_in(*place, left.bytes);
  for (BoxPart& part : out) part.exact = part.exact && demand.exact;
  return out;
}

/// Elements that have been asked for already lead where they led before.
void WhySearch::add_new(Node node, const BoxParts& asked) {
  BoxParts& seen = seen_[{node.step, node.result}];
  const model::TensorFunction& body = maps_.of(node.step)->body;
  for (const BoxPart& part : asked) {
    const bool known = std::any_of(seen.begin(), seen.end(),
                                   [&](const BoxPart& old) { return model::contains(old.box, part.box); });
    if (!known) node.wanted.push_back(part);
  }
  for (const BoxPart& part : node.wanted) add_elements(seen, part, body.type(body.results[node.result]));
  if (!node.wanted.empty()) nodes_.push_back(std::move(node));
}

WhySearch::Demand WhySearch::whole(std::size_t read, WhyBasis basis) const {
  const Access& access = known_.accesses[read];
  Demand out;
  out.read = read;
  out.basis = basis;
  out.bytes = access.handle.known_layout ? runs_of(access.selection, access.unit) : Runs{{0, kUnknownSize}};
  return out;
}

std::vector<WhySearch::Demand> WhySearch::demands(const Node& node) const {
  const Access& store = known_.accesses[node.store];
  if (store.kind == Kind::copy && !by_reads_) return demands_of_copy(node);
  if (!node.wanted.empty()) return demands_of_body(node, *maps_.of(node.step));
  return demands_of_reads(node);
}

std::vector<WhySearch::Demand> WhySearch::demands_of_reads(const Node& node) const {
  std::vector<Demand> out;
  for (const std::size_t read : known_.steps[node.step].reads) out.push_back(whole(read, WhyBasis::reads));
  return out;
}

std::vector<WhySearch::Demand> WhySearch::demands_of_body(const Node& node, const LaunchMap& map) const {
  std::vector<Demand> out;
  const std::vector<BoxParts> read = elements_read(map.body, node.result, node.wanted);
  for (std::size_t p = 0; p < std::min(read.size(), map.parameters.size()); ++p) {
    if (map.parameters[p].empty() || read[p].empty()) continue;
    const auto access = maps_.read_of(node.step, map.parameters[p]);
    if (!access) return demands_of_reads(node);  // the road reads it under another name
    const auto place = maps_.place(known_.accesses[*access]);
    const model::TensorType& type = map.body.type(map.body.parameters[p]);
    if (!place || place->sizes.size() != type.rank()) {
      out.push_back(whole(*access, WhyBasis::positions));
      out.back().exact = false;
      continue;
    }
    for (const BoxPart& part : read[p]) {
      Demand demand{*access, {}, part.box, WhyBasis::positions, part.exact};
      demand.bytes = runs_of(*place, part.box, demand.exact);
      out.push_back(std::move(demand));
    }
  }
  return out;
}

std::vector<WhySearch::Demand> WhySearch::demands_of_copy(const Node& node) const {
  const Access& store = known_.accesses[node.store];
  const Access& source = known_.accesses[store.source];
  Demand out = whole(store.source, WhyBasis::positions);
  if (store.selection.count == source.selection.count) {
    out.bytes = moved(store, source, node.bytes);
  } else {
    out.exact = false;
  }
  return {out};
}

}  // namespace bufferproof::simulator
