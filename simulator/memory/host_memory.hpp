// The host's memory behind device blocks: pieces of regions, so that what one block leaves serves the next
// ones whatever their sizes, and no more is held than an allowance.
//
// Best fit; what is left of a piece is split off, free neighbours of a region merge. Where the allowance
// would be passed, the largest free pieces go back to the system: whole regions, else the pages of a piece.
// Fresh pages cost more than what is computed in them, so nothing goes back earlier. Under a memory sanitizer
// every block is an allocation of its own, which is watched. Not for several threads at once. Tested by
// tests/simulator/host_memory_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "kernels_ref/gemm/huge_memory.hpp"

namespace bufferproof::simulator {

class HostMemory {
 public:
  /// 64-byte aligned, contents arbitrary; bytes >= 0. Raises KernelError when there is not that much.
  std::byte* take(std::int64_t bytes, std::int64_t allowance);
  void give_back(std::byte* block);
  /// Bytes that may be resident: handed out, or free and not given back to the system.
  std::int64_t held() const { return held_; }

 private:
  struct Piece {
    std::int64_t size = 0;
    bool free = false;
    bool forgotten = false;  ///< free, and its pages are the system's
  };
  using Pieces = std::map<std::byte*, Piece>;

  Pieces::iterator find_free(std::int64_t size);
  Pieces::iterator new_region(std::int64_t size, std::int64_t allowance);
  void split(Pieces::iterator piece, std::int64_t size);
  void list(Pieces::iterator piece);
  void unlist(Pieces::iterator piece);
  bool begins_region(Pieces::iterator piece) const { return regions_.count(piece->first) > 0; }
  bool is_region(Pieces::iterator piece) const;
  void merge_with_next(Pieces::iterator piece);
  void release(Pieces::iterator region);
  /// Gives the largest free piece back; false: there is none worth it.
  bool trim();

  Pieces pieces_;  ///< by address: neighbours in a region are neighbours here
  std::map<std::byte*, kernels::HugeArray<std::byte>> regions_;
  std::set<std::pair<std::int64_t, std::byte*>> free_;  ///< by size
  std::int64_t held_ = 0;
};

}  // namespace bufferproof::simulator
