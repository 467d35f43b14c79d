// ResNet-18's convolutions: our modes and instruction sets, Eigen's im2col + GEMM, and the machine's FMA peak
// as the floor.
//
// Run with --benchmark_enable_random_interleaving=true --benchmark_repetitions=9: ratios of medians are the
// result. Counter `gflops` counts every tap, padding included.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <Eigen/Core>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels_ref/gemm/convolution.hpp"
#include "kernels_ref/isa/fma_peak.hpp"
#include "kernels_ref/isa/isa_control.hpp"
#include "kernels_ref/parallel.hpp"
#include "tests/bench/resnet_convolutions.hpp"
#include "tests/kernels_ref/random_tensor.hpp"

namespace bufferproof::bench {
namespace {

using namespace bufferproof::kernels;

/// Operands of every convolution of the network, made once.
struct Operands {
  Operands(std::int64_t batch, DType dtype) {
    for (const ConvolutionCase& c : kResNet18) {
      inputs.push_back(random_tensor(dtype, {batch, c.channels, c.size, c.size}, 1));
      weights.push_back(random_tensor(dtype, {c.filters, c.channels, c.kernel, c.kernel}, 2));
      outputs.emplace_back(dtype, Sizes{batch, c.filters, c.out_size(), c.out_size()});
    }
  }
  std::vector<Tensor> inputs, weights, outputs;
};

double total_flops(std::int64_t batch) {
  double work = 0;
  for (const ConvolutionCase& c : kResNet18) work += 2.0 * c.count * c.work();
  return work * static_cast<double>(batch);
}

void count_flops(benchmark::State& state, std::int64_t batch) {
  state.counters["gflops"] =
      benchmark::Counter(total_flops(batch) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void run_ours(benchmark::State& state, Isa isa, int threads, std::int64_t batch, DType dtype,
              const NumericsProfile& profile) {
  set_isa(isa);
  set_thread_count(threads);
  Operands operands(batch, dtype);
  std::vector<PreparedConvolution> prepared;
  for (std::size_t i = 0; i < kResNet18.size(); ++i) {
    const ConvolutionCase& c = kResNet18[i];
    prepared.emplace_back(ConvolutionParams{{c.stride, c.stride}, {c.padding, c.padding}, {1, 1}, 1},
                          operands.weights[i].view(), profile);
  }
  for (auto _ : state)
    for (std::size_t i = 0; i < kResNet18.size(); ++i)
      for (int n = 0; n < kResNet18[i].count; ++n)
        prepared[i].run(operands.inputs[i].view(), operands.outputs[i].view());
  count_flops(state, batch);
  set_isa(std::nullopt);
  set_thread_count(0);
}

/// One convolution alone, for finding what bounds it.
void run_layer(benchmark::State& state, std::size_t layer, int threads, std::int64_t batch) {
  set_thread_count(threads);
  const ConvolutionCase& c = kResNet18[layer];
  const Tensor input = random_tensor(DType::f32, {batch, c.channels, c.size, c.size}, 1);
  const Tensor weight = random_tensor(DType::f32, {c.filters, c.channels, c.kernel, c.kernel}, 2);
  Tensor output(DType::f32, {batch, c.filters, c.out_size(), c.out_size()});
  const PreparedConvolution prepared({{c.stride, c.stride}, {c.padding, c.padding}, {1, 1}, 1}, weight.view(),
                                     {});
  for (auto _ : state) prepared.run(input.view(), output.view());
  state.counters["gflops"] = benchmark::Counter(2e-9 * c.work() * static_cast<double>(batch),
                                                benchmark::Counter::kIsIterationInvariantRate);
  set_thread_count(0);
}

// ---- Eigen: im2col, then one GEMM an image, images across threads.

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void im2col(const ConvolutionCase& c, const float* image, float* columns) {
  const std::int64_t out = c.out_size();
  for (std::int64_t channel = 0; channel < c.channels; ++channel)
    for (std::int64_t i = 0; i < c.kernel; ++i)
      for (std::int64_t j = 0; j < c.kernel; ++j)
        for (std::int64_t y = 0; y < out; ++y) {
          const std::int64_t row = y * c.stride + i - c.padding;
          const float* from = image + (channel * c.size + row) * c.size;
          for (std::int64_t x = 0; x < out; ++x, ++columns) {
            const std::int64_t column = x * c.stride + j - c.padding;
            *columns = row >= 0 && row < c.size && column >= 0 && column < c.size ? from[column] : 0.0F;
          }
        }
}

void eigen_convolution(const ConvolutionCase& c, std::int64_t batch, const Tensor& input,
                       const Tensor& weight, Tensor& output, std::vector<std::vector<float>>& columns,
                       int threads) {
  const std::int64_t taps = c.channels * c.kernel * c.kernel;
  const std::int64_t pixels = c.out_size() * c.out_size();
  const Eigen::Map<const Matrix> filters(weight.view().data<float>(), c.filters, taps);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t n = 0; n < batch; ++n) {
    std::vector<float>& mine = columns[static_cast<std::size_t>(omp_get_thread_num())];
    im2col(c, input.view().data<float>() + n * c.channels * c.size * c.size, mine.data());
    const Eigen::Map<const Matrix> gathered(mine.data(), taps, pixels);
    Eigen::Map<Matrix> result(output.view().data<float>() + n * c.filters * pixels, c.filters, pixels);
    result.noalias() = filters * gathered;
  }
}

void run_eigen(benchmark::State& state, int threads, std::int64_t batch) {
  Eigen::setNbThreads(1);
  Operands operands(batch, DType::f32);
  std::vector<std::vector<float>> columns(static_cast<std::size_t>(threads),
                                          std::vector<float>(147 * 112 * 112));
  for (auto _ : state)
    for (std::size_t i = 0; i < kResNet18.size(); ++i)
      for (int n = 0; n < kResNet18[i].count; ++n)
        eigen_convolution(kResNet18[i], batch, operands.inputs[i], operands.weights[i], operands.outputs[i],
                          columns, threads);
  count_flops(state, batch);
}

/// The floor: independent fused multiply-adds on registers.
void run_peak(benchmark::State& state, Isa isa, int threads) {
  set_isa(isa);
  set_thread_count(threads);
  constexpr std::int64_t kRounds = 2'000'000;
  for (auto _ : state)
    parallel_for(threads, [](std::int64_t) { benchmark::DoNotOptimize(fma_peak().spin(kRounds)); });
  state.counters["gflops"] = benchmark::Counter(2e-9 * fma_peak().fmas_per_round * kRounds * threads,
                                                benchmark::Counter::kIsIterationInvariantRate);
  set_isa(std::nullopt);
  set_thread_count(0);
}

NumericsProfile with_rounding(InputRounding rounding) {
  NumericsProfile profile;
  profile.input_rounding_conv = rounding;
  return profile;
}
NumericsProfile with_block(int block) {
  NumericsProfile profile;
  profile.k_block = block;
  return profile;
}
NumericsProfile with_f64_sums() {
  NumericsProfile profile;
  profile.accumulator = DType::f64;
  return profile;
}

template <typename Body>
void add(const std::string& name, Body body) {
  benchmark::RegisterBenchmark(name.c_str(), body)->Unit(benchmark::kMillisecond)->UseRealTime();
}

void add_mode(const std::string& mode, DType dtype, const NumericsProfile& profile) {
  for (int threads : {1, 2})
    add("convs/b8/t" + std::to_string(threads) + "/" + mode,
        [=](benchmark::State& s) { run_ours(s, supported_isas().back(), threads, 8, dtype, profile); });
}

}  // namespace

void register_all() {
  for (Isa isa : supported_isas()) {
    const std::string set(name(isa));
    for (int threads : {1, 2})
      add("fma_peak/t" + std::to_string(threads) + "/" + set,
          [=](benchmark::State& s) { run_peak(s, isa, threads); });
    if (isa == Isa::baseline) continue;  // software FMA: minutes
    for (int threads : {1, 2})
      add("convs/b8/t" + std::to_string(threads) + "/" + set,
          [=](benchmark::State& s) { run_ours(s, isa, threads, 8, DType::f32, {}); });
    add("convs/b1/t2/" + set, [=](benchmark::State& s) { run_ours(s, isa, 2, 1, DType::f32, {}); });
  }
  add_mode("f64", DType::f64, {});
  add_mode("block8", DType::f32, with_block(8));
  add_mode("block16", DType::f32, with_block(16));
  add_mode("hf32", DType::f32, with_rounding(InputRounding::hf32_ties_even));
  add_mode("bf16_inputs", DType::f32, with_rounding(InputRounding::bf16));
  add_mode("f16_inputs", DType::f32, with_rounding(InputRounding::f16));
  add_mode("f64_sums", DType::f32, with_f64_sums());
  add_mode("ascend-a2", DType::f32, numerics_profile("ascend-a2"));
  add("convs/b8/t2/eigen_im2col", [](benchmark::State& s) { run_eigen(s, 2, 8); });
  add("convs/b8/t1/eigen_im2col", [](benchmark::State& s) { run_eigen(s, 1, 8); });
  for (std::size_t i = 0; i < kResNet18.size(); ++i)
    for (int threads : {1, 2}) {
      const ConvolutionCase& c = kResNet18[i];
      add("layer/b8/t" + std::to_string(threads) + "/" + std::to_string(c.channels) + "x" +
              std::to_string(c.size) + "_" + std::to_string(c.filters) + "k" + std::to_string(c.kernel) +
              "s" + std::to_string(c.stride),
          [=](benchmark::State& s) { run_layer(s, i, threads, 8); });
    }
}

}  // namespace bufferproof::bench

int main(int argc, char** argv) {
  bufferproof::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
