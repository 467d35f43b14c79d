#include "kernels_ref/gemm/scratch.hpp"

#include <array>
#include <memory>
#include <new>

#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Free {
  void operator()(std::byte* block) const { ::operator delete[](block, kAlignment); }
};

struct Block {
  std::unique_ptr<std::byte[], Free> bytes;
  std::int64_t size = 0;
};

thread_local std::array<Block, kScratchUses> blocks;

}  // namespace

namespace detail {

void* scratch_bytes(ScratchUse use, std::int64_t count, std::int64_t element_size) {
  Block& block = blocks[static_cast<std::size_t>(use)];
  std::int64_t bytes = 0;
  const bool fits = count >= 0 && !__builtin_mul_overflow(count, element_size, &bytes);
  if (fits && bytes <= block.size) return block.bytes.get();
  block = {};
  try {
    if (!fits) throw std::bad_alloc();
    block.bytes.reset(static_cast<std::byte*>(::operator new[](static_cast<std::size_t>(bytes), kAlignment)));
  } catch (const std::bad_alloc&) {
    throw KernelError("gemm", "scratch", "operands that fit this machine's memory",
                      std::to_string(count) + " elements");
  }
  block.size = bytes;
  return block.bytes.get();
}

}  // namespace detail

void release_scratch() { blocks = {}; }

}  // namespace bufferproof::kernels
