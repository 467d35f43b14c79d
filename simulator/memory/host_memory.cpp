#include "simulator/memory/host_memory.hpp"

#include <algorithm>
#include <cassert>

namespace bufferproof::simulator {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kSmallestRest = 4096;     // less is not split off
constexpr std::int64_t kSmallestTrim = 1 << 16;  // less is not given back

}  // namespace

std::byte* HostMemory::take(std::int64_t bytes, std::int64_t allowance) {
  const std::int64_t size = (std::max<std::int64_t>(bytes, 1) + kLine - 1) / kLine * kLine;
  auto piece = find_free(size);
  if (piece == pieces_.end()) piece = new_region(size, allowance);
  piece->second.free = false;
  if (piece->second.forgotten) {
    piece->second.forgotten = false;
    held_ += piece->second.size;
    while (held_ > allowance && trim()) continue;
  }
  return piece->first;
}

void HostMemory::give_back(std::byte* block) {
  auto piece = pieces_.find(block);
  assert(piece != pieces_.end() && !piece->second.free);
  piece->second.free = true;
  if (kernels::kWatchedMemory) return release(piece);
  list(piece);
  merge_with_next(piece);
  if (!begins_region(piece) && std::prev(piece)->second.free) merge_with_next(std::prev(piece));
}

HostMemory::Pieces::iterator HostMemory::find_free(std::int64_t size) {
  const auto found = free_.lower_bound({size, nullptr});
  if (found == free_.end()) return pieces_.end();
  const auto piece = pieces_.find(found->second);
  unlist(piece);
  split(piece, size);
  return piece;
}

HostMemory::Pieces::iterator HostMemory::new_region(std::int64_t size, std::int64_t allowance) {
  while (held_ + size > allowance && trim()) continue;
  kernels::HugeArray<std::byte> memory = kernels::allocate_huge<std::byte>(size);
  std::byte* const begin = memory.get();
  regions_.emplace(begin, std::move(memory));
  held_ += size;
  return pieces_.emplace(begin, Piece{size, false, false}).first;
}

void HostMemory::split(Pieces::iterator piece, std::int64_t size) {
  const std::int64_t rest = piece->second.size - size;
  if (rest < kSmallestRest) return;
  piece->second.size = size;
  list(pieces_.emplace(piece->first + size, Piece{rest, true, piece->second.forgotten}).first);
}

void HostMemory::list(Pieces::iterator piece) { free_.emplace(piece->second.size, piece->first); }
void HostMemory::unlist(Pieces::iterator piece) { free_.erase({piece->second.size, piece->first}); }

bool HostMemory::is_region(Pieces::iterator piece) const {
  const auto next = std::next(piece);
  return begins_region(piece) && (next == pieces_.end() || begins_region(next));
}

/// Where one of two still has its pages, both count as held.
void HostMemory::merge_with_next(Pieces::iterator piece) {
  const auto next = std::next(piece);
  if (next == pieces_.end() || !next->second.free || begins_region(next)) return;
  unlist(piece);
  unlist(next);
  if (piece->second.forgotten != next->second.forgotten)
    held_ += piece->second.forgotten ? piece->second.size : next->second.size;
  piece->second.forgotten = piece->second.forgotten && next->second.forgotten;
  piece->second.size += next->second.size;
  pieces_.erase(next);
  list(piece);
}

void HostMemory::release(Pieces::iterator region) {
  held_ -= region->second.forgotten ? 0 : region->second.size;
  regions_.erase(region->first);
  pieces_.erase(region);
}

bool HostMemory::trim() {
  for (auto largest = free_.rbegin(); largest != free_.rend() && largest->first >= kSmallestTrim; ++largest) {
    const auto piece = pieces_.find(largest->second);
    if (piece->second.forgotten) continue;
    if (is_region(piece)) {
      unlist(piece);
      release(piece);
    } else {
      kernels::forget_pages(piece->first, static_cast<std::size_t>(piece->second.size));
      piece->second.forgotten = true;
      held_ -= piece->second.size;
    }
    return true;
  }
  return false;
}

}  // namespace bufferproof::simulator
