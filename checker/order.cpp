#include "checker/order.hpp"

#include <fmt/format.h>

#include "checker/address.hpp"
#include "checker/cover.hpp"
#include "model/substitute.hpp"

namespace bufferproof::checker {
namespace {

using model::Cond;
using model::Name;
using model::SymExpr;

const Name kHost("host");

int top_position(const Place& place) { return place.loops.empty() ? place.step : place.loops[0].loop; }

/// Who has seen one access finish, while walking forward from it.
class Seen {
 public:
  Seen(Name stream, bool& decided) : decided_(decided) { streams_.push_back({std::move(stream), true}); }

  Cond by(const Name& stream) {
    Cond out(false);
    for (const auto& [name, when] : streams_) {
      auto same = same_name(name, stream);
      decided_ &= same.has_value();
      if (same) out = out || (*same && when);
    }
    return out;
  }

  void pass(const Sync& sync) {
    switch (sync.kind) {
      case Sync::Kind::launch:
        launch(sync);
        break;
      case Sync::Kind::signal:
        signals_.push_back({sync.event, sync.guard, by(sync.stream)});
        break;
      case Sync::Kind::wait:
        add(sync.stream, sync.guard && last_record_of(sync.event));
        break;
      case Sync::Kind::hostsync:
        add(kHost, sync.guard && by(sync.stream));
        break;
    }
  }

 private:
  /// A launch starts after whatever the host has seen.
  void launch(const Sync& sync) {
    const Cond host = by(kHost);
    if (host.is_false() || sync.stream == kHost) return;
    decided_ &= sync.place.loops.empty();
    add(sync.stream, sync.guard && host);
  }

  struct Signal {
    Name event;
    Cond guard;
    Cond covers;  ///< the access, where the guard holds
  };

  /// Whether the last record of the event comes after the access. Names are equal where their holes are.
  Cond last_record_of(const Name& event) {
    Cond covers(false);
    for (const Signal& signal : signals_) {
      const auto same = same_name(signal.event, event);
      decided_ &= same.has_value();
      const Cond here = signal.guard && same.value_or(Cond(false));
      covers = (here && signal.covers) || (!here && covers);
    }
    return covers;
  }

  void add(const Name& stream, const Cond& when) {
    if (!when.is_false()) streams_.push_back({stream, when});
  }

  bool& decided_;
  std::vector<std::pair<Name, Cond>> streams_;
  std::vector<Signal> signals_;
};

bool conflict(const StreamAccess& a, const StreamAccess& b) {
  using Kind = StreamAccess::Kind;
  if (a.access.storage != b.access.storage) return false;
  if (a.kind == Kind::read && b.kind == Kind::read) return false;
  return !(a.kind == Kind::accumulate && b.kind == Kind::accumulate);
}

/// The earlier access with its variables renamed apart from the later one's.
StreamAccess apart(const StreamAccess& a) {
  StreamAccess out = a;
  const model::Substitution by = rename_apart(out.access);
  out.stream = out.stream.substitute(by);
  return out;
}

/// What lies outside the storage is not carried out (C5).
Cond inside(const World& world, const Access& access) {
  const auto& size = world.storages[static_cast<std::size_t>(access.storage)].size;
  if (access.spans_storage || !size) return true;
  return Cond::le(0, access.address) && Cond::lt(access.address, *size);
}

/// Reverse: a loop in which the later access textually precedes the earlier one still has earlier iterations.
bool may_precede(const StreamAccess& a, const StreamAccess& b) {
  const int x = top_position(a.access.place);
  const int y = top_position(b.access.place);
  if (x != y) return x < y;
  return a.access.place.step < b.access.place.step || !a.access.place.loops.empty();
}

/// Between two accesses only what stands between them matters.
Cond happens_before(const World& world, const StreamAccess& a, const StreamAccess& b, bool& decided) {
  Seen seen(a.stream, decided);
  const int from = top_position(a.access.place);
  const int to = top_position(b.access.place);
  for (const Sync& sync : world.syncs) {
    const int at = top_position(sync.place);
    if (at > from && at < to) seen.pass(sync);
  }
  return seen.by(b.stream) || seen.by(kHost);
}

/// `b` says which element is reported, so it has to be one that `a` touches.
Cond overlap(const World& world, const Access& a, const Access& b) {
  if (a.spans_storage) return true;
  return same_address(a.address, variables_of(a), b.address, variables_of(b), world.ranges);
}

/// `b`: the later access, written out.
Question question_of(const StreamAccess& earlier, const StreamAccess& later, const Access& b,
                     const Cond& wrong) {
  Question q;
  q.kind = model::FindingClass::race;
  q.rule = "C4";
  q.buffer = later.buffer;
  q.reader = later.actor;
  q.where = later.where;
  q.step = b.place.step;
  q.wrong = wrong;
  q.running = b.running;
  q.element = logical(b);
  q.storage = b.storage;
  if (!earlier.actor.has_holes()) q.writer = earlier.actor;
  q.writer_where = earlier.where;
  return q;
}

/// Both happen, and to one element of the storage.
Cond meet(const World& world, const Access& a, const Access& b) {
  return instance_condition(a) && instance_condition(b) && overlap(world, a, b) && inside(world, a) &&
         inside(world, b);
}

}  // namespace

Judged judge(const World& world, const Meeting& meeting) {
  Judged out;
  const Access b = expanded(meeting.later.access);
  const StreamAccess a = apart(meeting.earlier);
  const Cond wrong = surely_disjoint(a.access, b, world.ranges) ? Cond(false) : meet(world, a.access, b);
  out.by_algebra = wrong.is_false();
  if (out.by_algebra) return out;
  Question q = question_of(meeting.earlier, meeting.later, b, wrong);
  const bool one = meeting.earlier.buffer == meeting.later.buffer;
  q.message = fmt::format("shares memory with {}, and {} works on their elements in no order",
                          one ? "itself" : meeting.earlier.buffer, meeting.later.actor.str());
  (meeting.may ? out.rests_on_unknown : out.questions).push_back(std::move(q));
  return out;
}

std::optional<std::vector<Question>> races(const World& world) {
  std::vector<Question> questions;
  bool decided = true;
  for (const StreamAccess& later : world.stream_accesses)
    for (const StreamAccess& earlier : world.stream_accesses) {
      if (!conflict(earlier, later) || !may_precede(earlier, later)) continue;
      if (surely_disjoint(earlier.access, later.access, world.ranges)) continue;
      const StreamAccess a = apart(earlier);
      const Access b = expanded(later.access);
      Cond wrong = before(moment_of(a.access.place), moment_of(b.place));
      if (a.access.place.step == b.place.step) {
        // Clauses of one launch are one step of one stream.
        Moment x = moment_of(a.access.place);
        Moment y = moment_of(b.place);
        x.clause = y.clause = 0;
        wrong = before(x, y);
      }
      if (wrong.is_false()) continue;
      wrong = wrong && !happens_before(world, a, later, decided);
      wrong = wrong && meet(world, a.access, b);
      if (wrong.is_false()) continue;
      Question q = question_of(earlier, later, b, wrong);
      q.message = "is not ordered after " + earlier.actor.str();
      questions.push_back(std::move(q));
    }
  return decided ? std::optional(questions) : std::nullopt;
}

}  // namespace bufferproof::checker
