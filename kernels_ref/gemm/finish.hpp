// The end of a GEMM tile: the epilogue's steps on the finished sums, and the way to the output.
//
// Only for gemm_kernel.isa.cpp. Tested by tests/kernels_ref/convolution_test.cpp.
#pragma once

#include "kernels_ref/gemm/gemm_kernel.hpp"
#include "kernels_ref/gemm/tile.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {

/// GemmEpilogue's steps on one value or vector. `addend` is read only where the epilogue has one.
template <typename T, typename Value>
BUFFERPROOF_INLINE Value finish(const GemmEpilogue<T>& epilogue, Value value, T scale, T shift,
                                Value addend) {
  if (epilogue.scale != nullptr)
    value = fma(value, scale - Value{}, shift - Value{});  // x - 0 is x: a broadcast
  else if (epilogue.shift != nullptr)
    value = value + shift;
  if (epilogue.addend != nullptr) value = value + addend;
  if (epilogue.relu) value = value <= Value{} ? Value{} : value;  // false for NaN, which stays
  return value == value ? value : __builtin_bit_cast(T, kNan<T>) - Value{};
}

/// `count` neighbouring columns of one row: sums to output.
template <typename T>
BUFFERPROOF_INLINE void write_row(const GemmTask<T>& task, std::int64_t row, T* out, const T* sums,
                                  std::int64_t count) {
  const GemmEpilogue<T>& epilogue = task.epilogue;
  const T scale = epilogue.scale != nullptr ? epilogue.scale[row] : T{1};
  const T shift = epilogue.shift != nullptr ? epilogue.shift[row] : T{0};
  const T* addend = epilogue.addend != nullptr ? epilogue.addend + (out - task.out) : sums;
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>)
    store<T>(out + i, finish<T, Vec<T>>(epilogue, load<T>(sums + i), scale, shift, load<T>(addend + i)));
  for (; i < count; ++i) out[i] = finish<T, T>(epilogue, sums[i], scale, shift, addend[i]);
}

/// A tile in memory whose columns [first, last) may lie in several images and whose rows may pass the last
/// one.
template <typename T>
void write_tile(const GemmTask<T>& task, const T* tile, std::int64_t top, std::int64_t first,
                std::int64_t last, int width) {
  const std::int64_t rows = smaller(kTileRows, task.rows - top);
  for (std::int64_t column = first; column < last;) {
    const std::int64_t image = column / task.grid.per_image;
    const std::int64_t rest = column % task.grid.per_image;
    const std::int64_t count = smaller(last - column, task.grid.per_image - rest);
    T* out = task.out + image * task.out_image_stride + top * task.out_row_stride + rest;
    for (std::int64_t i = 0; i < rows; ++i)
      write_row(task, top + i, out + i * task.out_row_stride, tile + i * width + (column - first), count);
    column += count;
  }
}

/// A tile in registers, all rows and columns of it inside one image.
template <typename T, int kVectors>
BUFFERPROOF_INLINE void write_whole(const GemmTask<T>& task, TileSums<T, kVectors>& sums, std::int64_t top,
                                    T* out) {
  const GemmEpilogue<T>& epilogue = task.epilogue;
  const T* addend = epilogue.addend != nullptr ? epilogue.addend + (out - task.out) : out;
  for_each_sum(sums, [&](Vec<T>& sum, int i, int j) {
    const std::int64_t place = i * task.out_row_stride + j * kLanes<T>;
    const T scale = epilogue.scale != nullptr ? epilogue.scale[top + i] : T{1};
    const T shift = epilogue.shift != nullptr ? epilogue.shift[top + i] : T{0};
    const Vec<T> added = epilogue.addend != nullptr ? load<T>(addend + place) : sum;
    store<T>(out + place, finish<T, Vec<T>>(epilogue, sum, scale, shift, added));
  });
}

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
