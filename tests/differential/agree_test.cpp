// Two engines, one truth: checker and simulator never disagree.
//
// 20,000 programs by default; scripts/differential sets BUFFERPROOF_DIFFERENTIAL to the number it is asked
// for. A random program costs as much as ten of a small world. The small worlds are sampled with a stride
// that visits all of them before repeating; random programs go by seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "model/print.hpp"
#include "tests/differential/agree.hpp"
#include "tests/differential/generate.hpp"

namespace bufferproof::differential {
namespace {

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* asked = std::getenv(variable);
  return asked ? std::strtoull(asked, nullptr, 10) : otherwise;
}

std::uint64_t programs() { return number("BUFFERPROOF_DIFFERENTIAL", 20'000); }

/// Where the samples begin, for long comparisons in parts.
std::uint64_t first() { return number("BUFFERPROOF_DIFFERENTIAL_FROM", 0); }

/// A large prime: consecutive samples differ in every statement, not only in the last.
std::uint64_t spread(std::uint64_t sample, std::uint64_t size) { return sample * 2'654'435'761U % size; }

struct Tally {
  std::uint64_t refuted = 0;
  std::uint64_t undecided = 0;
  std::uint64_t disagreements = 0;
};

/// Looks at the samples of the asked programs' share of a kind, in percent: parts of a comparison leave no
/// gap.
template <typename Make>
Tally run(std::uint64_t share, const Make& make) {
  Tally tally;
  const std::uint64_t from = first() * share / 100;
  const std::uint64_t to = (first() + programs()) * share / 100;
  for (std::uint64_t i = from; i < to; ++i) {
    if (const char* only = std::getenv("BUFFERPROOF_SAMPLE")) {  // one of them, written out
      if (i != std::strtoull(only, nullptr, 10)) continue;
      std::cout << model::print_text(make(i)) << std::endl;  // before it runs
    }
    const Agreement a = compare(make(i));
    tally.refuted += a.refuted ? 1 : 0;
    tally.undecided += a.decided ? 0 : 1;
    if (a.disagreement.empty()) continue;
    ++tally.disagreements;
    ADD_FAILURE() << "sample " << i << ": " << a.disagreement;
    if (tally.disagreements > 5) break;
  }
  testing::Test::RecordProperty("programs", static_cast<int>(to - from));
  testing::Test::RecordProperty("refuted", static_cast<int>(tally.refuted));
  testing::Test::RecordProperty("undecided", static_cast<int>(tally.undecided));
  return tally;
}

TEST(Differential, SmallWorldOfBufprog) {
  const Tally t = run(65, [](std::uint64_t i) { return small_world(spread(i, small_bufprog_size())); });
  EXPECT_EQ(t.undecided, 0U);
}

TEST(Differential, SmallWorldOfWrappers) {
  const Tally t = run(25, [](std::uint64_t i) { return small_wrapper(spread(i, small_wrapper_size())); });
  EXPECT_EQ(t.undecided, 0U);
}

TEST(Differential, RandomPrograms) {
  const Tally t = run(10, [](std::uint64_t i) { return random_program(i); });
  EXPECT_LT(t.undecided, 1 + programs() / 100);
}

}  // namespace
}  // namespace bufferproof::differential
