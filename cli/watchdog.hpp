// A limit in wall time for work that may not come back: a solver can ignore every limit it is given.
//
// The work runs in a thread of its own, and is left to itself when time is up; the process then ends by
// cli/app.hpp's leave(), which waits for nobody. Tested by tests/cli/watchdog_test.cpp.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <thread>

namespace bufferproof::cli {

/// What `work` returns, or nullopt when it takes longer than `limit`. `work` must own what it uses. What it
/// throws is thrown here.
template <typename Result>
std::optional<Result> run_within(std::chrono::duration<double> limit, std::function<Result()> work) {
  std::packaged_task<Result()> task(std::move(work));
  std::future<Result> result = task.get_future();
  std::thread(std::move(task)).detach();
  if (result.wait_for(limit) != std::future_status::ready) return std::nullopt;
  return result.get();
}

}  // namespace bufferproof::cli
