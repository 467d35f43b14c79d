#include "simulator/memory/device_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "kernels_ref/tensor.hpp"

namespace bufferproof::simulator {

using model::DType;
using model::MemoryFill;

namespace {

/// splitmix64: a counter mixed, so that a value depends on nothing but its seed and place.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

/// Sign and fraction from `random`, an exponent that keeps the magnitude in [2^-8, 1).
std::uint64_t floating_bits(std::uint64_t random, int exponent_bits, int fraction_bits) {
  const std::uint64_t fraction = random >> 8 & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t bias = (std::uint64_t{1} << (exponent_bits - 1)) - 1;
  const std::uint64_t exponent = bias - 1 - (random & 7);
  const std::uint64_t sign = random >> 63;
  return sign << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
}

std::uint64_t element_bits(DType dtype, std::uint64_t random) {
  switch (dtype) {
    case DType::f16:
      return floating_bits(random, 5, 10);
    case DType::bf16:
      return floating_bits(random, 8, 7);
    case DType::f32:
      return floating_bits(random, 8, 23);
    case DType::f64:
      return floating_bits(random, 11, 52);
    case DType::i1:
      return random & 1;
    default:
      return random >> 8;
  }
}

}  // namespace

void fill_random(std::span<std::byte> bytes, DType dtype, std::uint64_t seed) {
  const auto size = static_cast<std::size_t>(model::size_in_bytes(dtype));
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const std::uint64_t bits = element_bits(dtype, mixed(seed ^ mixed(at / size)));
    std::memcpy(bytes.data() + at, &bits, std::min(size, bytes.size() - at));  // little-endian hosts
  }
}

DeviceMemory::Bytes DeviceMemory::zeroed(std::int64_t bytes) {
  Bytes out = kernels::allocate_huge<std::byte>(bytes);
  if (bytes > 0) std::memset(out.get(), 0, static_cast<std::size_t>(bytes));
  return out;
}

/// Memory of its own for each allocation.
class DeviceMemory::Own : public DeviceBlock {
 public:
  Own(DeviceMemory& memory, std::int64_t size, DType dtype)
      : memory_(memory),
        size_(size),
        bytes_(memory.host_.take(size, std::max(memory.peak_, memory.live_ + size))),
        dtype_(dtype),
        allocation_(memory.allocations_) {
    memory_.count(size_);
  }
  ~Own() override {
    memory_.live_ -= size_;
    memory_.host_.give_back(bytes_);
  }
  std::span<std::byte> bytes() override {
    if (!filled_) memory_.fill(overwritten(), dtype_, allocation_);
    return overwritten();
  }
  std::span<std::byte> overwritten() override {
    filled_ = true;
    return {bytes_, static_cast<std::size_t>(size_)};
  }
  std::int64_t size() const override { return size_; }

 private:
  DeviceMemory& memory_;
  std::int64_t size_;
  std::byte* bytes_;
  DType dtype_;
  std::uint64_t allocation_;  ///< counts from 1
  bool filled_ = false;
};

/// A block of the pool; its contents stay behind.
class DeviceMemory::Pooled : public DeviceBlock {
 public:
  Pooled(DeviceMemory& memory, std::int64_t size, const std::string& stream)
      : memory_(memory), size_(size), block_(memory.pool_.allocate(size, stream)) {
    memory_.count(size_);
  }
  ~Pooled() override {
    memory_.pool_.release(block_);
    memory_.live_ -= size_;
  }
  std::span<std::byte> bytes() override {
    if (block_.segment < 0) return {};
    std::byte* segment = memory_.segments_[static_cast<std::size_t>(block_.segment)].get();
    return {segment + block_.offset, static_cast<std::size_t>(size_)};
  }
  std::int64_t size() const override { return size_; }

 private:
  DeviceMemory& memory_;
  std::int64_t size_;
  MemoryBlock block_;
};

DeviceMemory::DeviceMemory(MemoryFill fill, std::uint64_t seed) : fill_(fill), seed_(seed) {}
DeviceMemory::~DeviceMemory() = default;

void DeviceMemory::count(std::int64_t bytes) {
  live_ += bytes;
  peak_ = std::max(peak_, live_);
}

// S5
std::unique_ptr<DeviceBlock> DeviceMemory::allocate(std::int64_t bytes, const std::string& stream,
                                                    DType dtype) {
  ++allocations_;
  if (fill_ == MemoryFill::pool) {
    auto block = std::make_unique<Pooled>(*this, bytes, stream);
    while (segments_.size() < pool_.segments().size())
      segments_.push_back(zeroed(pool_.segments()[segments_.size()]));
    return block;
  }
  return std::make_unique<Own>(*this, bytes, dtype);
}

void DeviceMemory::fill(std::span<std::byte> fresh, DType dtype, std::uint64_t allocation) const {
  if (fill_ == MemoryFill::nan) kernels::fill_signalling(fresh.data(), fresh.size(), dtype);
  if (fill_ == MemoryFill::zero && !fresh.empty()) std::memset(fresh.data(), 0, fresh.size());
  if (fill_ == MemoryFill::random) fill_random(fresh, dtype, mixed(seed_) ^ allocation);
}

}  // namespace bufferproof::simulator
