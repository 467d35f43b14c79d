#include "simulator/clocks.hpp"

#include <algorithm>

namespace bufferproof::simulator {
namespace {

constexpr StreamId kHost = 0;

}  // namespace

StreamId Clocks::id(const std::string& stream) {
  const auto [found, fresh] = ids_.emplace(stream, static_cast<StreamId>(clocks_.size()));
  if (fresh) clocks_.emplace_back();
  return found->second;
}

void Clocks::join(Clock& into, const Clock& other) {
  if (into.size() < other.size()) into.resize(other.size(), 0);
  for (std::size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

// C4
Epoch Clocks::issue(const std::string& stream) {
  const StreamId s = id(stream);
  if (s != kHost) join(clocks_[s], Clock(clocks_[kHost]));
  Clock& clock = clocks_[s];
  if (clock.size() <= s) clock.resize(s + 1, 0);
  return {s, ++clock[s]};
}

void Clocks::signal(const std::string& event, const std::string& stream) {
  events_[event] = clocks_[id(stream)];
}

void Clocks::wait(const std::string& event, const std::string& stream) {
  if (auto found = events_.find(event); found != events_.end()) join(clocks_[id(stream)], found->second);
}

void Clocks::host_sync(const std::string& stream) {
  const Clock seen = clocks_[id(stream)];
  join(clocks_[kHost], seen);
}

bool Clocks::ordered(const Epoch& earlier, const Epoch& now) const {
  return earlier.time <= at(clocks_[now.stream], earlier.stream);
}

AccessTable::Id AccessTable::after(Id before, const Access& access, const Clocks& clocks) {
  std::vector<Access> next;
  for (const Access& old : sets_[before]) {
    const bool repeated = old.epoch.stream == access.epoch.stream && old.kind == access.kind;
    const bool covered = access.kind == AccessKind::write && clocks.ordered(old.epoch, access.epoch);
    if (!repeated && !covered) next.push_back(old);
  }
  next.push_back(access);
  sets_.push_back(std::move(next));
  return static_cast<Id>(sets_.size() - 1);
}

bool conflict(AccessKind a, AccessKind b) {
  if (a == AccessKind::read && b == AccessKind::read) return false;
  return !(a == AccessKind::accumulate && b == AccessKind::accumulate);
}

}  // namespace bufferproof::simulator
