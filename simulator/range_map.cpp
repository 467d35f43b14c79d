#include "simulator/range_map.hpp"

#include <algorithm>

namespace bufferproof::simulator {
namespace {

constexpr std::size_t kFewPieces = 1024;
constexpr std::int64_t kLargestArray = std::int64_t{1} << 27;
/// A tree node costs about as much as this many array entries.
constexpr std::int64_t kEntriesPerNode = 12;

}  // namespace

RangeMap::RangeMap(std::int64_t size, Value value) : size_(size) { starts_.emplace(0, value); }

void RangeMap::assign(std::int64_t lo, std::int64_t hi, Value value) {
  if (lo >= hi) return;
  if (lo == 0 && hi == size_) {
    array_.clear();
    starts_.clear();
    starts_.emplace(0, value);
    return;
  }
  if (is_array()) {
    std::fill(array_.begin() + lo, array_.begin() + hi, value);
    return;
  }
  const Value behind = piece_of(std::min(hi, size_ - 1))->second;
  auto end = starts_.lower_bound(hi);
  const bool starts_at_hi = end != starts_.end() && end->first == hi;
  if (!starts_at_hi && hi < size_ && behind != value) end = starts_.emplace_hint(end, hi, behind);
  if (starts_at_hi && end->second == value) ++end;
  const bool joins_left = lo > 0 && piece_of(lo - 1)->second == value;
  starts_.erase(starts_.lower_bound(lo), end);
  if (!joins_left) starts_.emplace(lo, value);
  turn_into_array_if_many();
}

void RangeMap::turn_into_array_if_many() {
  if (starts_.size() < kFewPieces || size_ > kLargestArray) return;
  if (static_cast<std::int64_t>(starts_.size()) * kEntriesPerNode < size_) return;
  std::vector<Value> array(static_cast<std::size_t>(size_));
  for_each(0, size_, [&](std::int64_t lo, std::int64_t hi, Value value) {
    std::fill(array.begin() + lo, array.begin() + hi, value);
  });
  starts_.clear();
  array_ = std::move(array);
}

void RangeMap::scale(std::int64_t factor, std::int64_t size) {
  RangeMap scaled(size);
  for_each(0, size_, [&](std::int64_t lo, std::int64_t, Value value) {
    if (lo < (size + factor - 1) / factor) scaled.starts_[lo * factor] = value;
  });
  *this = std::move(scaled);
}

}  // namespace bufferproof::simulator
