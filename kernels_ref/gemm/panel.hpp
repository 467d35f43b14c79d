// The panel of the GEMM kernel: for a pass of taps, the source elements of a few columns gathered into rows
// of whole vectors.
//
// Columns that are neighbours in the source make a run; a run is copied for all taps before the next one, so
// that its length is decided once. Copies are exact: nothing past a run is read or written. Only for
// gemm_kernel.isa.cpp. Tested by tests/kernels_ref/matmul_test.cpp and convolution_test.cpp.
#pragma once

#include "kernels_ref/gemm/gemm_kernel.hpp"
#include "kernels_ref/gemm/tile.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {

struct Run {
  std::int64_t offset;
  int to;
  int count;
};

/// Cuts the columns [first, last) where an output row ends; returns the number of runs.
BUFFERPROOF_INLINE int make_runs(const ColumnGrid& grid, std::int64_t first, std::int64_t last, Run* runs) {
  int made = 0;
  for (std::int64_t column = first; column < last; ++made) {
    const std::int64_t image = column / grid.per_image;
    const std::int64_t rest = column % grid.per_image;
    const std::int64_t row = rest / grid.per_row;
    const std::int64_t in_row = rest % grid.per_row;
    const std::int64_t count = smaller(last - column, grid.per_row - in_row);
    runs[made] = {image * grid.image_stride + row * grid.row_stride + in_row,
                  static_cast<int>(column - first), static_cast<int>(count)};
    column += count;
  }
  return made;
}

/// `taps` rows of a panel, seen from one run.
template <typename T>
struct RunCopy {
  T* to;
  int width;  ///< elements from one panel row to the next
  const T* from;
  const std::int64_t* offsets;  ///< of each tap
  std::int64_t taps;
};

/// Runs of at least one vector: whole vectors, then one that ends where the run ends.
template <typename T, int kWhole>
BUFFERPROOF_INLINE void copy_long(const RunCopy<T>& copy, int count) {
  T* to = copy.to;
  for (std::int64_t tap = 0; tap < copy.taps; ++tap, to += copy.width) {
    const T* from = copy.from + copy.offsets[tap];
    Vec<T> values[kWhole];
#pragma GCC unroll 3
    for (int j = 0; j < kWhole; ++j) values[j] = load<T>(from + j * kLanes<T>);
    const Vec<T> end = load<T>(from + count - kLanes<T>);
#pragma GCC unroll 3
    for (int j = 0; j < kWhole; ++j) store<T>(to + j * kLanes<T>, values[j]);
    store<T>(to + count - kLanes<T>, end);
  }
}

/// Runs shorter than a vector.
template <typename T>
BUFFERPROOF_INLINE void copy_short(const RunCopy<T>& copy, int count) {
  T* to = copy.to;
  for (std::int64_t tap = 0; tap < copy.taps; ++tap, to += copy.width)
    copy_few(to, copy.from + copy.offsets[tap], count);
}

template <typename T>
BUFFERPROOF_INLINE void copy_run(const RunCopy<T>& copy, int count) {
  if (count < kLanes<T>)
    copy_short(copy, count);
  else if (count < 2 * kLanes<T>)
    copy_long<T, 1>(copy, count);
  else if (count < 3 * kLanes<T>)
    copy_long<T, 2>(copy, count);
  else
    copy_long<T, 3>(copy, count);
}

/// Gathers `taps` rows of `width` elements; columns past the last one become zeros.
template <typename T>
void pack_panel(const GemmTask<T>& task, std::int64_t first_tap, std::int64_t taps, std::int64_t first,
                std::int64_t last, int width) {
  Run runs[kTileVectors * kLanes<T>];
  const int run_count = make_runs(task.grid, first, last, runs);
  for (int r = 0; r < run_count; ++r)
    copy_run<T>(
        {task.panel + runs[r].to, width, task.source + runs[r].offset, task.tap_offsets + first_tap, taps},
        runs[r].count);
  const auto columns = static_cast<int>(last - first);
  if (columns == width) return;
  for (std::int64_t tap = 0; tap < taps; ++tap)
    for (int i = columns; i < width; ++i) task.panel[tap * width + i] = T{0};
}

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
