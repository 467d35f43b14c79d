// Limits in wall time and memory for work that may not come back: a solver can ignore every limit it is
// given.
//
// The work runs in a thread of its own, and is left to itself when a limit is reached; the process then ends
// by cli/app.hpp's leave(), which waits for nobody. Tested by tests/cli/watchdog_test.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace bufferproof::cli {

struct Limits {
  double seconds = 0;                        ///< wall time
  std::size_t bytes = std::size_t{4} << 30;  ///< resident memory of the process
};

/// Which limit is reached after so long; empty: none.
std::string exceeded(const Limits& limits, std::chrono::steady_clock::time_point begin);

/// What `work` returns, or nullopt and the reason when a limit is reached. `work` must own what it uses. What
/// it throws is thrown here.
template <typename Result>
std::optional<Result> run_within(const Limits& limits, std::function<Result()> work, std::string& reason) {
  const auto begin = std::chrono::steady_clock::now();
  std::packaged_task<Result()> task(std::move(work));
  std::future<Result> result = task.get_future();
  std::thread(std::move(task)).detach();
  const auto slice =
      std::min(std::chrono::duration<double>(limits.seconds), std::chrono::duration<double>(0.05));
  while (result.wait_for(slice) != std::future_status::ready) {
    reason = exceeded(limits, begin);
    if (!reason.empty()) return std::nullopt;
  }
  return result.get();
}

}  // namespace bufferproof::cli
