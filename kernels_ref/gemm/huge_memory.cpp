#include "kernels_ref/gemm/huge_memory.hpp"

#include <cstdlib>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels::detail {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

void* allocate_huge(std::int64_t count, std::int64_t element_size) {
  std::size_t bytes = 0;
  void* block = nullptr;
  if (count >= 0 && !__builtin_mul_overflow(count, element_size, &bytes) && bytes < (std::size_t{1} << 47)) {
    const std::size_t alignment = bytes >= kHugePage ? kHugePage : kLine;
    bytes = (bytes / alignment + 1) * alignment;
    block = std::aligned_alloc(alignment, bytes);
  }
  if (block == nullptr)
    throw KernelError("gemm", "operands", "operands that fit this machine's memory",
                      std::to_string(count) + " elements");
#if defined(__linux__)
  if (bytes >= kHugePage) madvise(block, bytes, MADV_HUGEPAGE);  // a wish: failure changes nothing but speed
#endif
  return block;
}

void FreeHuge::operator()(void* block) const { std::free(block); }

}  // namespace bufferproof::kernels::detail
