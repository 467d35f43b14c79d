// Threads: work split over outputs, under the kernels' floating-point state, on OpenMP.
//
// Results never depend on the thread count: a body may only write outputs that no other index writes, and the
// order of sums is never decided here. An exception of a body is caught in its worker and raised again on the
// calling thread. Called from inside another parallel region, everything runs on the calling thread. Tested
// by tests/kernels_ref/foundation_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace bufferproof::kernels {

/// How many threads the kernels use; 0 (the default) means OpenMP's own default (cores, OMP_NUM_THREADS).
void set_thread_count(int threads);
int thread_count();

/// A borrowed callable void(begin, end): no allocation, valid during the call only.
class RangeBody {
 public:
  template <typename F>
  explicit RangeBody(F& body)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(body)))),
        call_([](void* object, std::int64_t begin, std::int64_t end) {
          (*static_cast<F*>(object))(begin, end);
        }) {}
  void operator()(std::int64_t begin, std::int64_t end) const { call_(object_, begin, end); }

 private:
  void* object_;
  void (*call_)(void*, std::int64_t, std::int64_t);
};

namespace detail {
void run_ranges(std::int64_t count, std::int64_t grain, RangeBody body);
}

/// Calls body(begin, end) over a partition of [0, count), one contiguous range a thread and at least `grain`
/// indices in each (a grain worth about 10 microseconds keeps small tensors on one thread). The partition
/// depends on the thread count, so the body must give the same outputs for any partition.
template <typename F>
void parallel_ranges(std::int64_t count, std::int64_t grain, F&& body) {
  detail::run_ranges(count, grain, RangeBody(body));
}

/// Calls body(i) for every i in [0, count).
template <typename F>
void parallel_for(std::int64_t count, F&& body) {
  parallel_ranges(count, 1, [&body](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace bufferproof::kernels
