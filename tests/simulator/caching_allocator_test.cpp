// The allocator model: sizes and reuse as c10's caching allocator has them.
#include "simulator/memory/caching_allocator.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bufferproof::simulator {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

TEST(CachingAllocator, SizesAreRounded) {
  EXPECT_EQ(CachingAllocator::round_size(1), 512);
  EXPECT_EQ(CachingAllocator::round_size(512), 512);
  EXPECT_EQ(CachingAllocator::round_size(513), 1024);
  EXPECT_EQ(CachingAllocator::segment_size(512), 2 * kMiB);
  EXPECT_EQ(CachingAllocator::segment_size(kMiB), 2 * kMiB);
  EXPECT_EQ(CachingAllocator::segment_size(kMiB + 512), 20 * kMiB);
  EXPECT_EQ(CachingAllocator::segment_size(10 * kMiB), 10 * kMiB);
  EXPECT_EQ(CachingAllocator::segment_size(11 * kMiB), 12 * kMiB);
}

TEST(CachingAllocator, SmallRequestsShareASegment) {
  CachingAllocator memory;
  const MemoryBlock a = memory.allocate(100, "s0");
  const MemoryBlock b = memory.allocate(600, "s0");
  EXPECT_EQ(a, (MemoryBlock{0, 0, 512}));
  EXPECT_EQ(b, (MemoryBlock{0, 512, 1024}));
  EXPECT_EQ(memory.segments(), std::vector<std::int64_t>{2 * kMiB});
  EXPECT_EQ(memory.bytes_in_use(), 1536);
}

TEST(CachingAllocator, AFreedBlockIsHandedOutAgain) {
  CachingAllocator memory;
  const MemoryBlock a = memory.allocate(4096, "s0");
  memory.allocate(512, "s0");
  memory.release(a);
  EXPECT_EQ(memory.allocate(4000, "s0"), a);
}

TEST(CachingAllocator, TheSmallestBlockThatFitsIsTaken) {
  CachingAllocator memory;
  const MemoryBlock large = memory.allocate(8192, "s0");
  memory.allocate(512, "s0");
  const MemoryBlock small = memory.allocate(2048, "s0");
  memory.allocate(512, "s0");
  memory.release(large);
  memory.release(small);
  EXPECT_EQ(memory.allocate(2048, "s0"), small);
  EXPECT_EQ(memory.allocate(1024, "s0"), (MemoryBlock{0, large.offset, 1024}));  // split
}

TEST(CachingAllocator, LargeBlocksKeepSmallRests) {
  CachingAllocator memory;
  const MemoryBlock a = memory.allocate(19 * kMiB + 512 * 1024, "s0");  // a segment of 20 MiB of its own
  EXPECT_EQ(a.size, 20 * kMiB);                                         // the rest is not worth splitting off
  const MemoryBlock b = memory.allocate(3 * kMiB, "s0");
  const MemoryBlock c = memory.allocate(3 * kMiB, "s0");
  EXPECT_EQ(b, (MemoryBlock{1, 0, 3 * kMiB}));
  EXPECT_EQ(c, (MemoryBlock{1, 3 * kMiB, 3 * kMiB}));
}

TEST(CachingAllocator, StreamsDoNotShareFreeBlocks) {
  CachingAllocator memory;
  const MemoryBlock a = memory.allocate(512, "s0");
  memory.release(a);
  EXPECT_EQ(memory.allocate(512, "s1").segment, 1);
  EXPECT_EQ(memory.allocate(512, "s0"), a);
}

TEST(CachingAllocator, NeighboursMerge) {
  CachingAllocator memory;
  const MemoryBlock a = memory.allocate(512, "s0");
  const MemoryBlock b = memory.allocate(512, "s0");
  const MemoryBlock c = memory.allocate(512, "s0");
  memory.release(a);
  memory.release(c);
  memory.release(b);
  EXPECT_EQ(memory.allocate(kMiB, "s0"), (MemoryBlock{0, 0, kMiB}));
  EXPECT_EQ(memory.segments().size(), 1U);
}

TEST(CachingAllocator, MisuseIsRefusedAndNothingIsAllocatedForNothing) {
  CachingAllocator memory;
  EXPECT_EQ(memory.allocate(0, "s0"), MemoryBlock{});
  memory.release({});
  const MemoryBlock a = memory.allocate(512, "s0");
  memory.release(a);
  EXPECT_THROW(memory.release(a), std::invalid_argument);
  EXPECT_THROW(memory.release({7, 0, 512}), std::invalid_argument);
}

TEST(CachingAllocator, BlocksNeverOverlapAndEverythingComesBack) {
  CachingAllocator memory;
  std::mt19937 random(3);
  std::vector<MemoryBlock> live;
  for (int round = 0; round < 5000; ++round) {
    if (!live.empty() && random() % 2) {
      const std::size_t at = random() % live.size();
      memory.release(live[at]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    const std::int64_t bytes = 1 + static_cast<std::int64_t>(random() % (random() % 4 ? 5000 : 15'000'000));
    const MemoryBlock block = memory.allocate(bytes, random() % 3 ? "s0" : "s1");
    ASSERT_GE(block.size, bytes);
    ASSERT_LE(block.offset + block.size, memory.segments().at(static_cast<std::size_t>(block.segment)));
    for (const MemoryBlock& other : live)
      ASSERT_TRUE(other.segment != block.segment || other.offset + other.size <= block.offset ||
                  block.offset + block.size <= other.offset);
    live.push_back(block);
  }
  for (const MemoryBlock& block : live) memory.release(block);
  EXPECT_EQ(memory.bytes_in_use(), 0);
}

}  // namespace
}  // namespace bufferproof::simulator
