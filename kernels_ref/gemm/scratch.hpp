// Scratch memory that outlives a call: staged operands and tiles are megabytes, and fresh pages cost more
// than filling them.
//
// One block per calling thread and use, grown when a call needs more and kept until the thread ends or
// release_scratch(). Tested by tests/kernels_ref/matmul_test.cpp and convolution_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bufferproof::kernels {

enum class ScratchUse : std::uint8_t { weights, staged, tiles, result };
inline constexpr int kScratchUses = 4;

namespace detail {
void* scratch_bytes(ScratchUse use, std::int64_t count, std::int64_t element_size);
}

/// `count` elements of type T, 64-byte aligned, contents arbitrary; valid until the next call with the same
/// use on this thread. Throws KernelError when the machine has not that much memory.
template <typename T>
T* scratch(ScratchUse use, std::int64_t count) {
  return static_cast<T*>(detail::scratch_bytes(use, count, sizeof(T)));
}

/// Gives the calling thread's scratch memory back.
void release_scratch();

}  // namespace bufferproof::kernels
