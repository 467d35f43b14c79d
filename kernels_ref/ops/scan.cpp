#include "kernels_ref/ops/scan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/movement_shapes.hpp"
#include "kernels_ref/ops/reduce.hpp"
#include "kernels_ref/parallel.hpp"

// arg_reduce and cumulative (reduce.hpp): one pass along an axis, rows over threads. The definitions are the
// same passes in the order of indices; what differs is how a row is read.

namespace bufferproof::kernels {
namespace {

/// Rows along one axis: x and an output seen with that axis last.
struct AlongAxis {
  ReducedView x;
  std::size_t axis;
};
AlongAxis along(const OpCall& call, const ConstTensorView& x) {
  AlongAxis split{{x, {}, {}, {}, {}}, checked_axis(call, "dim", call.integer("dim"), x.sizes().size())};
  for (std::size_t i = 0; i < x.sizes().size(); ++i) {
    const bool reduced = i == split.axis;
    (reduced ? split.x.reduced_sizes : split.x.kept_sizes).push_back(x.sizes()[i]);
    (reduced ? split.x.reduced_strides : split.x.kept_strides).push_back(x.strides()[i]);
  }
  return split;
}

/// Byte address of row-major element `flat` of a view with the given sizes.
template <typename View>
auto* flat_at(const View& view, const Sizes& sizes, const Sizes& strides, std::int64_t flat) {
  std::int64_t offset = 0;
  for (std::size_t dim = sizes.size(); dim-- > 0; flat /= sizes[dim])
    offset += flat % sizes[dim] * strides[dim];
  return view.bytes() + offset * model::size_in_bytes(view.dtype());
}

/// Position of the extreme of n elements: the first NaN, else the first of the largest (smallest).
template <typename T>
std::int64_t extreme_position(const T* row, std::int64_t n, bool largest) {
  std::int64_t best = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (row[i] != row[i]) return i;
    if (largest ? row[i] > row[best] : row[i] < row[best]) best = i;
  }
  return best;
}

bool wants_max(const OpCall& call) {
  const std::string fn = call.text("fn");
  if (fn != "max" && fn != "min") call.fail("fn", "max or min", fn);
  return fn == "max";
}

template <bool kFast>
void arg_reduce(const OpCall& call) {
  if (call.inputs.empty() || call.inputs.size() > 2 || call.outputs.size() != 2)
    call.fail("inputs", "x and perhaps an index, and two outputs",
              std::to_string(call.inputs.size()) + " inputs");
  const ConstTensorView& x = call.tensor(0, "x");
  const AlongAxis split = along(call, x);
  const bool largest = wants_max(call);
  const TensorView& value = call.output(0, "value");
  const TensorView& index = call.output(1, "index");
  call.expect_dtype("value", value, x.dtype());
  call.expect_sizes("value", value, split.x.kept_sizes);
  call.expect_sizes("index", index, split.x.kept_sizes);
  if (index.dtype() != DType::i64 && index.dtype() != DType::i32)
    call.fail("index", "element type i64 or i32", model::name(index.dtype()));
  const ConstTensorView* const positions = call.optional_tensor(1, "index");
  if (positions != nullptr) call.expect_dtype("index", *positions, index.dtype());
  if (positions != nullptr) call.expect_sizes("index", *positions, x.sizes());
  const std::int64_t n = split.x.count();
  if (n == 0) call.fail("x", "at least one element along dim", "none");
  const DType wide = model::is_floating(x.dtype()) ? DType::f64 : DType::i64;
  const BlockOp load =
      BlockOp::cast(x.dtype(), wide, {}, kFast ? current_block_kernels() : definition_kernels());
  const ReducedRow rows(split.x, load);
  parallel_ranges(
      split.x.results(), std::max<std::int64_t>(1, 8192 / n), [&](std::int64_t begin, std::int64_t end) {
        Tensor row(wide, {n});
        for (std::int64_t result = begin; result < end; ++result) {
          rows.read(result, 0, n, row.view().bytes());
          const std::int64_t at = wide == DType::f64
                                      ? extreme_position(row.view().data<double>(), n, largest)
                                      : extreme_position(row.view().data<std::int64_t>(), n, largest);
          const auto at_axis = [&](const ConstTensorView& view) {
            Sizes kept = view.strides();
            const std::int64_t step = kept[split.axis];
            kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(split.axis));
            return flat_at(view, split.x.kept_sizes, kept, result) +
                   at * step * model::size_in_bytes(view.dtype());
          };
          std::memcpy(flat_at(value, value.sizes(), value.strides(), result), at_axis(x),
                      static_cast<std::size_t>(model::size_in_bytes(x.dtype())));
          const std::int64_t position =
              positions == nullptr ? at : read_index(at_axis(*positions), index.dtype());
          std::memcpy(flat_at(index, index.sizes(), index.strides(), result), &position,
                      static_cast<std::size_t>(model::size_in_bytes(index.dtype())));  // little endian
        }
      });
}

template <bool kFast>
void cumulative(const OpCall& call) {
  call.expect_counts(1, 1);
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  call.expect_sizes("out", out, x.sizes());
  call.expect_dtype("out", out, x.dtype());
  const AlongAxis split = along(call, x);
  const std::string fn = call.text("fn");
  if (fn != "sum" && fn != "prod") call.fail("fn", "sum or prod", fn);
  const bool reverse = call.boolean("reverse", false);
  const BlockKernels kernels = kFast ? current_block_kernels() : definition_kernels();
  const Fold fold = Fold::make(call.op, fn, x.dtype(), x.dtype(), call.numerics, kernels);
  const BlockOp load = BlockOp::cast(x.dtype(), fold.accumulator, {}, kernels);
  const BlockOp store = BlockOp::cast(fold.accumulator, x.dtype(), {}, kernels);
  const ReducedRow rows(split.x, load);
  const std::int64_t n = split.x.count();
  Sizes kept = out.strides();
  const std::int64_t step = kept[split.axis] * model::size_in_bytes(out.dtype());
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(split.axis));
  parallel_ranges(split.x.results(), std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(n, 1)),
                  [&](std::int64_t begin, std::int64_t end) {
                    Tensor row(fold.accumulator, {n});
                    alignas(8) std::byte total[8];
                    for (std::int64_t result = begin; result < end; ++result) {
                      rows.read(result, 0, n, row.view().bytes());
                      std::memcpy(total, fold.identity, fold.width);
                      std::byte* const to = flat_at(out, split.x.kept_sizes, kept, result);
                      for (std::int64_t i = 0; i < n; ++i) {
                        const std::int64_t at = reverse ? n - 1 - i : i;
                        fold.take(total, row.view().bytes() + static_cast<std::size_t>(at) * fold.width);
                        const void* const from = total;
                        store.run(&from, to + at * step, 1);
                      }
                    }
                  });
}

}  // namespace

void register_scan_ops(OpRegistry& registry) {
  registry.add({"arg_reduce", arg_reduce<true>, arg_reduce<false>, Promise::exact});
  registry.add({"cumulative", cumulative<true>, cumulative<false>, Promise::bounded});
}

}  // namespace bufferproof::kernels
