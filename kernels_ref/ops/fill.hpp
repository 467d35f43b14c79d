// One element repeated over a contiguous block. Tested through the ops that use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace bufferproof::kernels {

/// `count` copies of the `width` bytes at `element`: what is written so far is copied behind itself, doubling
/// each time.
inline void fill_elements(void* to, const void* element, std::int64_t width, std::int64_t count) {
  if (count <= 0) return;
  auto* const bytes = static_cast<unsigned char*>(to);
  const auto total = static_cast<std::size_t>(width * count);
  std::memcpy(bytes, element, static_cast<std::size_t>(width));
  for (std::size_t done = static_cast<std::size_t>(width); done < total; done *= 2)
    std::memcpy(bytes + done, bytes, std::min(done, total - done));
}

}  // namespace bufferproof::kernels
