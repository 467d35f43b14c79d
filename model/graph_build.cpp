// Builds the dependence graph: one walk over the text, names resolved to the storages they may stand for.
//
// Branches are walked from the same state and joined; a loop body is walked once, and what its end leaves is
// met by its beginning through edges marked `carried`. A handle moved in one iteration is followed within
// that iteration only. Tested by tests/model/graph_test.cpp.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "model/graph.hpp"

namespace bufferproof::model {

using Id = DependenceGraph::Id;
using EdgeKind = DependenceGraph::EdgeKind;
using Storages = std::set<Id>;

namespace {

/// What is known at one point of the text. Handles, because `point` is seen by every name of a handle.
struct State {
  struct Users {
    std::set<Id> writers;  ///< since the storage's last writer: that one (several after a branch)
    std::set<Id> readers;  ///< since then
  };
  std::map<Name, int> handle_of;        ///< by name as written
  std::map<int, Storages> storages_of;  ///< by handle
  std::map<Id, Users> users;            ///< by storage
};

template <typename T>
void unite(std::set<T>& into, const std::set<T>& from) {
  into.insert(from.begin(), from.end());
}

void join(State& into, const State& other) {
  for (const auto& [name, handle] : other.handle_of) into.handle_of.emplace(name, handle);
  for (const auto& [handle, storages] : other.storages_of) unite(into.storages_of[handle], storages);
  for (const auto& [storage, users] : other.users) {
    unite(into.users[storage].writers, users.writers);
    unite(into.users[storage].readers, users.readers);
  }
}

}  // namespace

class GraphBuilder {
 public:
  explicit GraphBuilder(DependenceGraph& out) : out_(out) {}

  void walk(const Block& block) {
    for (const Step& step : block) {
      step_ = &step;
      std::visit(*this, step.node);
    }
  }

  void operator()(const Alloc& s) {
    const Id storage = vertex({true, s.name.str(), step_, ""});
    move_name(s.name, {storage});
  }
  void operator()(const View& s) { move_name(s.name, storages(s.base)); }
  void operator()(const Bind& s) {
    const auto found = state_.handle_of.find(s.source);
    if (found == state_.handle_of.end()) return;
    if (s.kind != Bind::Kind::new_handle && s.kind != Bind::Kind::take) {
      state_.handle_of[s.name] = found->second;
    } else {
      move_name(s.name, storages(s.source));
    }
  }
  void operator()(const Point& s) {
    const auto found = state_.handle_of.find(s.handle);
    if (found == state_.handle_of.end()) return;
    // A name with holes stands for several handles: they may stay where they are.
    if (s.handle.has_holes()) {
      unite(state_.storages_of[found->second], storages(s.target));
    } else {
      state_.storages_of[found->second] = storages(s.target);
    }
  }
  void operator()(const Launch& s) {
    const Id at = on_stream(s.kernel.str(), s.stream);
    for (const Variant& variant : s.variants) access(at, variant);
    if (!s.variants.empty()) return;
    for (const Argument& argument : s.arguments)
      if (!argument.scalar) touch(at, argument.handle, false);
    for (const Name& output : s.outputs) touch(at, output, true);
  }
  void operator()(const Copy& s) {
    const Id at = on_stream("COPY", s.stream);
    touch(at, s.source, false);
    touch(at, s.destination, true);
  }
  void operator()(const Signal& s) {
    signalled_[s.event.str()] = on_stream("signal " + s.event.str(), s.stream);
  }
  void operator()(const Wait& s) {
    const Id at = on_stream("wait " + s.event.str(), s.stream);
    if (auto found = signalled_.find(s.event.str()); found != signalled_.end()) order(found->second, at);
  }
  void operator()(const HostSync& s) {
    const Id at = on_stream("hostsync " + s.stream.str(), "host");
    if (auto found = last_.find(s.stream.str()); found != last_.end()) order(found->second, at);
  }
  void operator()(const Branch& s) {
    const State before = state_;
    walk(s.then_block);
    State after_then = std::exchange(state_, before);
    walk(s.else_block);
    join(state_, after_then);
  }
  void operator()(const Loop& s) {
    const std::size_t first = accesses_.size();
    const State before = state_;
    walk(s.body);
    carry(first);
    join(state_, before);
  }
  void operator()(const Return& s) {
    const Id at = s.after_everything ? vertex({false, "result", step_, ""}) : on_stream("result", s.stream);
    for (const Return::Item& item : s.items) touch(at, item.name, false);
  }
  void operator()(const Unsupported& s) {
    const Id at = vertex({false, s.what, step_, ""});
    for (const Name& name : s.touched) touch(at, name, true);
  }
  void operator()(const Free&) {}
  void operator()(const AssertLayout&) {}

 private:
  struct Touch {
    Id step;
    Id storage;
    bool writes;
  };

  Id vertex(const DependenceGraph::Vertex& v) {
    const Id id = add_vertex(v, out_.graph_);
    out_.places_.emplace_back();
    out_.clocks_.emplace_back();
    return id;
  }

  void edge(Id from, Id to, EdgeKind kind, bool carried = false) {
    if (from != to || carried) add_edge(from, to, {kind, carried}, out_.graph_);
  }

  void order(Id before, Id after) {
    edge(before, after, EdgeKind::order);
    auto& clock = out_.clocks_[after];
    const auto& seen = out_.clocks_[before];
    clock.resize(std::max(clock.size(), seen.size()));
    for (std::size_t i = 0; i < seen.size(); ++i) clock[i] = std::max(clock[i], seen[i]);
  }

  /// A step at the end of a stream; whatever the host did earlier precedes it.
  Id on_stream(const std::string& label, const Name& stream) {
    const std::string text = stream.str();
    const Id at = vertex({false, label, step_, text});
    const std::size_t index = stream_index_.emplace(text, stream_index_.size()).first->second;
    if (auto host = last_.find("host"); host != last_.end()) order(host->second, at);
    if (auto found = last_.find(text); found != last_.end() && text != "host") order(found->second, at);
    auto& clock = out_.clocks_[at];
    clock.resize(std::max(clock.size(), index + 1));
    out_.places_[at] = {index, ++clock[index]};
    last_[text] = at;
    return at;
  }

  void move_name(const Name& name, const Storages& to) {
    const auto known = state_.handle_of.find(name);
    const bool several = name.has_holes() && known != state_.handle_of.end();
    const int handle = several ? known->second : next_handle_++;
    state_.handle_of[name] = handle;
    unite(state_.storages_of[handle], to);
    names_have_holes_ = names_have_holes_ || name.has_holes();
  }

  /// What a name may stand for: its own text, and every name whose holes may make the same text.
  Storages storages(const Name& name) {
    Storages out;
    const auto own = state_.handle_of.find(name);
    if (own != state_.handle_of.end()) unite(out, state_.storages_of[own->second]);
    if (!name.has_holes() && (own != state_.handle_of.end() || !names_have_holes_)) return out;
    for (const auto& [other, handle] : state_.handle_of)
      if (const auto same = same_name(name, other); !same || !same->is_false())
        unite(out, state_.storages_of[handle]);
    return out;
  }

  void access(Id at, const Variant& variant) {
    for (const Clause& clause : variant.clauses) {
      // A store may be partial, and an atomic one reads: both see what is there.
      if (clause.kind != Clause::Kind::write) touch(at, clause.buffer, false);
      if (clause.kind != Clause::Kind::read) touch(at, clause.buffer, true);
    }
    for (const Rebind& rebind : variant.rebinds) touch(at, rebind.handle, true);
  }

  void touch(Id at, const Name& name, bool writes) {
    for (const Id storage : storages(name)) {
      accesses_.push_back({at, storage, writes});
      State::Users& users = state_.users[storage];
      edge(writes ? at : storage, writes ? storage : at, writes ? EdgeKind::write : EdgeKind::read);
      for (const Id writer : users.writers) edge(writer, at, EdgeKind::flow);
      if (!writes) {
        users.readers.insert(at);
        continue;
      }
      for (const Id writer : users.writers) edge(writer, at, EdgeKind::output);
      for (const Id reader : users.readers) edge(reader, at, EdgeKind::anti);
      users.writers = {at};
      users.readers.clear();
    }
  }

  /// Within a loop a step sees what any step of the body stored in an earlier iteration.
  void carry(std::size_t first) {
    std::map<Id, Id> last_writer;
    for (std::size_t i = first; i < accesses_.size(); ++i)
      if (accesses_[i].writes) last_writer[accesses_[i].storage] = accesses_[i].step;
    for (std::size_t i = first; i < accesses_.size(); ++i) {
      const auto found = last_writer.find(accesses_[i].storage);
      if (found != last_writer.end()) edge(found->second, accesses_[i].step, EdgeKind::flow, true);
    }
  }

  DependenceGraph& out_;
  const Step* step_ = nullptr;
  State state_;
  std::vector<Touch> accesses_;
  std::map<std::string, Id> last_;       ///< by stream
  std::map<std::string, Id> signalled_;  ///< by event
  std::map<std::string, std::size_t> stream_index_;
  int next_handle_ = 0;
  bool names_have_holes_ = false;
};

DependenceGraph::DependenceGraph(const Program& program) { GraphBuilder(*this).walk(program.body); }

}  // namespace bufferproof::model
