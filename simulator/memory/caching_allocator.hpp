// Which block of device memory an allocation gets: PyTorch's caching allocator, as address arithmetic.
//
// Rounding to 512 bytes; a small pool (requests up to 1 MiB, segments of 2 MiB) and a large pool (segments of
// 20 MiB, from 10 MiB on the request rounded to 2 MiB); per stream the smallest free block that fits, ties by
// address; the rest is split off when it is worth keeping; freed blocks merge with free neighbours of their
// segment. Constants and rules: c10/cuda/CUDACachingAllocator.cpp (kMinBlockSize, kSmallSize, kSmallBuffer,
// kLargeBuffer, kMinLargeAlloc, kRoundLarge; should_split; BlockComparatorSize), which
// NPUCachingAllocator.cpp follows. Not modelled: max_split_size, garbage collection, expandable segments, out
// of memory. Holds no bytes: a block is (segment, offset), so that leftovers are whatever its owner kept
// there. Tested by tests/simulator/caching_allocator_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace bufferproof::simulator {

/// A piece of a segment handed out.
struct MemoryBlock {
  int segment = -1;
  std::int64_t offset = 0;
  std::int64_t size = 0;  ///< bytes, rounded up from what was asked for
  friend bool operator==(const MemoryBlock&, const MemoryBlock&) = default;
};

class CachingAllocator {
 public:
  /// bytes >= 0; nothing is allocated for 0 (segment -1).
  MemoryBlock allocate(std::int64_t bytes, const std::string& stream);
  /// Raises std::invalid_argument for a block that is not handed out.
  void release(const MemoryBlock& block);

  /// Sizes of the segments asked from the device so far.
  const std::vector<std::int64_t>& segments() const { return segments_; }
  std::int64_t bytes_in_use() const { return in_use_; }
  std::int64_t bytes_reserved() const { return reserved_; }

  static std::int64_t round_size(std::int64_t bytes);
  static std::int64_t segment_size(std::int64_t rounded);

 private:
  enum class Pool : std::uint8_t { small, large };
  struct Block {
    std::int64_t size = 0;
    bool free = false;
    Pool pool = Pool::small;
    std::string stream;
  };
  using Place = std::pair<int, std::int64_t>;                             ///< segment, offset
  using Free = std::tuple<std::string, std::int64_t, int, std::int64_t>;  ///< stream, size, segment, offset

  Place find_free(Pool pool, const std::string& stream, std::int64_t size);
  Place new_segment(Pool pool, const std::string& stream, std::int64_t size);
  void split(Place place, std::int64_t size);
  void list(Place place, bool listed);
  void merge_with_next(Place place);

  std::vector<std::int64_t> segments_;
  std::map<Place, Block> blocks_;  ///< neighbours in a segment are neighbours here
  std::set<Free> free_[2];
  std::int64_t in_use_ = 0;
  std::int64_t reserved_ = 0;
};

}  // namespace bufferproof::simulator
