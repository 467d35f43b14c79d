// Arguments of the movement ops (movement.hpp), read and checked: shared by their fast runs and their
// definitions.
//
// Each function throws the op's KernelError where attributes, types or shapes do not fit the output.
// Tested by tests/kernels_ref/ops_errors_test.cpp.
#pragma once

#include <vector>

#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

/// `axis` in [0, rank) or counted from the end; else the KernelError of `attribute`.
std::size_t checked_axis(const OpCall& call, std::string_view attribute, std::int64_t axis, std::size_t rank);

/// One input of the output's element type and this one output.
const ConstTensorView& moved_input(const OpCall& call);

/// Result axis of each axis of x, checked for broadcast.
std::vector<std::size_t> broadcast_axes(const OpCall& call);
std::vector<int> checked_permutation(const OpCall& call);

struct Window {
  Sizes offsets;
  Sizes strides;
};
/// A window of `sizes` inside `whole`.
Window checked_window(const OpCall& call, const Sizes& whole, const Sizes& sizes);

/// concat: the axis, after checking every input.
std::size_t checked_concat(const OpCall& call);
/// pad: the low paddings, after checking both.
Sizes checked_padding(const OpCall& call);
/// pad's value as a 0-d tensor; the signalling pattern when there is none.
Tensor padding_value(const OpCall& call);
/// repeat, flip.
Sizes checked_repeats(const OpCall& call);
std::vector<bool> checked_flips(const OpCall& call);
/// gather and take (embedding): the axis, with every index value checked.
std::size_t checked_gather(const OpCall& call);
std::size_t checked_take(const OpCall& call);

/// arange's terms: integers when both numbers are and the result is one.
struct Progression {
  bool integral;
  std::int64_t first;
  std::int64_t step;
  double real_first;
  double real_step;
};
Progression checked_arange(const OpCall& call);
/// first + index * step; a real term is the product rounded, then the sum.
Scalar progression_term(const Progression& terms, std::int64_t index);

/// Element at byte address `at` of an index tensor (i32 or i64).
std::int64_t read_index(const std::byte* at, DType dtype);
/// Calls visit(index) for every index of `sizes`, row-major.
template <typename Visit>
void for_each_index(const Sizes& sizes, Visit&& visit) {
  Sizes index(sizes.size(), 0);
  for (std::int64_t left = element_count(sizes); left > 0; --left) {
    visit(static_cast<const Sizes&>(index));
    for (std::size_t dim = sizes.size(); dim-- > 0 && ++index[dim] == sizes[dim];) index[dim] = 0;
  }
}
/// Byte address of an element.
template <typename View>
auto* element_at(const View& view, const Sizes& index) {
  std::int64_t offset = 0;
  for (std::size_t dim = 0; dim < index.size(); ++dim) offset += index[dim] * view.strides()[dim];
  return view.bytes() + offset * model::size_in_bytes(view.dtype());
}

}  // namespace bufferproof::kernels
