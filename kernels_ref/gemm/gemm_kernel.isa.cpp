#include "kernels_ref/gemm/gemm_kernel.hpp"

#include "kernels_ref/isa/vector.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
namespace {

// 32 registers hold 24 running sums; 16 registers hold 12.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 4;
#endif
constexpr int kTileVectors = 3;

template <typename T>
constexpr GemmTileShape kShape{kTileRows, kTileVectors* kLanes<T>, kLanes<T>};

BUFFERPROOF_INLINE std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

template <typename T, bool kFused>
BUFFERPROOF_INLINE Vec<T> multiply_add(Vec<T> weight, Vec<T> value, Vec<T> sum) {
  if constexpr (kFused)
    return fma(weight, value, sum);
  else
    return sum + weight * value;
}

/// The running sums of one tile: kTileRows rows of kVectors vectors of columns, kept in registers.
template <typename T, int kVectors>
struct TileSums {
  Vec<T> at[kTileRows][kVectors];
};

template <typename T, int kVectors>
BUFFERPROOF_INLINE void clear(TileSums<T, kVectors>& sums) {
#pragma GCC unroll 8
  for (int i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < kVectors; ++j) sums.at[i][j] = Vec<T>{};
  }
}

template <typename T, int kVectors>
BUFFERPROOF_INLINE void load_tile(TileSums<T, kVectors>& sums, const T* tile) {
#pragma GCC unroll 8
  for (int i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < kVectors; ++j) sums.at[i][j] = load<T>(tile + (i * kVectors + j) * kLanes<T>);
  }
}

template <typename T, int kVectors>
BUFFERPROOF_INLINE void store_tile(const TileSums<T, kVectors>& sums, T* tile) {
#pragma GCC unroll 8
  for (int i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < kVectors; ++j) store<T>(tile + (i * kVectors + j) * kLanes<T>, sums.at[i][j]);
  }
}

/// tile = tile + sums: one more block of taps joins the total.
template <typename T, int kVectors>
BUFFERPROOF_INLINE void add_to_tile(const TileSums<T, kVectors>& sums, T* tile) {
#pragma GCC unroll 8
  for (int i = 0; i < kTileRows; ++i) {
#pragma GCC unroll 3
    for (int j = 0; j < kVectors; ++j) {
      T* place = tile + (i * kVectors + j) * kLanes<T>;
      store<T>(place, load<T>(place) + sums.at[i][j]);
    }
  }
}

/// The chain over `count` taps: per tap, kTileRows weights (broadcast) times kVectors vectors of the panel.
template <typename T, bool kFused, int kVectors>
BUFFERPROOF_INLINE void chain(TileSums<T, kVectors>& sums, const T*& weights, const T*& panel,
                              std::int64_t count) {
  for (std::int64_t tap = 0; tap < count; ++tap) {
    Vec<T> values[kVectors];
#pragma GCC unroll 3
    for (int j = 0; j < kVectors; ++j) values[j] = load<T>(panel + j * kLanes<T>);
#pragma GCC unroll 8
    for (int i = 0; i < kTileRows; ++i) {
      const Vec<T> weight = broadcast<T>(weights[i]);
#pragma GCC unroll 3
      for (int j = 0; j < kVectors; ++j)
        sums.at[i][j] = multiply_add<T, kFused>(weight, values[j], sums.at[i][j]);
    }
    weights += kTileRows;
    panel += kVectors * kLanes<T>;
  }
}

/// One pass of taps over one tile. `first`: nothing is in the tile yet.
template <typename T, bool kFused, bool kBlocked, int kVectors>
void multiply_tile(const T* weights, const T* panel, std::int64_t count, std::int64_t block, T* tile,
                   bool first) {
  TileSums<T, kVectors> sums;
  if constexpr (!kBlocked) {
    if (first)
      clear(sums);
    else
      load_tile(sums, tile);
    chain<T, kFused, kVectors>(sums, weights, panel, count);
    store_tile(sums, tile);
  } else {
    for (std::int64_t done = 0; done < count; done += block) {
      clear(sums);
      chain<T, kFused, kVectors>(sums, weights, panel, smaller(block, count - done));
      if (first && done == 0)
        store_tile(sums, tile);
      else
        add_to_tile(sums, tile);
    }
  }
}

/// A piece of a panel whose columns are neighbours in the source.
struct Run {
  std::int64_t offset;
  int to;
  int count;
};

/// Cuts the columns [first, last) where an output row ends; returns the number of runs.
int make_runs(const ColumnGrid& grid, std::int64_t first, std::int64_t last, Run* runs) {
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

template <typename T>
BUFFERPROOF_INLINE void copy_exact(T* to, const T* from, int count) {
  int i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>) store<T>(to + i, load<T>(from + i));
  for (; i < count; ++i) to[i] = from[i];
}

/// Copies whole vectors: what lies past the run is overwritten by the next run or by the zeros of the tail.
template <typename T>
BUFFERPROOF_INLINE void copy_over(T* to, const T* from, int count) {
  for (int i = 0; i < count; i += kLanes<T>) store<T>(to + i, load<T>(from + i));
}

/// Gathers `taps` rows of `width` columns; columns past `columns` become zeros.
template <typename T>
void pack_panel(const GemmTask<T>& task, std::int64_t first_tap, std::int64_t taps, const Run* runs,
                int run_count, int columns, int width) {
  T* to = task.panel;
  for (std::int64_t tap = 0; tap < taps; ++tap, to += width) {
    const T* from = task.source + task.tap_offsets[first_tap + tap];
    if (task.over_read) {
      for (int r = 0; r < run_count; ++r) copy_over(to + runs[r].to, from + runs[r].offset, runs[r].count);
    } else {
      for (int r = 0; r < run_count; ++r) copy_exact(to + runs[r].to, from + runs[r].offset, runs[r].count);
    }
    for (int i = columns; i < width; ++i) to[i] = T{0};
  }
}

template <typename T, typename Value>
BUFFERPROOF_INLINE Value finish(const GemmEpilogue<T>& epilogue, Value value, Value scale, Value shift,
                                Value addend) {
  if (epilogue.scale != nullptr)
    value = fma(value, scale, shift);
  else if (epilogue.shift != nullptr)
    value = value + shift;
  if (epilogue.addend != nullptr) value = value + addend;
  if (epilogue.relu) value = value <= Value{} ? Value{} : value;  // false for NaN, which stays
  return value == value ? value : Value{} + canonical(static_cast<T>(__builtin_nan("")));
}

/// One row of a tile, `count` columns that lie next to each other in the output.
template <typename T>
BUFFERPROOF_INLINE void write_row(const GemmTask<T>& task, std::int64_t row, std::int64_t place,
                                  const T* sums, std::int64_t count) {
  const GemmEpilogue<T>& epilogue = task.epilogue;
  const T scale = epilogue.scale != nullptr ? epilogue.scale[row] : T{1};
  const T shift = epilogue.shift != nullptr ? epilogue.shift[row] : T{0};
  const T* addend = epilogue.addend != nullptr ? epilogue.addend + place : sums;
  T* out = task.out + place;
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>)
    store<T>(out + i, finish<T, Vec<T>>(epilogue, load<T>(sums + i), broadcast<T>(scale), broadcast<T>(shift),
                                        load<T>(addend + i)));
  for (; i < count; ++i) out[i] = finish<T, T>(epilogue, sums[i], scale, shift, addend[i]);
}

template <typename T>
void write_tile(const GemmTask<T>& task, std::int64_t tile_index, std::int64_t first, std::int64_t last,
                int width) {
  const std::int64_t top = tile_index * kTileRows;
  const std::int64_t rows = smaller(kTileRows, task.rows - top);
  (void)width;
  for (std::int64_t column = first; column < last;) {
    const std::int64_t image = column / task.grid.per_image;
    const std::int64_t rest = column % task.grid.per_image;
    const std::int64_t count = smaller(last - column, task.grid.per_image - rest);
    for (std::int64_t i = 0; i < rows; ++i)
      write_row(task, top + i, image * task.out_image_stride + (top + i) * task.out_row_stride + rest,
                task.tiles + i * width + (column - first), count);
    column += count;
  }
}

/// One panel against all row tiles, for one pass of taps.
template <typename T, bool kFused, bool kBlocked>
void multiply_panel(const GemmTask<T>& task, std::int64_t first_tap, std::int64_t taps, T* tiles,
                    std::int64_t first, std::int64_t last) {
  Run runs[kTileVectors * kLanes<T>];
  const int run_count = make_runs(task.grid, first, last, runs);
  const int vectors = static_cast<int>((last - first + kLanes<T> - 1) / kLanes<T>);
  const int width = vectors * kLanes<T>;
  pack_panel(task, first_tap, taps, runs, run_count, static_cast<int>(last - first), width);
  const bool first_pass = first_tap == 0;
  const bool last_pass = first_tap + taps == task.taps;
  const T* weights =
      task.weights + first_tap * task.row_tiles * kTileRows + task.first_tile * kTileRows * taps;
  for (std::int64_t tile = task.first_tile; tile < task.last_tile; ++tile) {
    auto* multiply = vectors == 3   ? multiply_tile<T, kFused, kBlocked, 3>
                     : vectors == 2 ? multiply_tile<T, kFused, kBlocked, 2>
                                    : multiply_tile<T, kFused, kBlocked, 1>;
    multiply(weights, task.panel, taps, task.k_block, tiles, first_pass);
    if (last_pass) {
      GemmTask<T> at = task;
      at.tiles = tiles;
      write_tile(at, tile, first, last, width);
    }
    weights += kTileRows * taps;
    tiles += kTileRows * width;
  }
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
        multiply_panel<T, kFused, kBlocked>(task, tap, taps, task.tiles + (first - block) * tile_rows, first,
                                            smaller(block_end, first + kColumns));
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

constinit const GemmKernels gemm_kernels{
    .shape_f32 = kShape<float>, .shape_f64 = kShape<double>, .run_f32 = run<float>, .run_f64 = run<double>};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
