#include "kernels_ref/ops/pool.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/pool_kernel.hpp"
#include "kernels_ref/ops/pool_shapes.hpp"
#include "kernels_ref/parallel.hpp"

// Fast: a plane is widened once; each output row takes the window's taps one after the other, every tap for
// all columns at once, so an output still sees its taps in the definition's order. Definition: window by
// window.

namespace bufferproof::kernels {
namespace {

template <typename T>
const PoolRow<T>& pool_row() {
  if constexpr (sizeof(T) == 4) {
    return pool_kernels().f32;
  } else {
    return pool_kernels().f64;
  }
}

/// A plane's elements as T, row-major.
template <typename T>
void read_plane(const ConstTensorView& x, std::int64_t plane, const BlockOp& load, T* to) {
  const int rank = x.rank();
  const std::int64_t width = model::size_in_bytes(x.dtype());
  const std::int64_t columns = x.size(rank - 1);
  std::vector<std::byte> row(static_cast<std::size_t>(columns * width));
  for (std::int64_t i = 0; i < x.size(rank - 2); ++i) {
    const std::byte* const from = plane_of(x, plane) + i * x.stride(rank - 2) * width;
    const void* source = from;
    if (x.stride(rank - 1) != 1) {
      for (std::int64_t j = 0; j < columns; ++j)
        std::memcpy(row.data() + j * width, from + j * x.stride(rank - 1) * width,
                    static_cast<std::size_t>(width));
      source = row.data();
    }
    load.run(&source, to + i * columns, columns);
  }
}

/// Writes `count` T values as row `i` of an output's plane.
template <typename T>
void write_row(const TensorView& out, std::int64_t plane, std::int64_t i, const BlockOp& store,
               const T* values, std::int64_t count) {
  const int rank = out.rank();
  const std::int64_t width = model::size_in_bytes(out.dtype());
  std::byte* const to = plane_of(out, plane) + i * out.stride(rank - 2) * width;
  if (out.stride(rank - 1) == 1 || count == 0) {
    const void* const from = values;
    return store.run(&from, to, count);
  }
  for (std::int64_t j = 0; j < count; ++j) {
    const void* const from = values + j;
    store.run(&from, to + j * out.stride(rank - 1) * width, 1);
  }
}

/// Output columns whose tap `offset` columns after the window's start lies inside [0, axis.input).
struct Span {
  std::int64_t begin, end;
};
Span columns_inside(const PoolAxis& axis, std::int64_t offset) {
  const std::int64_t shift = offset - axis.padding;  // input column = j * stride + shift
  const auto at_least = [&](std::int64_t value) {    // smallest j with j * stride + shift >= value
    const std::int64_t need = value - shift;
    return need <= 0 ? 0 : (need + axis.stride - 1) / axis.stride;
  };
  const std::int64_t begin = std::min(at_least(0), axis.output);
  return {begin, std::max(begin, std::min(at_least(axis.input), axis.output))};
}

/// First position of window i that lies inside the input.
std::int64_t first_inside(const PoolAxis& axis, std::int64_t i) {
  std::int64_t at = axis.start(i);
  if (at < 0) at += (-at + axis.dilation - 1) / axis.dilation * axis.dilation;
  return at;
}

/// What all rows of all planes share.
struct MaxColumns {
  std::vector<std::int64_t> first;  ///< per output column: the first position of its window inside the input
  std::vector<Span> spans;          ///< per tap: the outputs it counts for

  explicit MaxColumns(const PoolAxis& columns) {
    for (std::int64_t j = 0; j < columns.output; ++j) first.push_back(first_inside(columns, j));
    for (std::int64_t c = 0; c < columns.kernel; ++c)
      spans.push_back(columns_inside(columns, c * columns.dilation));
  }
};

template <typename T, typename Position = typename PoolRow<T>::Position>
void max_plane(const PoolPlan& plan, const MaxColumns& shared, const T* x, std::int64_t i, T* best,
               Position* index) {
  const PoolAxis& rows = plan.rows;
  const PoolAxis& columns = plan.columns;
  const std::int64_t top = first_inside(rows, i) * columns.input;
  std::fill_n(best, columns.output, -static_cast<T>(__builtin_inf()));
  for (std::int64_t j = 0; j < columns.output; ++j)
    index[j] = static_cast<Position>(top + shared.first[static_cast<std::size_t>(j)]);
  for (std::int64_t r = 0; r < rows.kernel; ++r) {
    const std::int64_t row = rows.start(i) + r * rows.dilation;
    if (row < 0 || row >= rows.input) continue;
    for (std::int64_t c = 0; c < columns.kernel; ++c) {
      const Span span = shared.spans[static_cast<std::size_t>(c)];
      const std::int64_t first = row * columns.input + columns.start(span.begin) + c * columns.dilation;
      pool_row<T>().take_max(x + first, columns.stride, static_cast<Position>(first),
                             static_cast<Position>(columns.stride), best + span.begin, index + span.begin,
                             span.end - span.begin);
    }
  }
}

template <typename T>
void define_max_plane(const PoolPlan& plan, const MaxColumns&, const T* x, std::int64_t i, T* best,
                      std::int64_t* index) {
  for (std::int64_t j = 0; j < plan.columns.output; ++j) {
    best[j] = -static_cast<T>(__builtin_inf());
    index[j] = first_inside(plan.rows, i) * plan.columns.input + first_inside(plan.columns, j);
    for (std::int64_t r = 0; r < plan.rows.kernel; ++r) {
      for (std::int64_t c = 0; c < plan.columns.kernel; ++c) {
        const std::int64_t row = plan.rows.start(i) + r * plan.rows.dilation;
        const std::int64_t column = plan.columns.start(j) + c * plan.columns.dilation;
        if (row < 0 || row >= plan.rows.input || column < 0 || column >= plan.columns.input) continue;
        const T candidate = x[row * plan.columns.input + column];
        if (!(candidate > best[j] || candidate != candidate)) continue;
        best[j] = candidate;
        index[j] = row * plan.columns.input + column;
      }
    }
  }
}

/// Runs body(plane, widened plane) over planes; threads when fast.
template <bool kFast, typename T, typename Body>
void for_each_plane(const PoolPlan& plan, const ConstTensorView& x, Body&& body) {
  const BlockKernels kernels = kFast ? current_block_kernels() : definition_kernels();
  const BlockOp load = BlockOp::cast(x.dtype(), kDTypeOf<T>, {}, kernels);
  const std::int64_t size = plan.rows.input * plan.columns.input;
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> elements(static_cast<std::size_t>(size));
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const void* const direct = plane_of(x, plane);
      const bool in_place = x.dtype() == kDTypeOf<T> && x.stride(x.rank() - 1) == 1 &&
                            x.stride(x.rank() - 2) == plan.columns.input;
      if (!in_place) read_plane(x, plane, load, elements.data());
      body(plane, in_place ? static_cast<const T*>(direct) : elements.data());
    }
  };
  const FpStateGuard state;
  if (!kFast) return run(0, plan.planes);
  parallel_ranges(plan.planes, std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(size, 1)), run);
}

template <bool kFast, typename T>
void max_pool_as(const OpCall& call, const PoolPlan& plan) {
  const ConstTensorView& x = call.tensor(0, "x");
  const BlockKernels kernels = kFast ? current_block_kernels() : definition_kernels();
  const BlockOp store = BlockOp::cast(kDTypeOf<T>, x.dtype(), {}, kernels);
  const BlockOp canonical = BlockOp::elementwise("max", kDTypeOf<T>, {}, kernels);
  using Position = std::conditional_t<kFast, typename PoolRow<T>::Position, std::int64_t>;
  const BlockOp widen = BlockOp::cast(kDTypeOf<Position>, DType::i64, {}, kernels);
  const MaxColumns shared(plan.columns);
  for_each_plane<kFast, T>(plan, x, [&](std::int64_t plane, const T* elements) {
    std::vector<T> best(static_cast<std::size_t>(plan.columns.output));
    std::vector<Position> index(best.size());
    for (std::int64_t i = 0; i < plan.rows.output; ++i) {
      if constexpr (kFast)
        max_plane<T>(plan, shared, elements, i, best.data(), index.data());
      else
        define_max_plane<T>(plan, shared, elements, i, best.data(), index.data());
      const void* const twice[] = {best.data(), best.data()};
      canonical.run(twice, best.data(), plan.columns.output);  // NaN leaves as the canonical NaN
      write_row(call.output(0), plane, i, store, best.data(), plan.columns.output);
      if (call.outputs.size() > 1)
        write_row(call.output(1), plane, i, widen, index.data(), plan.columns.output);
    }
  });
}

template <bool kFast>
void max_pool2d(const OpCall& call) {
  const PoolPlan plan = checked_pool(call, true);
  if (call.outputs.size() > 1) call.expect_dtype("index", call.output(1), DType::i64);
  if (call.output(0).dtype() == DType::f64) return max_pool_as<kFast, double>(call, plan);
  if (plan.columns.input > 0 && plan.rows.input > INT32_MAX / plan.columns.input)
    return max_pool_as<false, float>(call, plan);
  max_pool_as<kFast, float>(call, plan);
}

/// An average's window along one axis, and how many positions its divisor counts.
struct Window {
  std::int64_t begin, end, counted;
};
using WindowOf = Window (*)(const PoolAxis&, std::int64_t i, bool include_padding);

Window strided_window(const PoolAxis& axis, std::int64_t i, bool include_padding) {
  const std::int64_t start = axis.start(i);
  const std::int64_t end = std::min(start + axis.kernel, axis.input + axis.padding);
  const std::int64_t inside = std::max<std::int64_t>(start, 0);
  const std::int64_t past = std::min(end, axis.input);
  return {inside, std::max(past, inside),
          include_padding ? end - start : std::max<std::int64_t>(past - inside, 0)};
}
Window adaptive_window(const PoolAxis& axis, std::int64_t i, bool) {
  const std::int64_t begin = i * axis.input / axis.output;
  const std::int64_t end = ((i + 1) * axis.input + axis.output - 1) / axis.output;
  return {begin, end, end - begin};
}

template <bool kFast, typename T, WindowOf kWindow>
void average_row(const PoolPlan& plan, const T* x, std::int64_t i, std::int64_t divisor, bool include_padding,
                 T* sum) {
  const Window rows = kWindow(plan.rows, i, include_padding);
  const std::int64_t count = plan.columns.output;
  std::fill(sum, sum + count, static_cast<T>(0));
  const bool strided = kWindow == strided_window;
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const T* const row = x + r * plan.columns.input;
    for (std::int64_t c = 0; kFast && strided && c < plan.columns.kernel; ++c) {
      const Span span = columns_inside(plan.columns, c);
      pool_row<T>().take_sum(row + plan.columns.start(span.begin) + c, plan.columns.stride, sum + span.begin,
                             span.end - span.begin);
    }
    for (std::int64_t j = 0; !(kFast && strided) && j < count; ++j) {
      const Window columns = kWindow(plan.columns, j, include_padding);
      for (std::int64_t c = columns.begin; c < columns.end; ++c) sum[j] = sum[j] + row[c];
    }
  }
  for (std::int64_t j = 0; j < count; ++j) {
    const std::int64_t counted = rows.counted * kWindow(plan.columns, j, include_padding).counted;
    sum[j] = sum[j] / static_cast<T>(divisor != 0 ? divisor : counted);
  }
}

template <bool kFast, typename T, WindowOf kWindow>
void average_as(const OpCall& call, const PoolPlan& plan, std::int64_t divisor, bool include_padding) {
  const ConstTensorView& x = call.tensor(0, "x");
  const BlockKernels kernels = kFast ? current_block_kernels() : definition_kernels();
  const BlockOp store = BlockOp::cast(kDTypeOf<T>, x.dtype(), {}, kernels);
  const BlockOp canonical = BlockOp::elementwise("max", kDTypeOf<T>, {}, kernels);
  for_each_plane<kFast, T>(plan, x, [&](std::int64_t plane, const T* elements) {
    std::vector<T> sum(static_cast<std::size_t>(plan.columns.output));
    for (std::int64_t i = 0; i < plan.rows.output; ++i) {
      average_row<kFast, T, kWindow>(plan, elements, i, divisor, include_padding, sum.data());
      const void* const twice[] = {sum.data(), sum.data()};
      canonical.run(twice, sum.data(), plan.columns.output);
      write_row(call.output(0), plane, i, store, sum.data(), plan.columns.output);
    }
  });
}

template <bool kFast, WindowOf kWindow>
void average(const OpCall& call, const PoolPlan& plan, std::int64_t divisor, bool include_padding) {
  if (call.output(0).dtype() == DType::f64 || call.numerics.f64_golden)
    return average_as<kFast, double, kWindow>(call, plan, divisor, include_padding);
  average_as<kFast, float, kWindow>(call, plan, divisor, include_padding);
}

template <bool kFast>
void avg_pool2d(const OpCall& call) {
  const PoolPlan plan = checked_pool(call, false);
  call.expect_counts(1, 1);
  const std::int64_t divisor = call.integer("divisor_override", 0);
  average<kFast, strided_window>(call, plan, divisor, call.boolean("count_include_pad", true));
}

template <bool kFast>
void adaptive_avg_pool2d(const OpCall& call) {
  const PoolPlan plan = checked_adaptive_pool(call);
  call.expect_counts(1, 1);
  average<kFast, adaptive_window>(call, plan, 0, false);
}

}  // namespace

void register_pool_ops(OpRegistry& registry) {
  registry.add({"max_pool2d", max_pool2d<true>, max_pool2d<false>, Promise::exact});
  registry.add({"avg_pool2d", avg_pool2d<true>, avg_pool2d<false>, Promise::bounded});
  registry.add(
      {"adaptive_avg_pool2d", adaptive_avg_pool2d<true>, adaptive_avg_pool2d<false>, Promise::bounded});
}

}  // namespace bufferproof::kernels
