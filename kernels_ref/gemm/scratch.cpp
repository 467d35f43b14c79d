#include "kernels_ref/gemm/scratch.hpp"

#include <array>
#include <limits>

#include "kernels_ref/gemm/huge_memory.hpp"

namespace bufferproof::kernels {
namespace {

struct Block {
  HugeArray<std::byte> bytes;
  std::int64_t size = 0;
};

thread_local std::array<Block, kScratchUses> blocks;

}  // namespace

namespace detail {

void* scratch_bytes(ScratchUse use, std::int64_t count, std::int64_t element_size) {
  Block& block = blocks[static_cast<std::size_t>(use)];
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, element_size, &bytes)) bytes = std::numeric_limits<std::int64_t>::max();
  if (bytes > block.size) {
    block = {};
    block.bytes = kernels::allocate_huge<std::byte>(bytes);
    block.size = bytes;
  }
  return block.bytes.get();
}

}  // namespace detail

void release_scratch() { blocks = {}; }

}  // namespace bufferproof::kernels
