// Aligned memory for megabytes of packed operands, on huge pages where the system gives them: a GEMM walks so
// many rows at once that 4 KiB pages overflow the processor's table of translations. Tested by
// tests/kernels_ref/matmul_test.cpp (through every kernel).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace bufferproof::kernels {

namespace detail {
void* allocate_huge(std::int64_t count, std::int64_t element_size);
struct FreeHuge {
  void operator()(void* block) const;
};
}  // namespace detail

/// Uninitialised, 64-byte aligned at least.
template <typename T>
using HugeArray = std::unique_ptr<T[], detail::FreeHuge>;

/// Throws KernelError when the size overflows or the machine has not that much memory.
template <typename T>
HugeArray<T> allocate_huge(std::int64_t count) {
  return HugeArray<T>(static_cast<T*>(detail::allocate_huge(count, sizeof(T))));
}

}  // namespace bufferproof::kernels
