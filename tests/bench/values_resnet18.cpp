// A whole ResNet-18 wrapper with values, batch 8: what a run costs, what the tags cost of it, and the memory.
//
// "network" is one call with weights and memory in place: the median over the calls of one run, each from its
// first launch to the next call's. A benchmark's own time is of the whole run. "tags" is the tag run alone,
// which a run with values contains: the ratio of a tagged to an untagged run is values / (values - tags).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "examples/resnet/network.hpp"
#include "kernels_ref/parallel.hpp"
#include "model/lower.hpp"
#include "model/read/kernel_bodies.hpp"
#include "model/read/wrapper/wrapper.hpp"
#include "model/runtime_profile.hpp"
#include "simulator/values/value_run.hpp"

namespace bufferproof::bench {
namespace {

model::Program wrapper(const std::string& profile) {
  model::Program program =
      model::wrapper::read_wrappers(examples::emit_resnet({}, {}).text, "resnet.py").at(0);
  model::read_kernel_bodies(program);
  program = model::lower(program, model::require_profile(profile));
  model::number_steps(program);
  return program;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Times {
  double processor = processor_seconds();
  double wall = wall_seconds();
  friend Times operator-(const Times& a, const Times& b) {
    return {a.processor - b.processor, a.wall - b.wall};
  }
};

constexpr std::size_t kCalls = 14;  ///< the first makes the weights, the last has no next one

/// When each call's first launch begins.
class CallClock {
 public:
  /// `launches`: of one call.
  explicit CallClock(std::size_t launches) : launches_(launches) {}
  void launch() {
    if (seen_++ % launches_ == 0) begins_.emplace_back();
  }
  /// Milliseconds of a call but the first and last, median.
  double median(double Times::*clock) const {
    std::vector<double> calls;
    for (std::size_t i = 1; i + 1 < begins_.size(); ++i)
      calls.push_back(1e3 * ((begins_[i + 1] - begins_[i]).*clock));
    std::sort(calls.begin(), calls.end());
    return calls.at(calls.size() / 2);
  }

 private:
  std::size_t launches_;
  std::size_t seen_ = 0;
  std::vector<Times> begins_;
};

void values(benchmark::State& state, int threads, const std::string& profile, bool fall_back) {
  kernels::set_thread_count(threads);
  const model::Program program = wrapper(profile);
  model::RunPlan one;
  if (fall_back)
    for (const model::KernelDef& kernel : program.kernels) one.variants[kernel.name] = "fallback";
  std::size_t launches = 0;
  simulator::ValueOptions options;
  options.on_launch = [&](const std::string&) { ++launches; };
  const std::int64_t peak = simulator::run_values(program, one, options).peak_bytes;
  model::RunPlan many = one;
  many.calls.resize(kCalls);
  Times network{0, 0};
  for (auto _ : state) {
    CallClock clock(launches);
    options.on_launch = [&](const std::string&) { clock.launch(); };
    simulator::run_values(program, many, options);
    network.processor += clock.median(&Times::processor);
    network.wall += clock.median(&Times::wall);
  }
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["network_cpu_ms"] = network.processor / iterations;
  state.counters["network_wall_ms"] = network.wall / iterations;
  state.counters["device_peak_MiB"] = static_cast<double>(peak) / 1048576.0;
  kernels::set_thread_count(0);
}

void tags(benchmark::State& state) {
  const model::Program program = wrapper("torch_npu-26.0.0");
  for (auto _ : state) benchmark::DoNotOptimize(simulator::run_tags(program, {}));
}

}  // namespace
}  // namespace bufferproof::bench

int main(int argc, char** argv) {
  using namespace bufferproof::bench;
  const auto add = [](const std::string& name, auto&& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  for (const int threads : {1, 2})
    for (const bool fall_back : {false, true})
      add("values/resnet18/b8/t" + std::to_string(threads) + (fall_back ? "/fallback" : "/tuned"),
          [=](benchmark::State& s) { values(s, threads, "torch_npu-26.0.0", fall_back); });
  add("tags/resnet18/b8", [](benchmark::State& s) { tags(s); });
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
