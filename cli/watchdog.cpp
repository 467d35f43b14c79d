#include "cli/watchdog.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace bufferproof::cli {
namespace {

/// Bytes of memory the process holds; 0 where the system does not tell.
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string exceeded(const Limits& limits, std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  if (passed.count() >= limits.seconds)
    return fmt::format("not decided within {} s of wall time; give more with --timeout", limits.seconds);
  if (resident_bytes() >= limits.bytes)
    return fmt::format("not decided within {} MiB of memory; give more with --memory-limit",
                       limits.bytes >> 20);
  return "";
}

void release_memory() { malloc_trim(0); }

}  // namespace bufferproof::cli
