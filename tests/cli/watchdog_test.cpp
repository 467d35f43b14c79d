#include "cli/watchdog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace bufferproof::cli {
namespace {

using ::testing::HasSubstr;

TEST(Watchdog, ResultsAndExceptionsComeThrough) {
  std::string reason;
  EXPECT_EQ(run_within<int>(
                {.seconds = 60}, [](std::stop_token) { return 7; }, reason),
            7);
  EXPECT_EQ(reason, "");
  EXPECT_THROW(run_within<int>(
                   {.seconds = 60}, [](std::stop_token) -> int { throw std::runtime_error("x"); }, reason),
               std::runtime_error);
}

/// What the watchdog says about work that ends only when it is let go.
std::string reason_for(const Limits& limits) {
  auto release = std::make_shared<std::atomic<bool>>(false);
  auto ended = std::make_shared<std::atomic<bool>>(false);
  std::string reason;
  const auto result = run_within<int>(
      limits,
      [release, ended](std::stop_token) {
        while (!*release) std::this_thread::yield();
        *ended = true;
        return 1;
      },
      reason);
  EXPECT_EQ(result, std::nullopt);
  *release = true;
  while (!*ended) std::this_thread::yield();
  return reason;
}

TEST(Watchdog, WorkThatDoesNotComeBackIsLeft) {
  EXPECT_THAT(reason_for({.seconds = 0.01}), HasSubstr("0.01 s of wall time"));
}

/// What work has when it is asked to stop still counts.
TEST(Watchdog, WorkThatStopsWhenAskedIsHeard) {
  std::string reason;
  const auto result = run_within<int>(
      {.seconds = 0.01},
      [](std::stop_token stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
        return 5;
      },
      reason);
  EXPECT_EQ(result, 5);
  EXPECT_THAT(reason, HasSubstr("0.01 s of wall time"));
}

TEST(Watchdog, WorkThatTakesTooMuchMemoryIsLeft) {
  EXPECT_THAT(reason_for({.seconds = 60, .bytes = 1 << 20}), HasSubstr("1 MiB of memory"));
}

}  // namespace
}  // namespace bufferproof::cli
