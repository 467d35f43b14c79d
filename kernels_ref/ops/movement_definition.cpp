#include "kernels_ref/ops/movement_definition.hpp"

#include <cstring>
#include <utility>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/movement_shapes.hpp"

namespace bufferproof::kernels::definition {
namespace {

/// out[index] = the element that source(index) points at, for every index.
template <typename Source>
void fill_from(const TensorView& out, Source&& source) {
  const auto width = static_cast<std::size_t>(model::size_in_bytes(out.dtype()));
  for_each_index(out.sizes(),
                 [&](const Sizes& index) { std::memcpy(element_at(out, index), source(index), width); });
}

/// Where `index` lies in the window, or false.
bool in_window(const Window& window, const Sizes& sizes, const Sizes& index, Sizes& inside) {
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::int64_t distance = index[i] - window.offsets[i];
    inside[i] = distance / window.strides[i];
    if (distance < 0 || distance % window.strides[i] != 0 || inside[i] >= sizes[i]) return false;
  }
  return true;
}

}  // namespace

void reshape(const OpCall& call) {
  const ConstTensorView& x = moved_input(call);
  const TensorView& out = call.output(0);
  if (x.element_count() != out.element_count()) call.expect_sizes("out", out, x.sizes());
  Sizes from(x.sizes().size(), 0);
  fill_from(out, [&](const Sizes&) {
    const std::byte* const at = element_at(x, from);
    for (std::size_t dim = from.size(); dim-- > 0 && ++from[dim] == x.sizes()[dim];) from[dim] = 0;
    return at;
  });
}

void broadcast(const OpCall& call) {
  const std::vector<std::size_t> axes = broadcast_axes(call);
  const ConstTensorView& x = call.tensor(0, "x");
  Sizes from(axes.size());
  fill_from(call.output(0), [&](const Sizes& index) {
    for (std::size_t i = 0; i < axes.size(); ++i) from[i] = x.sizes()[i] == 1 ? 0 : index[axes[i]];
    return element_at(x, from);
  });
}

void transpose(const OpCall& call) {
  const std::vector<int> order = checked_permutation(call);
  const ConstTensorView& x = call.tensor(0, "x");
  Sizes from(order.size());
  fill_from(call.output(0), [&](const Sizes& index) {
    for (std::size_t i = 0; i < order.size(); ++i) from[static_cast<std::size_t>(order[i])] = index[i];
    return element_at(x, from);
  });
}

void slice(const OpCall& call) {
  const ConstTensorView& x = moved_input(call);
  const Window window = checked_window(call, x.sizes(), call.output(0).sizes());
  Sizes from(x.sizes().size());
  fill_from(call.output(0), [&](const Sizes& index) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = window.offsets[i] + index[i] * window.strides[i];
    return element_at(x, from);
  });
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
  Sizes inside(out.sizes().size());
  fill_from(out, [&](const Sizes& index) {
    return in_window(window, source.sizes(), index, inside) ? element_at(source, inside)
                                                            : element_at(base, index);
  });
}

void concat(const OpCall& call) {
  const std::size_t axis = checked_concat(call);
  fill_from(call.output(0), [&](const Sizes& index) {
    Sizes from = index;
    std::size_t input = 0;
    while (from[axis] >= call.tensor(input, "x").sizes()[axis])
      from[axis] -= call.tensor(input++, "x").sizes()[axis];
    return element_at(call.tensor(input, "x"), from);
  });
}

void pad(const OpCall& call) {
  const Sizes low = checked_padding(call);
  const ConstTensorView& x = call.tensor(0, "x");
  const Tensor value = padding_value(call);
  const Window window{low, Sizes(low.size(), 1)};
  Sizes inside(low.size());
  fill_from(call.output(0), [&](const Sizes& index) {
    return in_window(window, x.sizes(), index, inside) ? element_at(x, inside) : value.view().bytes();
  });
}

void repeat(const OpCall& call) {
  checked_repeats(call);
  const ConstTensorView& x = call.tensor(0, "x");
  Sizes from(x.sizes().size());
  fill_from(call.output(0), [&](const Sizes& index) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = index[i] % x.sizes()[i];
    return element_at(x, from);
  });
}

void flip(const OpCall& call) {
  const std::vector<bool> flipped = checked_flips(call);
  const ConstTensorView& x = call.tensor(0, "x");
  Sizes from(flipped.size());
  fill_from(call.output(0), [&](const Sizes& index) {
    for (std::size_t i = 0; i < from.size(); ++i)
      from[i] = flipped[i] ? x.sizes()[i] - 1 - index[i] : index[i];
    return element_at(x, from);
  });
}

void iota(const OpCall& call) {
  call.expect_counts(0, 1);
  const TensorView& out = call.output(0);
  const std::size_t axis = checked_axis(call, "dim", call.integer("dim", 0), out.sizes().size());
  Tensor value;
  fill_from(out, [&](const Sizes& index) {
    value = scalar_tensor(Scalar{index[axis]}, out.dtype());
    return std::as_const(value).view().bytes();
  });
}

void arange(const OpCall& call) {
  const FpStateGuard state;
  const Progression terms = checked_arange(call);
  const TensorView& out = call.output(0);
  Tensor value;
  fill_from(out, [&](const Sizes& index) {
    value = scalar_tensor(progression_term(terms, index[0]), out.dtype());
    return std::as_const(value).view().bytes();
  });
}

void gather(const OpCall& call) {
  const std::size_t axis = checked_gather(call);
  const ConstTensorView& x = call.tensor(0, "x");
  const ConstTensorView& index = call.tensor(1, "index");
  fill_from(call.output(0), [&](const Sizes& at) {
    Sizes from = at;
    from[axis] = read_index(element_at(index, at), index.dtype());
    return element_at(x, from);
  });
}

void take(const OpCall& call) {
  const std::size_t axis = checked_take(call);
  const ConstTensorView& x = call.tensor(0, "x");
  const ConstTensorView& index = call.tensor(1, "index");
  const auto first = static_cast<std::ptrdiff_t>(axis);
  const auto past = first + index.rank();
  fill_from(call.output(0), [&](const Sizes& at) {
    const Sizes position(at.begin() + first, at.begin() + past);
    Sizes from(at.begin(), at.begin() + first);
    from.push_back(read_index(element_at(index, position), index.dtype()));
    from.insert(from.end(), at.begin() + past, at.end());
    return element_at(x, from);
  });
}

}  // namespace bufferproof::kernels::definition
