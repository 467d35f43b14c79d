#include "kernels_ref/gemm/stage_kernel.hpp"

#include "kernels_ref/convert16.hpp"
#include "kernels_ref/isa/vector.hpp"

namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE {
namespace {

/// Storage of an element, told apart by type: f16 and bf16 are both 16 bits.
struct F16 {
  std::uint16_t bits;
};
struct Bf16 {
  std::uint16_t bits;
};

template <typename A, typename B>
constexpr bool kSame = false;
template <typename A>
constexpr bool kSame<A, A> = true;

template <typename T, InputRounding kRounding>
BUFFERPROOF_INLINE T widen(F16 value) {
  return static_cast<T>(f16_to_f32(value.bits));
}
template <typename T, InputRounding kRounding>
BUFFERPROOF_INLINE T widen(Bf16 value) {
  return static_cast<T>(bf16_to_f32(value.bits));
}
template <typename T, InputRounding kRounding>
BUFFERPROOF_INLINE T widen(float value) {
  return static_cast<T>(round_input<kRounding>(value));
}
template <typename T, InputRounding kRounding>
BUFFERPROOF_INLINE T widen(double value) {
  return static_cast<T>(value);
}

/// `count` elements, `stride` apart, become neighbours. Strides 1 and 2 have loops of their own: those
/// vectorise.
template <typename T, typename Source, InputRounding kRounding>
BUFFERPROOF_INLINE void copy_row(T* __restrict to, const Source* __restrict from, std::int64_t stride,
                                 std::int64_t count) {
  if constexpr (kSame<T, Source> && kRounding == InputRounding::none) {
    if (stride == 1) return copy_array(to, from, count);
  }
  if (stride == 1)
    for (std::int64_t i = 0; i < count; ++i) to[i] = widen<T, kRounding>(from[i]);
  else if (stride == 2)
    for (std::int64_t i = 0; i < count; ++i) to[i] = widen<T, kRounding>(from[2 * i]);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = widen<T, kRounding>(from[stride * i]);
}

template <typename T>
BUFFERPROOF_INLINE void zero(T* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = T{0};
}

/// The columns phase, phase + stride_x, ... of one padded row.
template <typename T, typename Source, InputRounding kRounding>
BUFFERPROOF_INLINE void stage_phase(const PlaneTask& task, const Source* row, std::int64_t phase, T* to) {
  const std::int64_t shift = phase - task.pad_left;  // source column of staged column 0
  std::int64_t begin = shift < 0 ? (-shift + task.stride_x - 1) / task.stride_x : 0;
  std::int64_t end = task.width > shift ? (task.width - shift + task.stride_x - 1) / task.stride_x : 0;
  end = end < task.phase_width ? end : task.phase_width;
  begin = begin < end ? begin : end;
  zero(to, begin);
  copy_row<T, Source, kRounding>(to + begin, row + (begin * task.stride_x + shift) * task.column_stride,
                                 task.stride_x * task.column_stride, end - begin);
  zero(to + end, task.phase_width - end);
}

template <typename T, typename Source, InputRounding kRounding>
void stage_plane_rounded(const PlaneTask& task, const Source* source, T* out) {
  const std::int64_t out_row = task.column_phase_count * task.phase_width;
  for (std::int64_t row_phase = 0; row_phase < task.row_phase_count; ++row_phase)
    for (std::int64_t i = 0; i < task.phase_height; ++i, out += out_row) {
      const std::int64_t row = i * task.stride_y + task.row_phases[row_phase] - task.pad_top;
      if (row < 0 || row >= task.height) {
        zero(out, out_row);
        continue;
      }
      for (std::int64_t j = 0; j < task.column_phase_count; ++j)
        stage_phase<T, Source, kRounding>(task, source + row * task.row_stride, task.column_phases[j],
                                          out + j * task.phase_width);
    }
}

/// Columns far apart in memory are walked in blocks, so that a cache line is used while it is there.
template <typename T, typename Source, InputRounding kRounding>
void stage_matrix_rounded(const MatrixTask& task, const Source* source, T* out) {
  constexpr std::int64_t kBlock = 32;
  if (task.column_stride == 1) {
    for (std::int64_t row = 0; row < task.rows; ++row)
      copy_row<T, Source, kRounding>(out + row * task.out_row_stride, source + row * task.row_stride, 1,
                                     task.columns);
    return;
  }
  for (std::int64_t column = 0; column < task.columns; column += kBlock) {
    const std::int64_t count = task.columns - column < kBlock ? task.columns - column : kBlock;
    for (std::int64_t row = 0; row < task.rows; ++row)
      copy_row<T, Source, kRounding>(out + row * task.out_row_stride + column,
                                     source + row * task.row_stride + column * task.column_stride,
                                     task.column_stride, count);
  }
}

struct StagePlane {
  template <typename T, typename Source, InputRounding kRounding>
  static void apply(const PlaneTask& task, const Source* source, T* out) {
    stage_plane_rounded<T, Source, kRounding>(task, source, out);
  }
};
struct StageMatrix {
  template <typename T, typename Source, InputRounding kRounding>
  static void apply(const MatrixTask& task, const Source* source, T* out) {
    stage_matrix_rounded<T, Source, kRounding>(task, source, out);
  }
};

/// Sources other than f32 are never rounded: their types say what they hold.
template <typename Stage, typename Task, typename T, typename Source>
void stage(const Task& task, const void* untyped, T* out) {
  const auto* source = static_cast<const Source*>(untyped);
  if constexpr (sizeof(Source) != sizeof(float)) {
    Stage::template apply<T, Source, InputRounding::none>(task, source, out);
  } else {
    switch (task.rounding) {
      case InputRounding::none:
        return Stage::template apply<T, Source, InputRounding::none>(task, source, out);
      case InputRounding::hf32_ties_even:
        return Stage::template apply<T, Source, InputRounding::hf32_ties_even>(task, source, out);
      case InputRounding::hf32_ties_toward_zero:
        return Stage::template apply<T, Source, InputRounding::hf32_ties_toward_zero>(task, source, out);
      case InputRounding::tf32:
        return Stage::template apply<T, Source, InputRounding::tf32>(task, source, out);
      case InputRounding::bf16:
        return Stage::template apply<T, Source, InputRounding::bf16>(task, source, out);
      case InputRounding::f16:
        return Stage::template apply<T, Source, InputRounding::f16>(task, source, out);
    }
  }
}

}  // namespace

constinit const StageKernels stage_kernels{
    .plane_f32 = {stage<StagePlane, PlaneTask, float, F16>, stage<StagePlane, PlaneTask, float, Bf16>,
                  stage<StagePlane, PlaneTask, float, float>, nullptr},
    .plane_f64 = {stage<StagePlane, PlaneTask, double, F16>, stage<StagePlane, PlaneTask, double, Bf16>,
                  stage<StagePlane, PlaneTask, double, float>, stage<StagePlane, PlaneTask, double, double>},
    .matrix_f32 = {stage<StageMatrix, MatrixTask, float, F16>, stage<StageMatrix, MatrixTask, float, Bf16>,
                   stage<StageMatrix, MatrixTask, float, float>, nullptr},
    .matrix_f64 = {stage<StageMatrix, MatrixTask, double, F16>, stage<StageMatrix, MatrixTask, double, Bf16>,
                   stage<StageMatrix, MatrixTask, double, float>,
                   stage<StageMatrix, MatrixTask, double, double>},
};

}  // namespace bufferproof::kernels::BUFFERPROOF_ISA_NAMESPACE
