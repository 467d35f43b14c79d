// What unwritten memory holds under each model.
#include "simulator/memory/device_memory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

namespace bufferproof::simulator {
namespace {

using model::DType;
using model::MemoryFill;

std::vector<float> floats(DeviceBlock& block) {
  std::vector<float> out(block.bytes().size() / sizeof(float));
  std::memcpy(out.data(), block.bytes().data(), block.bytes().size());
  return out;
}

TEST(DeviceMemory, S5_NanZeroRandom) {
  DeviceMemory nan(MemoryFill::nan, 0);
  DeviceMemory zero(MemoryFill::zero, 0);
  DeviceMemory random(MemoryFill::random, 7);
  for (const float value : floats(*nan.allocate(4000, "s0", DType::f32))) EXPECT_TRUE(std::isnan(value));
  for (const float value : floats(*zero.allocate(4000, "s0", DType::f32))) EXPECT_EQ(value, 0.0F);
  std::set<float> seen;
  for (const float value : floats(*random.allocate(4000, "s0", DType::f32))) {
    EXPECT_LT(std::abs(value), 1.0F);
    EXPECT_GE(std::abs(value), 1.0F / 256);
    seen.insert(value);
  }
  EXPECT_GT(seen.size(), 990U);
}

TEST(DeviceMemory, S5_RandomIsBySeedAndOrder) {
  auto first_two = [](std::uint64_t seed) {
    DeviceMemory memory(MemoryFill::random, seed);
    auto a = floats(*memory.allocate(64, "s0", DType::f32));
    auto b = floats(*memory.allocate(64, "s0", DType::f32));
    return std::pair(a, b);
  };
  EXPECT_EQ(first_two(1), first_two(1));
  EXPECT_NE(first_two(1).first, first_two(2).first);
  EXPECT_NE(first_two(1).first, first_two(1).second);
}

TEST(DeviceMemory, S5_RandomIsFiniteForEveryFloatingType) {
  DeviceMemory memory(MemoryFill::random, 3);
  const auto half = memory.allocate(2000, "s0", DType::f16);
  const auto brain = memory.allocate(2000, "s0", DType::bf16);
  for (std::size_t at = 0; at < 2000; at += 2) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, half->bytes().data() + at, 2);
    EXPECT_LT(bits & 0x7c00, 15 << 10);  // exponent below that of 1
    std::memcpy(&bits, brain->bytes().data() + at, 2);
    EXPECT_LT(bits & 0x7f80, 127 << 7);
  }
  const auto flags = memory.allocate(100, "s0", DType::i1);
  for (const std::byte flag : flags->bytes()) EXPECT_LE(std::to_integer<int>(flag), 1);
  const auto doubles = memory.allocate(800, "s0", DType::f64);
  for (std::size_t at = 0; at < 800; at += 8) {
    double value = 0;
    std::memcpy(&value, doubles->bytes().data() + at, 8);
    EXPECT_LT(std::abs(value), 1.0);
  }
}

TEST(DeviceMemory, S5_APoolKeepsWhatTheLastTenantLeft) {
  DeviceMemory memory(MemoryFill::pool, 0);
  std::byte* place = nullptr;
  {
    const auto block = memory.allocate(1024, "s0", DType::f32);
    place = block->bytes().data();
    EXPECT_EQ(std::to_integer<int>(place[0]), 0);  // a fresh segment
    std::memset(place, 0x42, 1024);
  }
  const auto other_stream = memory.allocate(1024, "s1", DType::f32);
  EXPECT_NE(other_stream->bytes().data(), place);
  const auto again = memory.allocate(800, "s0", DType::f32);
  EXPECT_EQ(again->bytes().data(), place);
  EXPECT_EQ(std::to_integer<int>(again->bytes()[799]), 0x42);
}

TEST(DeviceMemory, BytesAreCountedAndAligned) {
  for (const MemoryFill fill : {MemoryFill::nan, MemoryFill::pool}) {
    DeviceMemory memory(fill, 0);
    {
      const auto a = memory.allocate(100, "s0", DType::f32);
      const auto b = memory.allocate(0, "s0", DType::f32);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a->bytes().data()) % 64, 0U);
      EXPECT_TRUE(b->bytes().empty());
      EXPECT_EQ(memory.live_bytes(), 100);
    }
    EXPECT_EQ(memory.live_bytes(), 0);
    EXPECT_EQ(memory.peak_bytes(), 100);
  }
}

}  // namespace
}  // namespace bufferproof::simulator
