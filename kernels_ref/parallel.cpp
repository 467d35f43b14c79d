#include "kernels_ref/parallel.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <exception>

#include "kernels_ref/fp_state.hpp"

namespace bufferproof::kernels {
namespace {

std::atomic<int> wanted_threads{0};

// Compiled without OpenMP everything runs on the calling thread.
#if defined(_OPENMP)
int default_threads() { return omp_get_max_threads(); }
bool inside_parallel_region() { return omp_in_parallel() != 0; }
#else
int default_threads() { return 1; }
bool inside_parallel_region() { return true; }
#endif

}  // namespace

void set_thread_count(int threads) { wanted_threads = std::max(threads, 0); }

int thread_count() {
  const int wanted = wanted_threads;
  return wanted > 0 ? wanted : default_threads();
}

namespace detail {

void run_ranges(std::int64_t count, std::int64_t grain, RangeBody body) {
  if (count <= 0) return;
  const std::int64_t most = std::max<std::int64_t>(1, count / std::max<std::int64_t>(grain, 1));
  const int parts =
      inside_parallel_region() ? 1 : static_cast<int>(std::min<std::int64_t>(most, thread_count()));
  if (parts == 1) {
    const FpStateGuard state;
    body(0, count);
    return;
  }
  std::exception_ptr failure;
  // A loop over parts, not a team of a known size: OpenMP may give fewer threads than asked for.
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) {
    const FpStateGuard state;
    try {
      // 128-bit products: count * part may leave 64 bits.
      const auto cut = [&](int p) {
        return static_cast<std::int64_t>(static_cast<__int128>(count) * p / parts);
      };
      body(cut(part), cut(part + 1));
    } catch (...) {
#pragma omp critical(bufferproof_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace detail
}  // namespace bufferproof::kernels
