// One line on a terminal that says what a long computation is doing.
//
// Appears after a second, is renewed five times a second, and is wiped when the work ends; elsewhere than on
// a terminal nothing is printed. Tested by tests/cli/progress_test.cpp.
#pragma once

#include <chrono>
#include <condition_variable>
#include <iosfwd>
#include <mutex>
#include <string>
#include <thread>

namespace bufferproof::cli {

/// Whether what is written to `stream` appears on a terminal.
bool is_terminal(const std::ostream& stream);

class Progress {
 public:
  Progress(std::ostream& stream, bool terminal, std::chrono::milliseconds quiet = std::chrono::seconds(1));
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is being done from now on: "golden run"; `steps` of it will be announced, 0: nobody knows.
  void phase(const std::string& name, std::size_t steps = 0);
  /// The next step begins.
  void step(const std::string& name);

 private:
  void tick();
  std::string line() const;  ///< under the lock

  std::ostream& stream_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::milliseconds quiet_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::string phase_;
  std::string step_;
  std::size_t steps_ = 0;
  std::size_t step_number_ = 0;
  std::size_t shown_ = 0;  ///< width of the line on the terminal
  std::thread thread_;
};

}  // namespace bufferproof::cli
