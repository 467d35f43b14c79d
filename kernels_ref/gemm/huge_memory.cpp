#include "kernels_ref/gemm/huge_memory.hpp"

#include <cstdlib>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "kernels_ref/kernel_error.hpp"

#if defined(__linux__)
#define BUFFERPROOF_MAPS_MEMORY 1
#else
#define BUFFERPROOF_MAPS_MEMORY 0
#endif

namespace bufferproof::kernels::detail {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kMapped = std::size_t{1} << 20;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

#if BUFFERPROOF_MAPS_MEMORY
HugeBlock map_memory(std::size_t bytes) {
  void* const block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return {};
  if (bytes >= kHugePage) madvise(block, bytes, MADV_HUGEPAGE);  // a wish: failure changes nothing but speed
  return {block, bytes};
}
#endif

HugeBlock allocate(std::size_t bytes) {
#if BUFFERPROOF_MAPS_MEMORY
  if (bytes >= kMapped && !kWatchedMemory) return map_memory(bytes);
#endif
  return {std::aligned_alloc(kLine, (bytes / kLine + 1) * kLine), 0};
}

}  // namespace

HugeBlock allocate_huge(std::int64_t count, std::int64_t element_size) {
  std::size_t bytes = 0;
  HugeBlock block;
  if (count >= 0 && !__builtin_mul_overflow(count, element_size, &bytes) && bytes < (std::size_t{1} << 47))
    block = allocate(bytes);
  if (block.bytes == nullptr)
    throw KernelError("gemm", "operands", "operands that fit this machine's memory",
                      std::to_string(count) + " elements");
  return block;
}

void FreeHuge::operator()(void* block) const {
#if BUFFERPROOF_MAPS_MEMORY
  if (mapped > 0) {
    munmap(block, mapped);
    return;
  }
#endif
  std::free(block);
}

}  // namespace bufferproof::kernels::detail

namespace bufferproof::kernels {

void forget_pages(void* begin, std::size_t bytes) {
#if BUFFERPROOF_MAPS_MEMORY
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  if (first < end) madvise(static_cast<std::byte*>(begin) + (first - address), end - first, MADV_DONTNEED);
#else
  static_cast<void>(begin);
  static_cast<void>(bytes);
#endif
}

}  // namespace bufferproof::kernels
