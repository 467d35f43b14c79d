#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

namespace bufferproof::cli {
namespace {

/// Longer lines wrap and cannot be wiped.
constexpr std::size_t kWidth = 78;

}  // namespace

bool is_terminal(const std::ostream& stream) { return &stream == &std::cerr && isatty(STDERR_FILENO) == 1; }

Progress::Progress(std::ostream& stream, bool terminal, std::chrono::milliseconds quiet)
    : stream_(stream), quiet_(quiet) {
  if (terminal) thread_ = std::thread([this] { tick(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (shown_ > 0) stream_ << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
}

void Progress::phase(const std::string& name, std::size_t steps) {
  const std::lock_guard lock(mutex_);
  phase_ = name;
  steps_ = steps;
  step_number_ = 0;
  step_.clear();
}

void Progress::step(const std::string& name) {
  const std::lock_guard lock(mutex_);
  ++step_number_;
  step_ = name;
}

std::string Progress::line() const {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_).count();
  std::string out = fmt::format("{} s  {}", seconds, phase_);
  if (step_number_ > 0)
    out += fmt::format(", call {}{}", step_number_, steps_ > 0 ? fmt::format(" of {}", steps_) : "");
  // Names of fused kernels differ at their end.
  const std::size_t room = kWidth - std::min(kWidth, out.size() + 5);
  if (!step_.empty())
    out += ": " + (step_.size() <= room ? step_ : "..." + step_.substr(step_.size() - room));
  return out.substr(0, kWidth);
}

void Progress::tick() {
  std::unique_lock lock(mutex_);
  for (auto wait = quiet_; !wake_.wait_for(lock, wait, [this] { return ended_; });
       wait = std::chrono::milliseconds(200)) {
    const std::string text = line();
    const std::size_t rest = shown_ > text.size() ? shown_ - text.size() : 0;
    stream_ << '\r' << text << std::string(rest, ' ') << std::flush;
    shown_ = text.size();
  }
}

}  // namespace bufferproof::cli
