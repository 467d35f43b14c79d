// Aligned memory for megabytes of operands, on huge pages where the system gives them: a GEMM walks so many
// rows at once that 4 KiB pages overflow the processor's table of translations, and a fresh page costs more
// than filling it.
//
// From a megabyte on it is mapped from the system and goes back there at once, so that no allocator keeps it;
// under a sanitizer everything comes from the allocator that watches it. Tested by
// tests/kernels_ref/matmul_test.cpp (through every kernel).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bufferproof::kernels {

namespace detail {
struct HugeBlock {
  void* bytes = nullptr;
  std::size_t mapped = 0;  ///< bytes to unmap; 0: allocated
};
HugeBlock allocate_huge(std::int64_t count, std::int64_t element_size);
struct FreeHuge {
  std::size_t mapped = 0;
  void operator()(void* block) const;
};
}  // namespace detail

/// An address sanitizer watches allocations: then they should not be cut into pieces.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kWatchedMemory = true;
#else
inline constexpr bool kWatchedMemory = false;
#endif

/// Gives the whole pages of a part of such memory back to the system; their contents become arbitrary.
void forget_pages(void* begin, std::size_t bytes);

/// Uninitialised, 64-byte aligned at least.
template <typename T>
using HugeArray = std::unique_ptr<T[], detail::FreeHuge>;

/// Throws KernelError when the size overflows or the machine has not that much memory.
template <typename T>
HugeArray<T> allocate_huge(std::int64_t count) {
  const detail::HugeBlock block = detail::allocate_huge(count, sizeof(T));
  return HugeArray<T>(static_cast<T*>(block.bytes), {block.mapped});
}

}  // namespace bufferproof::kernels
