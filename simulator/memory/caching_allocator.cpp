#include "simulator/memory/caching_allocator.hpp"

#include <iterator>
#include <stdexcept>

namespace bufferproof::simulator {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kMinBlockSize = 512;
constexpr std::int64_t kSmallSize = kMiB;
constexpr std::int64_t kSmallBuffer = 2 * kMiB;
constexpr std::int64_t kLargeBuffer = 20 * kMiB;
constexpr std::int64_t kMinLargeAlloc = 10 * kMiB;
constexpr std::int64_t kRoundLarge = 2 * kMiB;

std::int64_t round_up(std::int64_t bytes, std::int64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

}  // namespace

std::int64_t CachingAllocator::round_size(std::int64_t bytes) {
  return bytes < kMinBlockSize ? kMinBlockSize : round_up(bytes, kMinBlockSize);
}

std::int64_t CachingAllocator::segment_size(std::int64_t rounded) {
  if (rounded <= kSmallSize) return kSmallBuffer;
  return rounded < kMinLargeAlloc ? kLargeBuffer : round_up(rounded, kRoundLarge);
}

MemoryBlock CachingAllocator::allocate(std::int64_t bytes, const std::string& stream) {
  if (bytes == 0) return {};
  const std::int64_t size = round_size(bytes);
  const Pool pool = size <= kSmallSize ? Pool::small : Pool::large;
  Place place = find_free(pool, stream, size);
  if (place.first < 0) place = new_segment(pool, stream, size);
  list(place, false);
  blocks_.at(place).free = false;
  split(place, size);
  const std::int64_t given = blocks_.at(place).size;
  in_use_ += given;
  return {place.first, place.second, given};
}

/// The smallest block of this stream that fits; of equal ones the first in memory.
CachingAllocator::Place CachingAllocator::find_free(Pool pool, const std::string& stream, std::int64_t size) {
  const std::set<Free>& candidates = free_[static_cast<int>(pool)];
  const auto best = candidates.lower_bound({stream, size, 0, 0});
  if (best == candidates.end() || std::get<0>(*best) != stream) return {-1, 0};
  return {std::get<2>(*best), std::get<3>(*best)};
}

CachingAllocator::Place CachingAllocator::new_segment(Pool pool, const std::string& stream,
                                                      std::int64_t size) {
  const Place place{static_cast<int>(segments_.size()), 0};
  segments_.push_back(segment_size(size));
  reserved_ += segments_.back();
  blocks_[place] = {segments_.back(), true, pool, stream};
  list(place, true);
  return place;
}

/// should_split: a rest of 512 bytes is worth keeping in the small pool, one above 1 MiB in the large pool.
void CachingAllocator::split(Place place, std::int64_t size) {
  Block& block = blocks_.at(place);
  const std::int64_t rest = block.size - size;
  if (block.pool == Pool::small ? rest < kMinBlockSize : rest <= kSmallSize) return;
  block.size = size;
  const Place behind{place.first, place.second + size};
  blocks_[behind] = {rest, true, block.pool, block.stream};
  list(behind, true);
}

void CachingAllocator::list(Place place, bool listed) {
  const Block& block = blocks_.at(place);
  const Free entry{block.stream, block.size, place.first, place.second};
  std::set<Free>& candidates = free_[static_cast<int>(block.pool)];
  if (listed) candidates.insert(entry);
  if (!listed) candidates.erase(entry);
}

void CachingAllocator::release(const MemoryBlock& block) {
  if (block.segment < 0) return;
  Place place{block.segment, block.offset};
  const auto found = blocks_.find(place);
  if (found == blocks_.end() || found->second.free || found->second.size != block.size)
    throw std::invalid_argument("release of memory that is not handed out");
  in_use_ -= block.size;
  found->second.free = true;
  merge_with_next(place);
  if (found != blocks_.begin()) {
    const auto before = std::prev(found);
    if (before->first.first == place.first && before->second.free) {
      place = before->first;
      list(place, false);
      merge_with_next(place);
    }
  }
  list(place, true);
}

/// `place` is free and not listed; its successor, if free, becomes part of it.
void CachingAllocator::merge_with_next(Place place) {
  const auto block = blocks_.find(place);
  const auto next = std::next(block);
  if (next == blocks_.end() || next->first.first != place.first || !next->second.free) return;
  if (free_[static_cast<int>(next->second.pool)].count(
          {next->second.stream, next->second.size, next->first.first, next->first.second}))
    list(next->first, false);
  block->second.size += next->second.size;
  blocks_.erase(next);
}

}  // namespace bufferproof::simulator
