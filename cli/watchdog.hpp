// Limits in wall time and memory for work that may not come back: a solver can ignore every limit it is
// given.
//
// The work runs in a thread of its own. When a limit is reached it is asked to stop; what it gives within a
// moment counts, and its memory is free again. Work that does not listen is left to itself; the process then
// ends by cli/app.hpp's leave(), which waits for nobody. Tested by tests/cli/watchdog_test.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace bufferproof::cli {

struct Limits {
  double seconds = 0;                        ///< wall time
  std::size_t bytes = std::size_t{4} << 30;  ///< resident memory of the process
};

/// Which limit is reached after so long; empty: none.
std::string exceeded(const Limits& limits, std::chrono::steady_clock::time_point begin);

/// How long work may take to stop.
inline constexpr std::chrono::seconds kGrace{3};

/// Gives memory of work that has ended back to the system, as far as it can.
void release_memory();

/// What `work` returns, and the reason when a limit was reached before; nullopt when it did not stop then.
/// `work` must own what it uses. What it throws is thrown here.
template <typename Result>
std::optional<Result> run_within(const Limits& limits, std::function<Result(std::stop_token)> work,
                                 std::string& reason) {
  const auto begin = std::chrono::steady_clock::now();
  std::stop_source stop;
  std::packaged_task<Result()> task(
      [work = std::move(work), token = stop.get_token()] { return work(token); });
  std::future<Result> result = task.get_future();
  reason = exceeded(limits, begin);
  if (!reason.empty()) stop.request_stop();  // nothing was to be had from the start
  // Ready once the thread's own things (the solver's memory) are gone.
  std::thread([task = std::move(task)]() mutable { task.make_ready_at_thread_exit(); }).detach();
  const auto slice =
      std::min(std::chrono::duration<double>(limits.seconds), std::chrono::duration<double>(0.05));
  while (result.wait_for(slice) != std::future_status::ready) {
    reason = exceeded(limits, begin);
    if (reason.empty()) continue;
    stop.request_stop();
    if (result.wait_for(kGrace) != std::future_status::ready) return std::nullopt;
    std::optional<Result> late(result.get());
    release_memory();
    return late;
  }
  return result.get();
}

}  // namespace bufferproof::cli
