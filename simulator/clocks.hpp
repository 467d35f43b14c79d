// Order of launches on streams by vector clocks, and the accesses a storage element remembers (C4).
//
// A launch sees what its stream has seen, what the host has seen when it is issued, and what the events it
// waited for had seen. Tested by tests/simulator/rules_test.cpp (C4).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/diagnostic.hpp"

namespace bufferproof::simulator {

using StreamId = std::uint32_t;

/// One launch: the n-th thing that happened on its stream.
struct Epoch {
  StreamId stream = 0;
  std::int64_t time = 0;
};

class Clocks {
 public:
  Clocks() { id("host"); }
  /// Something is issued on `stream` (it joins what the host has seen) and gets its own time.
  Epoch issue(const std::string& stream);
  void signal(const std::string& event, const std::string& stream);
  /// An event nobody signalled has no effect.
  void wait(const std::string& event, const std::string& stream);
  void host_sync(const std::string& stream);
  /// Whether `earlier` is over when the launch `now` runs. `now` is the newest of its stream.
  bool ordered(const Epoch& earlier, const Epoch& now) const;

 private:
  using Clock = std::vector<std::int64_t>;
  StreamId id(const std::string& stream);
  static void join(Clock& into, const Clock& other);
  static std::int64_t at(const Clock& clock, StreamId stream) {
    return stream < clock.size() ? clock[stream] : 0;
  }

  std::map<std::string, StreamId> ids_;
  std::vector<Clock> clocks_;
  std::map<std::string, Clock> events_;
};

enum class AccessKind : std::uint8_t { read, write, accumulate };

/// The accesses of an element that a later one may conflict with. Per stream and kind only the last one
/// counts, and a plain write replaces what is over by then: whoever is unordered with that is unordered with
/// the write as well.
class AccessTable {
 public:
  using Id = std::uint32_t;  ///< 0: no access yet

  struct Access {
    Epoch epoch;
    AccessKind kind;
    std::uint32_t step;  ///< index into the steps that accessed, for reports
  };
  AccessTable() : sets_(1) {}
  const std::vector<Access>& operator[](Id id) const { return sets_[id]; }
  Id after(Id before, const Access& access, const Clocks& clocks);

 private:
  std::vector<std::vector<Access>> sets_;
};

/// Two accesses conflict: at least one writes, and not both accumulate.
bool conflict(AccessKind a, AccessKind b);

}  // namespace bufferproof::simulator
