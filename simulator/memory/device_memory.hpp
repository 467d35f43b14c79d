// The bytes of device memory, and what memory that nobody wrote holds (S5).
//
// nan: a signalling pattern per element type; zero; random: finite values of the element type, by seed and
// order of allocation; pool: whatever the caching allocator's block held before, across calls of a wrapper,
// fresh segments being zero as drivers hand them out. Tested by tests/simulator/device_memory_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/dtype.hpp"
#include "model/run_plan.hpp"
#include "simulator/memory/caching_allocator.hpp"
#include "simulator/memory/host_memory.hpp"

namespace bufferproof::simulator {

/// Memory handed out; given back when it dies. Must not outlive its DeviceMemory. 64-byte aligned.
class DeviceBlock {
 public:
  virtual ~DeviceBlock() = default;
  virtual std::span<std::byte> bytes() = 0;  ///< as many as asked for
  /// The same for a caller who stores every byte before anybody reads one: contents need not be there yet.
  virtual std::span<std::byte> overwritten() { return bytes(); }
  virtual std::int64_t size() const = 0;
};

class DeviceMemory {
 public:
  DeviceMemory(model::MemoryFill fill, std::uint64_t seed);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// bytes >= 0. Raises std::bad_alloc. `dtype` is what the memory is filled for.
  std::unique_ptr<DeviceBlock> allocate(std::int64_t bytes, const std::string& stream, model::DType dtype);
  std::int64_t live_bytes() const { return live_; }
  std::int64_t peak_bytes() const { return peak_; }

 private:
  class Own;
  class Pooled;
  using Bytes = kernels::HugeArray<std::byte>;
  static Bytes zeroed(std::int64_t bytes);
  void fill(std::span<std::byte> fresh, model::DType dtype, std::uint64_t allocation) const;
  void count(std::int64_t bytes);

  model::MemoryFill fill_;
  std::uint64_t seed_;
  std::uint64_t allocations_ = 0;
  std::int64_t live_ = 0;
  std::int64_t peak_ = 0;
  HostMemory host_;  ///< of all fills but the pool
  CachingAllocator pool_;
  std::vector<Bytes> segments_;  ///< of the pool
};

/// Finite values of `dtype`, magnitude below 1 for floating types, from `seed` alone.
void fill_random(std::span<std::byte> bytes, model::DType dtype, std::uint64_t seed);

}  // namespace bufferproof::simulator
