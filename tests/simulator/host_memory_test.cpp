// Pieces of regions: nothing overlaps, what is free is used again, no more is held than allowed.
#include "simulator/memory/host_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace bufferproof::simulator {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;

TEST(HostMemory, PiecesOfAFreedBlockServeSmallerOnes) {
  if (kernels::kWatchedMemory) GTEST_SKIP() << "every block is watched alone";
  HostMemory memory;
  std::byte* const large = memory.take(8 * kMiB, kNoLimit);
  memory.give_back(large);
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(memory.take(kMiB, kNoLimit));
  EXPECT_EQ(memory.held(), 8 * kMiB);
  for (std::byte* block : blocks) memory.give_back(block);
  EXPECT_EQ(memory.take(8 * kMiB, kNoLimit), large);  // merged again
}

TEST(HostMemory, GivesBackWhatTheAllowanceDoesNotCover) {
  if (kernels::kWatchedMemory) GTEST_SKIP() << "every block is watched alone";
  HostMemory memory;
  std::byte* const first = memory.take(8 * kMiB, kNoLimit);
  memory.give_back(first);
  std::byte* const part = memory.take(2 * kMiB, kNoLimit);  // 6 MiB of the region are free
  std::byte* const other = memory.take(7 * kMiB, 10 * kMiB);
  EXPECT_EQ(memory.held(), 9 * kMiB);  // the free part's pages are gone
  std::memset(other, 1, 7 * kMiB);
  std::byte* const again = memory.take(6 * kMiB, 20 * kMiB);
  EXPECT_EQ(again, part + 2 * kMiB);
  EXPECT_EQ(memory.held(), 15 * kMiB);
  std::memset(again, 2, 6 * kMiB);
  for (std::byte* block : {part, other, again}) memory.give_back(block);
  memory.take(16 * kMiB, 16 * kMiB);
  EXPECT_EQ(memory.held(), 16 * kMiB);  // whole regions are gone
}

/// Every block keeps its bytes while it lives, in any order of taking and giving back.
TEST(HostMemory, NothingOverlaps) {
  struct Block {
    std::byte* bytes;
    std::int64_t size;
    int mark;
  };
  HostMemory memory;
  std::mt19937 random(5);
  std::vector<Block> blocks;
  std::int64_t live = 0;
  std::int64_t peak = 0;
  for (int step = 0; step < 3000; ++step) {
    if (blocks.empty() || (random() % 2 == 0 && blocks.size() < 40)) {
      const auto size =
          static_cast<std::int64_t>(random() % 3 == 0 ? random() % (2 * kMiB) : random() % 5000);
      peak = std::max(peak, live + size);
      std::byte* const bytes = memory.take(size, peak);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes) % 64, 0U);
      std::memset(bytes, step % 251, static_cast<std::size_t>(size));
      blocks.push_back({bytes, size, step % 251});
      live += size;
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const Block block = blocks.back();
      blocks.pop_back();
      for (std::int64_t i = 0; i < block.size; i += std::max<std::int64_t>(1, block.size / 7))
        ASSERT_EQ(std::to_integer<int>(block.bytes[i]), block.mark);
      memory.give_back(block.bytes);
      live -= block.size;
    }
    // Pieces below the size that is given back, and lines that sizes are rounded to.
    ASSERT_LE(memory.held(), peak + 80 * (1 << 16)) << step;
  }
  for (const Block& block : blocks) memory.give_back(block.bytes);
}

}  // namespace
}  // namespace bufferproof::simulator
