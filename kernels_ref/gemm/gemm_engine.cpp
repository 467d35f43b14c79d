#include "kernels_ref/gemm/gemm_engine.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels_ref/gemm/scratch.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {
namespace {

/// Tiles of a column block stay in the second-level cache between passes.
constexpr std::int64_t kTileElements = 65536;
constexpr std::int64_t kSmallestPart = 1 << 16;  // multiply-adds below which a thread is not worth waking

std::int64_t round_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

/// How many parts of which dimension.
struct Split {
  int columns = 1;
  int rows = 1;
};

template <typename T>
Split choose_split(const GemmProblem<T>& problem, int threads) {
  const PackedWeights<T>& weights = *problem.weights;
  const double work = static_cast<double>(weights.rows()) * static_cast<double>(weights.taps()) *
                      static_cast<double>(problem.columns);
  threads = static_cast<int>(std::clamp<double>(work / static_cast<double>(kSmallestPart), 1, threads));
  const auto imbalance = [threads](std::int64_t units) {
    return static_cast<double>(round_up(units, threads)) /
           static_cast<double>(std::max<std::int64_t>(units, 1));
  };
  const double by_columns = imbalance((problem.columns + weights.shape().lanes - 1) / weights.shape().lanes);
  const double by_rows = imbalance(weights.row_tiles());
  const bool heavy_weights = weights.rows() > 2 * problem.columns;
  return by_columns > by_rows * 1.02 || heavy_weights ? Split{1, threads} : Split{threads, 1};
}

template <typename T>
GemmTask<T> make_task(const GemmProblem<T>& problem) {
  const PackedWeights<T>& weights = *problem.weights;
  return {.weights = weights.data(),
          .rows = weights.rows(),
          .row_tiles = weights.row_tiles(),
          .first_tile = 0,
          .last_tile = weights.row_tiles(),
          .source = problem.source,
          .tap_offsets = problem.tap_offsets.data(),
          .taps = weights.taps(),
          .taps_per_pass = weights.taps_per_pass(),
          .grid = problem.grid,
          .first_column = 0,
          .last_column = problem.columns,
          .out = problem.out,
          .out_image_stride = problem.out_image_stride,
          .out_row_stride = problem.out_row_stride,
          .epilogue = problem.epilogue,
          .k_block = problem.profile->k_block,
          .fused = problem.profile->fused_product,
          .panel = nullptr,
          .tiles = nullptr,
          .columns_per_block = 0};
}

/// The part `index` of `parts` of [0, count), in whole units.
struct Part {
  std::int64_t begin;
  std::int64_t end;
};
Part cut(std::int64_t count, std::int64_t unit, std::int64_t index, std::int64_t parts) {
  const std::int64_t units = (count + unit - 1) / unit;
  return {std::min(count, units * index / parts * unit), std::min(count, units * (index + 1) / parts * unit)};
}

template <typename T>
void run_kernel(const GemmKernels& kernels, const GemmTask<T>& task) {
  if constexpr (std::is_same_v<T, float>)
    kernels.run_f32(task);
  else
    kernels.run_f64(task);
}

}  // namespace

template <typename T>
void run_gemm(const GemmProblem<T>& problem) {
  if (problem.columns == 0 || problem.weights->rows() == 0) return;
  const GemmTileShape& shape = problem.weights->shape();
  const Split split = choose_split(problem, thread_count());
  GemmTask<T> task = make_task(problem);
  const std::int64_t tile_rows = (task.row_tiles + split.rows - 1) / split.rows * shape.rows;
  task.columns_per_block =
      std::clamp<std::int64_t>(kTileElements / tile_rows / shape.columns, 1, 8) * shape.columns;
  const std::int64_t panel = round_up(task.taps_per_pass * shape.columns + shape.lanes, 16);
  const std::int64_t tiles = tile_rows * task.columns_per_block;
  const int parts = split.columns * split.rows;
  T* memory = scratch<T>(ScratchUse::tiles, parts * (panel + tiles));
  parallel_for(parts, [&](std::int64_t part) {
    GemmTask<T> mine = task;
    const Part columns = cut(problem.columns, shape.lanes, part % split.columns, split.columns);
    const Part rows = cut(task.row_tiles, 1, part / split.columns, split.rows);
    mine.first_column = columns.begin;
    mine.last_column = columns.end;
    mine.first_tile = rows.begin;
    mine.last_tile = rows.end;
    mine.panel = memory + part * (panel + tiles);
    mine.tiles = mine.panel + panel;
    run_kernel(problem.weights->kernels(), mine);
  });
}

template void run_gemm<float>(const GemmProblem<float>&);
template void run_gemm<double>(const GemmProblem<double>&);

}  // namespace bufferproof::kernels
