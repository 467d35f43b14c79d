// One element repeated over a contiguous block. Tested through the ops that use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace bufferproof::kernels {

/// `count` copies of the `width` bytes at `element` (1, 2, 4 or 8). Rows are short: a cache line is made once
/// and stored whole.
inline void fill_elements(void* to, const void* element, std::int64_t width, std::int64_t count) {
  if (count <= 0) return;
  constexpr std::size_t kLine = 64;
  unsigned char line[kLine];
  auto done = static_cast<std::size_t>(width);
  std::memcpy(line, element, done);
  for (; done < kLine; done *= 2) std::memcpy(line + done, line, done);
  auto* bytes = static_cast<unsigned char*>(to);
  auto left = static_cast<std::size_t>(width * count);
  for (; left >= kLine; left -= kLine, bytes += kLine) std::memcpy(bytes, line, kLine);
  std::memcpy(bytes, line, left);
}

}  // namespace bufferproof::kernels
