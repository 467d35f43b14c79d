#include "cli/watchdog.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace bufferproof::cli {
namespace {

using std::chrono::duration;

TEST(Watchdog, ResultsAndExceptionsComeThrough) {
  EXPECT_EQ(run_within<int>(duration<double>(60), [] { return 7; }), 7);
  EXPECT_THROW(run_within<int>(duration<double>(60), []() -> int { throw std::runtime_error("x"); }),
               std::runtime_error);
}

TEST(Watchdog, WorkThatDoesNotComeBackIsLeft) {
  auto release = std::make_shared<std::atomic<bool>>(false);
  auto ended = std::make_shared<std::atomic<bool>>(false);
  const auto result = run_within<int>(duration<double>(0.01), [release, ended] {
    while (!*release) std::this_thread::yield();
    *ended = true;
    return 1;
  });
  EXPECT_EQ(result, std::nullopt);
  *release = true;
  while (!*ended) std::this_thread::yield();
}

}  // namespace
}  // namespace bufferproof::cli
