// ResNet-18 end to end on the reference kernels: batch 1 and 8, 1 and 2 threads, f32 and f64, the modes of
// NumericsProfile.
//
// scripts/bench-peers.py runs this program between PyTorch's and ONNX Runtime's runs of the same network.
#include <benchmark/benchmark.h>

#include <string>

#include "kernels_ref/isa/isa_control.hpp"
#include "kernels_ref/network/resnet18.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::bench {
namespace {

using namespace bufferproof::kernels;

void run(benchmark::State& state, Isa isa, int threads, std::int64_t batch, DType dtype,
         const NumericsProfile& profile) {
  set_isa(isa);
  set_thread_count(threads);
  ResNet18 network(1, dtype, profile);
  const Tensor images = ResNet18::images(dtype, batch, 224, 7);
  for (auto _ : state) benchmark::DoNotOptimize(network.forward(images.view()));
  set_isa(std::nullopt);
  set_thread_count(0);
}

void add(const std::string& mode, Isa isa, int threads, std::int64_t batch, DType dtype,
         const NumericsProfile& profile) {
  const std::string name = "resnet18/b" + std::to_string(batch) + "/t" + std::to_string(threads) + "/" +
                           mode + "/" + std::string(kernels::name(isa));
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& s) { run(s, isa, threads, batch, dtype, profile); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void register_all() {
  const Isa best = supported_isas().back();
  for (const Isa isa : supported_isas()) {
    if (isa == Isa::baseline && best != Isa::baseline) continue;  // software FMA: minutes
    for (const std::int64_t batch : {1, 8}) add("f32", isa, 2, batch, DType::f32, {});
  }
  add("f32", best, 1, 1, DType::f32, {});
  add("f32", best, 1, 8, DType::f32, {});
  for (const int threads : {1, 2}) add("f64", best, threads, 8, DType::f64, {});
  add("f32-ascend-a2", best, 2, 8, DType::f32, numerics_profile("ascend-a2"));
}

}  // namespace
}  // namespace bufferproof::bench

int main(int argc, char** argv) {
  bufferproof::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
