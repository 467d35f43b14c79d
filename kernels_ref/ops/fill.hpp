// One element repeated over a contiguous block. Tested through the ops that use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace bufferproof::kernels {

template <typename Unit>
void fill_units(void* to, const void* element, std::int64_t count) {
  Unit unit;
  std::memcpy(&unit, element, sizeof unit);
  auto* const bytes = static_cast<unsigned char*>(to);
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(bytes + i * static_cast<std::int64_t>(sizeof unit), &unit, sizeof unit);
}

/// `count` copies of the `width` (1, 2, 4 or 8) bytes at `element`.
inline void fill_elements(void* to, const void* element, std::int64_t width, std::int64_t count) {
  switch (width) {
    case 1:
      return fill_units<std::uint8_t>(to, element, count);
    case 2:
      return fill_units<std::uint16_t>(to, element, count);
    case 4:
      return fill_units<std::uint32_t>(to, element, count);
    default:
      return fill_units<std::uint64_t>(to, element, count);
  }
}

}  // namespace bufferproof::kernels
