// The loops of the GEMM kernel: column blocks, passes of taps, panels, row tiles. What happens inside is in
// tile.hpp, panel.hpp and finish.hpp.
#include "kernels_ref/gemm/gemm_kernel.hpp"

#include "kernels_ref/gemm/finish.hpp"
#include "kernels_ref/gemm/pack_rows.hpp"
#include "kernels_ref/gemm/panel.hpp"
#include "kernels_ref/gemm/tile.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
namespace {

template <typename T>
constexpr GemmTileShape kShape{kTileRows, kTileVectors* kLanes<T>, kLanes<T>};

/// One pass of taps over one panel.
struct Pass {
  std::int64_t first_tap;
  std::int64_t taps;
  std::int64_t first_column;
  std::int64_t last_column;
  bool first;
  bool last;
};

/// The panel against all row tiles.
template <typename T, bool kFused, bool kBlocked, int kVectors>
void multiply_panel(const GemmTask<T>& task, const Pass& pass, T* tiles) {
  constexpr int kWidth = kVectors * kLanes<T>;
  pack_panel(task, pass.first_tap, pass.taps, pass.first_column, pass.last_column, kWidth);
  const T* weights =
      task.weights + (pass.first_tap * task.row_tiles + task.first_tile * pass.taps) * kTileRows;
  const std::int64_t image = pass.first_column / task.grid.per_image;
  const std::int64_t in_image = pass.first_column % task.grid.per_image;
  const bool one_image =
      pass.last_column - pass.first_column == kWidth && in_image + kWidth <= task.grid.per_image;
  T* out = task.out + image * task.out_image_stride + in_image;
  for (std::int64_t tile = task.first_tile; tile < task.last_tile;
       ++tile, weights += kTileRows * pass.taps, tiles += kTileRows * kWidth) {
    TileSums<T, kVectors> sums{};
    multiply_tile<T, kFused, kBlocked, kVectors>(sums, weights, task.panel, pass.taps, task.k_block, tiles,
                                                 pass.first);
    const std::int64_t top = tile * kTileRows;
    if (pass.last && one_image && top + kTileRows <= task.rows) {
      write_whole(task, sums, top, out + top * task.out_row_stride);
      continue;
    }
    for_each_sum(
        sums, [tiles](Vec<T>& sum, int i, int j) { store<T>(tiles + (i * kVectors + j) * kLanes<T>, sum); });
    if (pass.last) write_tile(task, tiles, top, pass.first_column, pass.last_column, kWidth);
  }
}

template <typename T, bool kFused, bool kBlocked>
void multiply_panel_of(const GemmTask<T>& task, const Pass& pass, T* tiles) {
  const std::int64_t columns = pass.last_column - pass.first_column;
  if (columns > 2 * kLanes<T>)
    multiply_panel<T, kFused, kBlocked, 3>(task, pass, tiles);
  else if (columns > kLanes<T>)
    multiply_panel<T, kFused, kBlocked, 2>(task, pass, tiles);
  else
    multiply_panel<T, kFused, kBlocked, 1>(task, pass, tiles);
}

template <typename T, bool kFused, bool kBlocked>
void run_task(const GemmTask<T>& task) {
  constexpr std::int64_t kColumns = kTileVectors * kLanes<T>;
  const std::int64_t tile_rows = (task.last_tile - task.first_tile) * kTileRows;
  for (std::int64_t block = task.first_column; block < task.last_column; block += task.columns_per_block) {
    const std::int64_t block_end = smaller(task.last_column, block + task.columns_per_block);
    for (std::int64_t tap = 0; tap < task.taps; tap += task.taps_per_pass) {
      const std::int64_t taps = smaller(task.taps_per_pass, task.taps - tap);
      for (std::int64_t first = block; first < block_end; first += kColumns)
        multiply_panel_of<T, kFused, kBlocked>(
            task, {tap, taps, first, smaller(block_end, first + kColumns), tap == 0, tap + taps == task.taps},
            task.tiles + (first - block) * tile_rows);
    }
  }
}

template <typename T>
void run(const GemmTask<T>& task) {
  if (task.fused)
    task.k_block == 0 ? run_task<T, true, false>(task) : run_task<T, true, true>(task);
  else
    task.k_block == 0 ? run_task<T, false, false>(task) : run_task<T, false, true>(task);
}

}  // namespace

constinit const GemmKernels gemm_kernels{.shape_f32 = kShape<float>,
                                         .shape_f64 = kShape<double>,
                                         .run_f32 = run<float>,
                                         .run_f64 = run<double>,
                                         .pack_f32 = pack_rows<float>,
                                         .pack_f64 = pack_rows<double>};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
