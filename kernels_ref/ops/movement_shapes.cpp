#include "kernels_ref/ops/movement_shapes.hpp"

#include <cstring>
#include <string>

#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/elementwise.hpp"

namespace bufferproof::kernels {
namespace {

std::vector<std::int64_t> per_axis(const OpCall& call, std::string_view attribute, std::size_t rank,
                                   std::optional<std::int64_t> fallback = {}) {
  std::vector<std::int64_t> values =
      fallback ? call.integers(attribute, std::vector<std::int64_t>(rank, *fallback))
               : call.integers(attribute);
  if (values.size() != rank)
    call.fail(attribute, std::to_string(rank) + " values, one an axis",
              std::to_string(values.size()) + " values");
  return values;
}

/// Every element of `index` in [0, limit).
void check_index_values(const OpCall& call, const ConstTensorView& index, std::int64_t limit) {
  if (index.dtype() != DType::i64 && index.dtype() != DType::i32)
    call.fail("index", "element type i64 or i32", model::name(index.dtype()));
  for_each_index(index.sizes(), [&](const Sizes& at) {
    const std::int64_t value = read_index(element_at(index, at), index.dtype());
    if (value < 0 || value >= limit)
      call.fail("index", "values in [0, " + std::to_string(limit) + ")",
                "value " + std::to_string(value) + " at " + format_sizes(at));
  });
}

}  // namespace

std::size_t checked_axis(const OpCall& call, std::string_view attribute, std::int64_t axis,
                         std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    call.fail(attribute, "an axis of a tensor of rank " + std::to_string(rank),
              "axis " + std::to_string(axis));
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

const ConstTensorView& moved_input(const OpCall& call) {
  call.expect_counts(1, 1);
  const ConstTensorView& x = call.tensor(0, "x");
  call.expect_dtype("out", call.output(0), x.dtype());
  return x;
}

std::vector<std::size_t> broadcast_axes(const OpCall& call) {
  const ConstTensorView& x = moved_input(call);
  const Sizes& out = call.output(0).sizes();
  const std::size_t rank = x.sizes().size();
  if (rank > out.size())
    call.fail("out", "a rank of at least " + std::to_string(rank), "shape " + format_sizes(out));
  std::vector<std::int64_t> aligned(rank);
  for (std::size_t i = 0; i < rank; ++i) aligned[i] = static_cast<std::int64_t>(out.size() - rank + i);
  const std::vector<std::int64_t> dims = call.op == "broadcast" ? call.integers("dims", aligned) : aligned;
  if (dims.size() != rank)
    call.fail("dims", std::to_string(rank) + " axes", std::to_string(dims.size()) + " axes");
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    axes.push_back(checked_axis(call, "dims", dims[i], out.size()));
    if (i > 0 && axes[i] <= axes[i - 1]) call.fail("dims", "rising axes", format_sizes(dims));
    if (x.sizes()[i] != 1 && x.sizes()[i] != out[axes[i]])
      call.fail("out", "size " + std::to_string(x.sizes()[i]) + " on axis " + std::to_string(axes[i]),
                "shape " + format_sizes(out));
  }
  return axes;
}

std::vector<int> checked_permutation(const OpCall& call) {
  const ConstTensorView& x = moved_input(call);
  const std::vector<std::int64_t> wanted = per_axis(call, "permutation", x.sizes().size());
  std::vector<int> order;
  std::vector<bool> used(wanted.size(), false);
  Sizes sizes;
  for (std::int64_t value : wanted) {
    const std::size_t axis = checked_axis(call, "permutation", value, wanted.size());
    if (used[axis]) call.fail("permutation", "each axis once", format_sizes(wanted));
    used[axis] = true;
    order.push_back(static_cast<int>(axis));
    sizes.push_back(x.sizes()[axis]);
  }
  call.expect_sizes("out", call.output(0), sizes);
  return order;
}

Window checked_window(const OpCall& call, const Sizes& whole, const Sizes& sizes) {
  if (sizes.size() != whole.size())
    call.fail("out", "rank " + std::to_string(whole.size()), "shape " + format_sizes(sizes));
  Window window{per_axis(call, "offsets", whole.size(), 0), per_axis(call, "strides", whole.size(), 1)};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    // The last element is offset + (size - 1) * stride, in 128 bits: attributes are anybody's numbers.
    const __int128 last = static_cast<__int128>(sizes[i] - 1) * window.strides[i] + window.offsets[i];
    const bool fits = window.offsets[i] >= 0 && window.strides[i] >= 1 && (sizes[i] == 0 || last < whole[i]);
    if (!fits)
      call.fail("offsets", "a window of " + format_sizes(sizes) + " inside " + format_sizes(whole),
                "offsets " + format_sizes(window.offsets) + ", strides " + format_sizes(window.strides));
  }
  return window;
}

std::size_t checked_concat(const OpCall& call) {
  if (call.inputs.empty() || call.outputs.size() != 1)
    call.fail("inputs", "at least one input and one output", "none");
  const TensorView& out = call.output(0);
  const std::size_t axis = checked_axis(call, "dim", call.integer("dim"), out.sizes().size());
  Sizes expected = out.sizes();
  expected[axis] = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const std::string argument = "x" + std::to_string(i);
    const ConstTensorView& x = call.tensor(i, argument);
    call.expect_dtype(argument, x, out.dtype());
    Sizes wanted = out.sizes();
    if (x.sizes().size() == wanted.size()) wanted[axis] = x.sizes()[axis];
    call.expect_sizes(argument, x, wanted);
    expected[axis] += x.sizes()[axis];
  }
  call.expect_sizes("out", out, expected);
  return axis;
}

Sizes checked_padding(const OpCall& call) {
  if (call.inputs.empty() || call.inputs.size() > 2 || call.outputs.size() != 1)
    call.fail("inputs", "x and perhaps a value, and one output",
              std::to_string(call.inputs.size()) + " inputs");
  const ConstTensorView& x = call.tensor(0, "x");
  call.expect_dtype("out", call.output(0), x.dtype());
  Sizes low = per_axis(call, "low", x.sizes().size());
  const Sizes high = per_axis(call, "high", x.sizes().size());
  Sizes expected = x.sizes();
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (low[i] < 0) call.fail("low", "paddings of at least 0", format_sizes(low));
    if (high[i] < 0) call.fail("high", "paddings of at least 0", format_sizes(high));
    if (__builtin_add_overflow(expected[i], low[i], &expected[i]) ||
        __builtin_add_overflow(expected[i], high[i], &expected[i]))
      call.fail("high", "paddings that fit 64 bits", format_sizes(high));
  }
  call.expect_sizes("out", call.output(0), expected);
  return low;
}

Tensor padding_value(const OpCall& call) {
  const DType dtype = call.output(0).dtype();
  if (call.inputs.size() < 2 || std::holds_alternative<std::monostate>(call.inputs[1]))
    return Tensor(dtype, {});
  if (const auto* scalar = std::get_if<Scalar>(&call.inputs[1])) return scalar_tensor(*scalar, dtype);
  const ConstTensorView& value = call.tensor(1, "value");
  call.expect_dtype("value", value, dtype);
  call.expect_sizes("value", value, {});
  return contiguous_copy(value);
}

Sizes checked_repeats(const OpCall& call) {
  const ConstTensorView& x = moved_input(call);
  Sizes repeats = per_axis(call, "repeats", x.sizes().size());
  Sizes expected = x.sizes();
  for (std::size_t i = 0; i < repeats.size(); ++i)
    if (repeats[i] < 0 || __builtin_mul_overflow(expected[i], repeats[i], &expected[i]))
      call.fail("repeats", "repeats of at least 0 that fit 64 bits", format_sizes(repeats));
  call.expect_sizes("out", call.output(0), expected);
  return repeats;
}

std::vector<bool> checked_flips(const OpCall& call) {
  const ConstTensorView& x = moved_input(call);
  call.expect_sizes("out", call.output(0), x.sizes());
  std::vector<bool> flipped(x.sizes().size(), false);
  for (std::int64_t dim : call.integers("dims"))
    flipped[checked_axis(call, "dims", dim, flipped.size())] = true;
  return flipped;
}

std::size_t checked_gather(const OpCall& call) {
  call.expect_counts(2, 1);
  const ConstTensorView& x = call.tensor(0, "x");
  const ConstTensorView& index = call.tensor(1, "index");
  call.expect_dtype("out", call.output(0), x.dtype());
  call.expect_sizes("out", call.output(0), index.sizes());
  const std::size_t axis = checked_axis(call, "dim", call.integer("dim"), x.sizes().size());
  bool fits = index.sizes().size() == x.sizes().size();
  for (std::size_t i = 0; fits && i < x.sizes().size(); ++i)
    fits = i == axis || index.sizes()[i] <= x.sizes()[i];
  if (!fits)
    call.fail("index", "a shape within " + format_sizes(x.sizes()) + " beside axis " + std::to_string(axis),
              "shape " + format_sizes(index.sizes()));
  check_index_values(call, index, x.sizes()[axis]);
  return axis;
}

std::size_t checked_take(const OpCall& call) {
  call.expect_counts(2, 1);
  const ConstTensorView& x = call.tensor(0, "x");
  const ConstTensorView& index = call.tensor(1, "index");
  call.expect_dtype("out", call.output(0), x.dtype());
  const std::int64_t dim = call.op == "embedding" ? 0 : call.integer("dim");
  if (call.op == "embedding" && x.rank() != 2)
    call.fail("weight", "a matrix", "shape " + format_sizes(x.sizes()));
  const std::size_t axis = checked_axis(call, "dim", dim, x.sizes().size());
  Sizes expected(x.sizes().begin(), x.sizes().begin() + static_cast<std::ptrdiff_t>(axis));
  expected.insert(expected.end(), index.sizes().begin(), index.sizes().end());
  expected.insert(expected.end(), x.sizes().begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.sizes().end());
  call.expect_sizes("out", call.output(0), expected);
  check_index_values(call, index, x.sizes()[axis]);
  return axis;
}

Progression checked_arange(const OpCall& call) {
  call.expect_counts(0, 1);
  const TensorView& out = call.output(0);
  if (out.rank() != 1) call.fail("out", "one axis", "shape " + format_sizes(out.sizes()));
  const auto is_integer = [&](std::string_view name) {
    const auto found = call.attributes.find(name);
    return found == call.attributes.end() || std::holds_alternative<std::int64_t>(found->second);
  };
  Progression terms{};
  terms.integral = !model::is_floating(out.dtype()) && is_integer("start") && is_integer("step");
  if (terms.integral) {
    terms.first = call.integer("start", 0);
    terms.step = call.integer("step", 1);
  } else {
    terms.real_first = call.real("start", 0.0);
    terms.real_step = call.real("step", 1.0);
  }
  return terms;
}

Scalar progression_term(const Progression& terms, std::int64_t index) {
  if (!terms.integral) return terms.real_first + static_cast<double>(index) * terms.real_step;
  const std::uint64_t distance = static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(terms.step);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(terms.first) + distance);
}

std::int64_t read_index(const std::byte* at, DType dtype) {
  std::int64_t wide = 0;
  std::int32_t narrow = 0;
  if (dtype == DType::i64) {
    std::memcpy(&wide, at, sizeof wide);
    return wide;
  }
  std::memcpy(&narrow, at, sizeof narrow);
  return narrow;
}

}  // namespace bufferproof::kernels
