// Where a generator's decisions come from: the digits of an index, or a seeded generator.
#pragma once

#include <cstdint>
#include <random>

namespace bufferproof::differential {

/// Mixed-radix digits of a number, least significant first.
class Digits {
 public:
  explicit Digits(std::uint64_t index) : rest_(index) {}
  std::uint64_t take(std::uint64_t radix) {
    const std::uint64_t digit = rest_ % radix;
    rest_ /= radix;
    return digit;
  }

 private:
  std::uint64_t rest_;
};

/// The same numbers on every standard library: no std::uniform_int_distribution.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  /// lo..hi, both included.
  int pick(int lo, int hi) {
    return lo + static_cast<int>(engine_() % static_cast<std::uint64_t>(hi - lo + 1));
  }
  bool one_in(int n) { return pick(1, n) == 1; }
  template <typename Container>
  const auto& of(const Container& choices) {
    return choices[static_cast<std::size_t>(pick(0, static_cast<int>(choices.size()) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace bufferproof::differential
