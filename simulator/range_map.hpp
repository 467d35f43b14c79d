// A map from addresses to small numbers, cheap while neighbours agree.
//
// Ranges of equal values are one entry; when entries get as many as addresses, the map turns into an array
// and back into ranges once it is overwritten whole. Addresses are units of a storage, [0, size).
// Tested by tests/simulator/range_map_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace bufferproof::simulator {

class RangeMap {
 public:
  using Value = std::uint32_t;

  explicit RangeMap(std::int64_t size = 0, Value value = 0);
  std::int64_t size() const { return size_; }

  /// Ranges are clipped to [0, size) by the caller; lo <= hi.
  void assign(std::int64_t lo, std::int64_t hi, Value value);
  /// f(lo, hi, value) for the largest pieces of one value inside [lo, hi), in order.
  template <typename F>
  void for_each(std::int64_t lo, std::int64_t hi, F&& f) const;
  /// value := f(value) on [lo, hi).
  template <typename F>
  void update(std::int64_t lo, std::int64_t hi, F&& f);
  /// Every address becomes `factor` addresses; what then lies beyond `size` is cut off.
  void scale(std::int64_t factor, std::int64_t size);
  std::size_t pieces() const { return is_array() ? array_.size() : starts_.size(); }

 private:
  struct Piece {
    std::int64_t lo;
    std::int64_t hi;
    Value value;
  };
  bool is_array() const { return !array_.empty(); }
  void turn_into_array_if_many();
  std::map<std::int64_t, Value>::const_iterator piece_of(std::int64_t address) const {
    return std::prev(starts_.upper_bound(address));
  }

  std::int64_t size_ = 0;
  std::map<std::int64_t, Value> starts_;  ///< start of a piece -> its value; the next start ends it
  std::vector<Value> array_;              ///< not empty: holds everything, starts_ is empty
};

template <typename F>
void RangeMap::for_each(std::int64_t lo, std::int64_t hi, F&& f) const {
  if (lo >= hi) return;
  if (is_array()) {
    while (lo < hi) {
      std::int64_t end = lo + 1;
      const Value value = array_[static_cast<std::size_t>(lo)];
      while (end < hi && array_[static_cast<std::size_t>(end)] == value) ++end;
      f(lo, end, value);
      lo = end;
    }
    return;
  }
  for (auto piece = piece_of(lo); lo < hi; ++piece) {
    const auto next = std::next(piece);
    const std::int64_t end = next == starts_.end() ? hi : std::min(hi, next->first);
    f(lo, end, piece->second);
    lo = end;
  }
}

template <typename F>
void RangeMap::update(std::int64_t lo, std::int64_t hi, F&& f) {
  std::vector<Piece> changes;
  for_each(lo, hi, [&](std::int64_t from, std::int64_t to, Value old) {
    if (const Value value = f(old); value != old) changes.push_back({from, to, value});
  });
  for (const Piece& change : changes) assign(change.lo, change.hi, change.value);
}

}  // namespace bufferproof::simulator
