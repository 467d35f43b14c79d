#include "checker/tags.hpp"

#include <algorithm>

#include "checker/cover.hpp"
#include "model/substitute.hpp"

namespace bufferproof::checker {
namespace {

using model::Cond;
using model::Name;
using model::SymExpr;

constexpr int kMostCopies = 32;           ///< length of a chain of copies that is followed
constexpr std::size_t kMostStores = 600;  ///< stores considered for one read

bool is_store(const Event& event) {
  return event.kind == Event::Kind::write || event.kind == Event::Kind::copy ||
         event.kind == Event::Kind::unknown;
}

bool shares_loop(const Place& a, const Place& b) {
  return !a.at_end && !b.at_end && !a.loops.empty() && !b.loops.empty() && a.loops[0].loop == b.loops[0].loop;
}

bool textually_before(const Place& a, const Place& b) {
  if (b.at_end) return true;
  const int x = a.loops.empty() ? a.step : a.loops[0].loop;
  const int y = b.loops.empty() ? b.step : b.loops[0].loop;
  return x != y ? x < y : a.clause < b.clause;
}

}  // namespace

Query query_of(const Access& access, const Ranges& ranges) {
  const Access full = expanded(access);
  return {full.storage, full.address, moment_of(full.place), variables_of(full), digits_of(full, ranges)};
}

bool Tags::collect(int storage, const Query& query, Found& into, int depth) const {
  if (depth > kMostCopies) return false;
  const StorageInfo& info = world_.storages[storage];
  for (const Event& event : info.events) {
    auto hits = last_hits(event, query, world_.ranges);
    if (!hits) return false;
    if (hits->empty()) continue;
    if (is_store(event)) {
      into.stores.insert(into.stores.end(), hits->begin(), hits->end());
    } else {
      into.accumulations.push_back(&event);
    }
    if (into.stores.size() > kMostStores) return false;
  }
  if (info.parent < 0) return true;
  Query at_fork = query;
  at_fork.moment = moment_of(info.forked);
  return collect(info.parent, at_fork, into, depth + 1);
}

std::optional<std::vector<TagCase>> Tags::cases(const Query& query) const { return cases(query, 0); }

std::optional<std::vector<TagCase>> Tags::cases(const Query& query, int depth) const {
  if (depth > kMostCopies) return std::nullopt;
  Found found;
  if (!collect(query.storage, query, found, depth)) return std::nullopt;
  std::vector<TagCase> out;
  for (const Hit& store : found.stores)
    if (!add_case(query, found, &store, out, depth)) return std::nullopt;
  if (!add_case(query, found, nullptr, out, depth)) return std::nullopt;
  return out;
}

/// The case in which `store` (nullptr: none) is the last store: it happened, and every other did not or was
/// earlier.
bool Tags::add_case(const Query& query, const Found& found, const Hit* store, std::vector<TagCase>& out,
                    int depth) const {
  TagCase c;
  if (store) c.when = store->exists;
  for (const Hit& other : found.stores) {
    if (&other == store || c.when.is_false()) continue;
    c.when = c.when && (store ? !other.exists || before(other.moment, store->moment) : !other.exists);
  }
  if (c.when.is_false()) return true;
  c.layers.push_back({query, store ? std::optional(store->moment) : std::nullopt, found.accumulations});
  c.old = old(query, c, store ? store->event : nullptr);
  if (!store) {
    out.push_back(std::move(c));
    return true;
  }
  c.event = store->event;
  if (store->event->kind == Event::Kind::copy) return add_copied(query, std::move(c), *store, out, depth);
  c.unknown = store->event->kind == Event::Kind::unknown;
  c.base = store->writer;
  out.push_back(std::move(c));
  return true;
}

/// A copy moves the tag its source had at that moment.
bool Tags::add_copied(const Query& query, TagCase outer, const Hit& store, std::vector<TagCase>& out,
                      int depth) const {
  const Access& source = world_.copies[static_cast<std::size_t>(store.event->source)].access;
  model::Substitution values;
  for (const auto& [primed, value] : store.values)
    values.insert_or_assign(primed.substr(0, primed.size() - 1), value);
  Query inner{source.storage, source.address.substitute(values), store.moment, query.variables};
  inner.moment.clause = 0;
  auto sources = cases(inner, depth + 1);
  if (!sources) return false;
  for (TagCase& c : *sources) {
    c.when = outer.when && c.when;
    if (c.when.is_false()) continue;
    c.old = outer.old;
    c.layers.insert(c.layers.end(), outer.layers.begin(), outer.layers.end());
    out.push_back(std::move(c));
  }
  return true;
}

Cond Tags::outlived(int storage, int life, const Moment& moment) const {
  Cond out(false);
  for (const Take& take : world_.storages[storage].takes) {
    const Moment when = moment_of(take.place);
    if (take.place.step > life) out = out || (take.guard && before(when, moment));
  }
  return out;
}

/// S4: the element belongs to the life of whatever touched it last, the store or a later accumulation.
Cond Tags::old(const Query& query, const TagCase& c, const Event* store) const {
  if (world_.storages[query.storage].takes.empty()) return false;
  std::vector<std::pair<Hit, Cond>> later;  // accumulations after the store, and when they happen
  for (const Event* event : c.layers[0].events) {
    if (event->kind != Event::Kind::accumulate) continue;
    const auto hits = last_hits(*event, query, world_.ranges);
    if (!hits) continue;  // collect() has decided the same question before
    for (const Hit& hit : *hits)
      later.emplace_back(
          hit, hit.exists && (c.layers[0].since ? before(*c.layers[0].since, hit.moment) : Cond(true)));
  }
  Cond none(true);
  Cond out(false);
  for (const auto& [hit, happens] : later) {
    none = none && !happens;
    Cond last = happens;
    for (const auto& [other, other_happens] : later)
      if (&other != &hit) last = last && (!other_happens || before(other.moment, hit.moment));
    out = out || (last && outlived(query.storage, hit.event->life, query.moment));
  }
  return store ? out || (none && outlived(query.storage, store->life, query.moment)) : out;
}

std::optional<Cond> Tags::contributes(const TagCase& c, const NameTest& test, bool kind_accumulate) const {
  Cond out(false);
  bool decided = true;
  for (const Layer& layer : c.layers)
    for (const Event* event : layer.events) {
      if (kind_accumulate && event->kind != Event::Kind::accumulate) continue;
      auto passes = [&](const Event& primed) {
        auto condition = test(primed.writer);
        decided &= condition.has_value();
        return condition.value_or(Cond(false));
      };
      auto hits = last_hits(*event, layer.query, world_.ranges, passes);
      if (!hits || !decided) return std::nullopt;
      for (const Hit& hit : *hits) {
        const auto counts = counts_then(layer, hit, *event);
        if (!counts) return std::nullopt;
        out = out || (hit.exists && *counts);
      }
    }
  return out;
}

/// After the layer's store, if it has one. What may be stored into an element that nobody defined does not
/// define it (E8): without a store it counts after the first accumulation.
std::optional<Cond> Tags::counts_then(const Layer& layer, const Hit& hit, const Event& event) const {
  if (layer.since) return before(*layer.since, hit.moment);
  if (event.kind != Event::Kind::modify || !event.access.place.loops.empty()) return Cond(true);
  Query then = layer.query;
  then.moment = hit.moment;
  Cond defined(false);
  for (const Event* other : layer.events) {
    if (other->kind != Event::Kind::accumulate) continue;
    const auto earlier = last_hits(*other, then, world_.ranges);
    if (!earlier) return std::nullopt;
    for (const Hit& one : *earlier) defined = defined || one.exists;
  }
  return defined;
}

const Event* Tags::only_store(const Access& access, std::vector<const Event*>* passed) const {
  int storage = access.storage;
  Access wanted = access;
  for (int depth = 0; depth <= kMostCopies; ++depth) {
    const StorageInfo& info = world_.storages[storage];
    if (!info.takes.empty()) return nullptr;
    wanted.storage = storage;
    for (auto event = info.events.rbegin(); event != info.events.rend(); ++event) {
      const bool in_one_loop = shares_loop(event->access.place, wanted.place);
      if (!in_one_loop && !textually_before(event->access.place, wanted.place)) continue;
      if (surely_disjoint(event->access, wanted, world_.ranges)) {
        if (passed) passed->push_back(&*event);
        continue;
      }
      const bool always = event->access.guard.is_true() || event->access.guard == wanted.guard;
      const bool certain = event->kind == Event::Kind::write && always && event->access.place.loops.empty() &&
                           surely_covers(event->access, wanted, world_.ranges);
      return certain ? &*event : nullptr;
    }
    if (info.parent < 0) return nullptr;
    wanted.place = info.forked;
    storage = info.parent;
  }
  return nullptr;
}

}  // namespace bufferproof::checker
