#include "kernels_ref/ops/movement.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/iteration.hpp"
#include "kernels_ref/ops/movement_definition.hpp"
#include "kernels_ref/ops/movement_shapes.hpp"
#include "kernels_ref/parallel.hpp"

// The fast runs: each op is one or a few copies between strided views, or rows looked up by index.

namespace bufferproof::kernels {
namespace {

constexpr std::int64_t kGrainBytes = 65536;

/// The axis of size > 1 whose elements are neighbours in memory; -1 when there is none.
int packed_axis(const Sizes& sizes, const Sizes& strides) {
  for (std::size_t i = sizes.size(); i-- > 0;)
    if (sizes[i] > 1 && strides[i] == 1) return static_cast<int>(i);
  return -1;
}

/// Copies a tile of `rows` by `columns`: columns are neighbours in `to`, rows are neighbours in `from`.
template <typename Unit>
void copy_tile(const std::byte* from, std::int64_t from_step, std::byte* to, std::int64_t to_step,
               std::int64_t rows, std::int64_t columns) {
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      std::memcpy(to + r * to_step + c * static_cast<std::int64_t>(sizeof(Unit)),
                  from + c * from_step + r * static_cast<std::int64_t>(sizeof(Unit)), sizeof(Unit));
}

/// A copy whose inner axes differ, tile by tile so that both sides use whole cache lines; false when that is
/// not the case at hand.
template <typename Unit>
bool copy_by_tiles(const ConstTensorView& from, const TensorView& to) {
  constexpr std::int64_t kTile = 128 / sizeof(Unit);
  const int column = packed_axis(to.sizes(), to.strides());
  const int row = packed_axis(from.sizes(), from.strides());
  if (column < 0 || row < 0 || row == column || to.size(row) < 8 || to.size(column) < 8) return false;
  Sizes outer = to.sizes();
  outer[static_cast<std::size_t>(column)] = 1;
  outer[static_cast<std::size_t>(row)] = (to.size(row) + kTile - 1) / kTile;
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Unit));
  const std::int64_t grain = std::max<std::int64_t>(1, kGrainBytes / (kTile * to.size(column) * kWidth));
  parallel_ranges(element_count(outer), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t unit = begin; unit < end; ++unit) {
      std::int64_t rest = unit;
      std::int64_t source = 0;
      std::int64_t target = 0;
      std::int64_t first = 0;
      for (std::size_t dim = outer.size(); dim-- > 0; rest /= outer[dim]) {
        const bool tiled = static_cast<int>(dim) == row;
        const std::int64_t at = rest % outer[dim] * (tiled ? kTile : 1);
        if (tiled) first = at;
        source += at * from.strides()[dim] * kWidth;
        target += at * to.strides()[dim] * kWidth;
      }
      for (std::int64_t c = 0; c < to.size(column); c += kTile)
        copy_tile<Unit>(from.bytes() + source + c * from.stride(column) * kWidth,
                        from.stride(column) * kWidth, to.bytes() + target + c * kWidth,
                        to.stride(row) * kWidth, std::min(kTile, to.size(row) - first),
                        std::min(kTile, to.size(column) - c));
    }
  });
  return true;
}

void copy_view(const ConstTensorView& from, const TensorView& to) {
  const int width = model::size_in_bytes(to.dtype());
  const bool done = width == 1   ? copy_by_tiles<std::uint8_t>(from, to)
                    : width == 2 ? copy_by_tiles<std::uint16_t>(from, to)
                    : width == 4 ? copy_by_tiles<std::uint32_t>(from, to)
                                 : copy_by_tiles<std::uint64_t>(from, to);
  if (!done) run_blocks(BlockOp::copy(to.dtype()), std::span(&from, 1), to);
}

/// The part of `view` that a window selects.
template <typename View>
View window_view(const View& view, const Window& window, const Sizes& sizes) {
  Sizes strides = view.strides();
  auto* base = view.bytes();
  if (std::find(sizes.begin(), sizes.end(), 0) == sizes.end()) base = element_at(view, window.offsets);
  for (std::size_t i = 0; i < strides.size(); ++i) strides[i] *= window.strides[i];
  return View(base, view.dtype(), sizes, strides);
}

void reshape(const OpCall& call) {
  const ConstTensorView& x = moved_input(call);
  const TensorView& out = call.output(0);
  if (x.element_count() != out.element_count()) call.expect_sizes("out", out, x.sizes());
  if (x.is_contiguous()) return copy_view({x.bytes(), x.dtype(), out.sizes()}, out);
  if (out.is_contiguous()) return copy_view(x, {out.bytes(), out.dtype(), x.sizes()});
  Tensor between(x.dtype(), x.sizes());
  copy_view(x, between.view());
  copy_view({std::as_const(between).view().bytes(), x.dtype(), out.sizes()}, out);
}

void broadcast(const OpCall& call) {
  const std::vector<std::size_t> axes = broadcast_axes(call);
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  Sizes strides(out.sizes().size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) strides[axes[i]] = x.sizes()[i] == 1 ? 0 : x.strides()[i];
  copy_view({x.bytes(), x.dtype(), out.sizes(), strides}, out);
}

void transpose(const OpCall& call) {
  const std::vector<int> order = checked_permutation(call);
  copy_view(call.tensor(0, "x").permute(order), call.output(0));
}

void slice(const OpCall& call) {
  const ConstTensorView& x = moved_input(call);
  const TensorView& out = call.output(0);
  copy_view(window_view(x, checked_window(call, x.sizes(), out.sizes()), out.sizes()), out);
}

void insert_slice(const OpCall& call) {
  call.expect_counts(2, 1);
  const ConstTensorView& source = call.tensor(0, "source");
  const ConstTensorView& base = call.tensor(1, "base");
  const TensorView& out = call.output(0);
  call.expect_dtype("source", source, out.dtype());
  call.expect_dtype("base", base, out.dtype());
  call.expect_sizes("base", base, out.sizes());
  const Window window = checked_window(call, out.sizes(), source.sizes());
  if (base.bytes() != out.bytes() || base.strides() != out.strides()) copy_view(base, out);
  copy_view(source, window_view(out, window, source.sizes()));
}

void concat(const OpCall& call) {
  const std::size_t axis = checked_concat(call);
  const TensorView& out = call.output(0);
  Window window{Sizes(out.sizes().size(), 0), Sizes(out.sizes().size(), 1)};
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const ConstTensorView& x = call.tensor(i, "x");
    copy_view(x, window_view(out, window, x.sizes()));
    window.offsets[axis] += x.sizes()[axis];
  }
}

void pad(const OpCall& call) {
  const Window window{checked_padding(call), Sizes(call.output(0).sizes().size(), 1)};
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  const Tensor value = padding_value(call);
  copy_view(broadcast_to(value.view(), out.sizes(), call.op, "value"), out);
  copy_view(x, window_view(out, window, x.sizes()));
}

/// The output with each axis split into (repeat, size); the input repeats along the first of the two.
void repeat(const OpCall& call) {
  const Sizes repeats = checked_repeats(call);
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  Sizes sizes;
  Sizes from;
  Sizes to;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    sizes.insert(sizes.end(), {repeats[i], x.sizes()[i]});
    from.insert(from.end(), {0, x.strides()[i]});
    to.insert(to.end(), {out.strides()[i] * x.sizes()[i], out.strides()[i]});
  }
  copy_view({x.bytes(), x.dtype(), sizes, from}, {out.bytes(), out.dtype(), sizes, to});
}

void flip(const OpCall& call) {
  const std::vector<bool> flipped = checked_flips(call);
  const ConstTensorView& x = call.tensor(0, "x");
  Sizes last(flipped.size(), 0);
  Sizes strides = x.strides();
  for (std::size_t i = 0; i < flipped.size(); ++i) {
    if (!flipped[i]) continue;
    last[i] = std::max<std::int64_t>(x.sizes()[i] - 1, 0);
    strides[i] = -strides[i];
  }
  copy_view({element_at(x, last), x.dtype(), x.sizes(), strides}, call.output(0));
}

void iota(const OpCall& call) {
  call.expect_counts(0, 1);
  const TensorView& out = call.output(0);
  const std::size_t axis = checked_axis(call, "dim", call.integer("dim", 0), out.sizes().size());
  Tensor counts(DType::i64, {out.sizes()[axis]});
  for (std::int64_t i = 0; i < out.sizes()[axis]; ++i)
    counts.elements<std::int64_t>()[static_cast<std::size_t>(i)] = i;
  Sizes strides(out.sizes().size(), 0);
  strides[axis] = 1;
  const ConstTensorView spread(std::as_const(counts).view().bytes(), DType::i64, out.sizes(), strides);
  run_blocks(BlockOp::cast(DType::i64, out.dtype(), {}, current_block_kernels()), std::span(&spread, 1), out);
}

void arange(const OpCall& call) {
  const Progression terms = checked_arange(call);
  const TensorView& out = call.output(0);
  const DType wide = terms.integral ? DType::i64 : DType::f64;
  Tensor made(wide, out.sizes());
  parallel_ranges(out.element_count(), 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Scalar term = progression_term(terms, i);
      std::byte* const to = made.view().bytes() + i * 8;
      std::visit([&](auto value) { std::memcpy(to, &value, sizeof value); }, term);
    }
  });
  const ConstTensorView from = std::as_const(made).view();
  run_blocks(BlockOp::cast(wide, out.dtype(), {}, current_block_kernels()), std::span(&from, 1), out);
}

/// Calls body(row index) for every index over the axes before the last, threads over rows.
template <typename Body>
void for_each_row(const Sizes& sizes, std::size_t width, Body&& body) {
  const std::int64_t length = sizes.empty() ? 1 : sizes.back();
  const std::int64_t rows = length == 0 ? 0 : element_count(sizes) / length;
  const std::int64_t row_bytes = std::max<std::int64_t>(length * static_cast<std::int64_t>(width), 1);
  parallel_ranges(rows, std::max<std::int64_t>(1, kGrainBytes / row_bytes),
                  [&](std::int64_t begin, std::int64_t end) {
                    Sizes index(sizes.size(), 0);
                    for (std::int64_t row = begin; row < end; ++row) {
                      std::int64_t rest = row;
                      for (std::size_t dim = sizes.size(); dim-- > 1; rest /= sizes[dim - 1])
                        index[dim - 1] = rest % sizes[dim - 1];
                      body(static_cast<const Sizes&>(index));
                    }
                  });
}

void gather(const OpCall& call) {
  const std::size_t axis = checked_gather(call);
  const ConstTensorView& x = call.tensor(0, "x");
  const ConstTensorView& index = call.tensor(1, "index");
  const TensorView& out = call.output(0);
  const auto width = static_cast<std::size_t>(model::size_in_bytes(out.dtype()));
  for_each_row(out.sizes(), width, [&](const Sizes& row) {
    Sizes at = row;
    for (std::int64_t i = 0; i < out.sizes().back(); ++i) {
      at.back() = i;
      const std::int64_t chosen = read_index(element_at(index, at), index.dtype());
      const std::int64_t shift = (chosen - at[axis]) * x.strides()[axis] * static_cast<std::int64_t>(width);
      std::memcpy(element_at(out, at), element_at(x, at) + shift, width);
    }
  });
}

/// x as [outer, axis, inner] slices: one copy of an inner slice for each outer and index position.
void take(const OpCall& call) {
  const std::size_t axis = checked_take(call);
  const ConstTensorView& x = call.tensor(0, "x");
  const ConstTensorView& index = call.tensor(1, "index");
  const TensorView& out = call.output(0);
  const auto split = static_cast<std::ptrdiff_t>(axis + index.sizes().size());
  const Sizes outer(out.sizes().begin(), out.sizes().begin() + split);
  const Sizes inner(out.sizes().begin() + split, out.sizes().end());
  const Sizes inner_from(x.strides().begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.strides().end());
  const Sizes inner_to(out.strides().begin() + split, out.strides().end());
  const auto first = static_cast<std::ptrdiff_t>(axis);
  Sizes walked = outer;
  walked.push_back(1);  // for_each_row leaves the last axis to its body
  const auto slice_bytes = static_cast<std::size_t>(element_count(inner) * model::size_in_bytes(out.dtype()));
  for_each_row(walked, std::max<std::size_t>(slice_bytes, 1), [&](const Sizes& row) {
    const Sizes at(row.begin(), row.end() - 1);
    Sizes from(at.begin(), at.begin() + first);
    from.push_back(read_index(element_at(index, Sizes(at.begin() + first, at.end())), index.dtype()));
    copy_view({element_at(x, from), x.dtype(), inner, inner_from},
              {element_at(out, at), out.dtype(), inner, inner_to});
  });
}

}  // namespace

void register_movement_ops(OpRegistry& registry) {
  const auto add = [&](std::string_view name, OpFunction run, OpFunction define) {
    registry.add({name, run, define, Promise::exact});
  };
  add("reshape", reshape, definition::reshape);
  add("broadcast", broadcast, definition::broadcast);
  add("expand", broadcast, definition::broadcast);
  add("transpose", transpose, definition::transpose);
  add("slice", slice, definition::slice);
  add("insert_slice", insert_slice, definition::insert_slice);
  add("concat", concat, definition::concat);
  add("pad", pad, definition::pad);
  add("repeat", repeat, definition::repeat);
  add("flip", flip, definition::flip);
  add("iota", iota, definition::iota);
  add("arange", arange, definition::arange);
  add("gather", gather, definition::gather);
  add("take", take, definition::take);
  add("embedding", take, definition::take);
}

}  // namespace bufferproof::kernels
