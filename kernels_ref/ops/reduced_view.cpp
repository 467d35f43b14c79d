#include <algorithm>
#include <string>

#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/movement_shapes.hpp"
#include "kernels_ref/ops/reduce.hpp"

// Axes and element access of reductions (reduce.hpp).

namespace bufferproof::kernels {

std::vector<std::int64_t> reduced_dims(const OpCall& call, const ConstTensorView& x) {
  std::vector<std::int64_t> all(x.sizes().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  return call.integers("dims", all);
}

ReducedView reduced_view(const OpCall& call, const ConstTensorView& x, const std::vector<std::int64_t>& dims,
                         bool keepdim, const TensorView& out, std::string_view out_name) {
  std::vector<bool> reduced(x.sizes().size(), false);
  for (std::int64_t dim : dims) {
    const std::size_t axis = checked_axis(call, "dims", dim, reduced.size());
    if (reduced[axis]) call.fail("dims", "each axis once", format_sizes(dims));
    reduced[axis] = true;
  }
  ReducedView split{x, {}, {}, {}, {}};
  Sizes expected;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    (reduced[i] ? split.reduced_sizes : split.kept_sizes).push_back(x.sizes()[i]);
    (reduced[i] ? split.reduced_strides : split.kept_strides).push_back(x.strides()[i]);
    if (!reduced[i] || keepdim) expected.push_back(reduced[i] ? 1 : x.sizes()[i]);
  }
  call.expect_sizes(out_name, out, expected);
  return split;
}

ReducedRow::ReducedRow(const ReducedView& view, const BlockOp& cast) : view_(view), cast_(cast) {}

void ReducedRow::read(std::int64_t result, std::int64_t begin, std::int64_t n, void* to) const {
  const std::int64_t width = model::size_in_bytes(view_.view.dtype());
  const std::byte* base = view_.view.bytes();
  for (std::size_t dim = view_.kept_sizes.size(); dim-- > 0; result /= view_.kept_sizes[dim])
    base += result % view_.kept_sizes[dim] * view_.kept_strides[dim] * width;
  if (view_.reduced_sizes.empty()) {
    const void* const from = base;
    return cast_.run(&from, to, n);
  }
  const std::size_t last = view_.reduced_sizes.size() - 1;
  const std::int64_t length = view_.reduced_sizes[last];
  const std::int64_t stride = view_.reduced_strides[last] * width;
  auto* place = static_cast<std::byte*>(to);
  const std::int64_t to_width = model::size_in_bytes(cast_.result_dtype());
  for (std::int64_t done = 0; done < n;) {
    std::int64_t rest = (begin + done) / length;
    const std::int64_t first = (begin + done) % length;
    const std::byte* from = base + first * stride;
    for (std::size_t dim = last; dim-- > 0; rest /= view_.reduced_sizes[dim])
      from += rest % view_.reduced_sizes[dim] * view_.reduced_strides[dim] * width;
    std::int64_t piece = std::min(n - done, length - first);
    alignas(64) std::byte gathered[BlockOp::kBlock * 8];
    const void* source = from;
    if (stride != width) {
      piece = std::min(piece, BlockOp::kBlock);
      for (std::int64_t i = 0; i < piece; ++i)
        std::memcpy(gathered + i * width, from + i * stride, static_cast<std::size_t>(width));
      source = gathered;
    }
    cast_.run(&source, place, piece);
    place += piece * to_width;
    done += piece;
  }
}

}  // namespace bufferproof::kernels
