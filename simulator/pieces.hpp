// Pieces of one tag inside an access, and how the two sides of a paired walk correspond.
#pragma once

#include "simulator/memory_access.hpp"

namespace bufferproof::simulator {

/// Units of one run as units of the run it is paired with. Elements of equal size pair unit by unit; else
/// whole elements do, and an end inside of an element takes all of it.
inline std::int64_t counterpart(std::int64_t units, std::int64_t span, std::int64_t other_span, bool end) {
  if (span == other_span) return units;
  return (units + (end ? span - 1 : 0)) / span * other_span;
}

template <typename F>
void MemoryAccess::for_each_piece(const AccessPoint& at, F&& f) const {
  for_each_run(at.selection, [&](std::int64_t lo, std::int64_t hi) {
    at.handle->storage->tags.for_each(lo, hi, [&](std::int64_t from, std::int64_t to, TagId tag) {
      f(Piece{from, to, tag});
    });
  });
}

}  // namespace bufferproof::simulator
