#include "kernels_ref/ops/normalize.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/chain.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/iteration.hpp"
#include "kernels_ref/ops/movement_shapes.hpp"
#include "kernels_ref/ops/reduce.hpp"
#include "kernels_ref/ops/row_ops.hpp"

namespace bufferproof::kernels {
namespace {

const ConstTensorView& floating_input(const OpCall& call) {
  const ConstTensorView& x = call.tensor(0, "x");
  if (!model::is_floating(x.dtype())) call.fail("x", "a floating element type", model::name(x.dtype()));
  call.expect_dtype("out", call.output(0), x.dtype());
  call.expect_sizes("out", call.output(0), x.sizes());
  return x;
}

/// The output's rows in the order the reduced view walks them.
struct RowWriter {
  ReducedView view;
  BlockOp store;
  void write(std::int64_t row, const std::byte* elements, std::size_t width) const {
    std::byte* to = const_cast<std::byte*>(view.view.bytes());
    const std::int64_t out_width = model::size_in_bytes(view.view.dtype());
    for (std::size_t dim = view.kept_sizes.size(); dim-- > 0; row /= view.kept_sizes[dim])
      to += row % view.kept_sizes[dim] * view.kept_strides[dim] * out_width;
    for_each_index(view.reduced_sizes, [&, i = std::size_t{0}](const Sizes& index) mutable {
      const void* const from = elements + i++ * width;
      std::int64_t offset = 0;
      for (std::size_t dim = 0; dim < index.size(); ++dim) offset += index[dim] * view.reduced_strides[dim];
      store.run(&from, to + offset * out_width, 1);
    });
  }
};

/// A view split into rows along `axes` (true: inside a row).
ReducedView split_rows(const ConstTensorView& view, const std::vector<bool>& axes) {
  ReducedView split{view, {}, {}, {}, {}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    (axes[i] ? split.reduced_sizes : split.kept_sizes).push_back(view.sizes()[i]);
    (axes[i] ? split.reduced_strides : split.kept_strides).push_back(view.strides()[i]);
  }
  return split;
}

void write_row(const RowArithmetic& row, const ReducedView& out, const BlockOp& store, std::int64_t index,
               const std::byte* elements) {
  const std::int64_t n = out.count();
  const bool packed = out.reduced_sizes.size() == 1 && out.reduced_strides[0] == 1;
  if (!packed) return RowWriter{out, store}.write(index, elements, row.width());
  std::byte* to = const_cast<std::byte*>(out.view.bytes());
  for (std::size_t dim = out.kept_sizes.size(); dim-- > 0; index /= out.kept_sizes[dim])
    to += index % out.kept_sizes[dim] * out.kept_strides[dim] * model::size_in_bytes(out.view.dtype());
  const void* const from = elements;
  store.run(&from, to, n);
}

template <bool kFast, bool kLog>
void softmax(const OpCall& call) {
  call.expect_counts(1, 1);
  const ConstTensorView& x = floating_input(call);
  std::vector<bool> axes(x.sizes().size(), false);
  axes[checked_axis(call, "dim", call.integer("dim"), axes.size())] = true;
  const ReducedView from = split_rows(x, axes);
  const ReducedView to = split_rows(call.output(0), axes);
  const RowArithmetic row(call.op, x.dtype(), call.numerics, kFast);
  const BlockOp store =
      BlockOp::cast(row.type(), x.dtype(), {}, kFast ? current_block_kernels() : definition_kernels());
  const ReducedRow rows(from, row.load());
  const std::int64_t n = from.count();
  row.for_each(from.results(), n, [&](std::int64_t index, std::byte* elements) {
    rows.read(index, 0, n, elements);
    row.apply("sub", elements, n, row.fold_max(elements, n));
    if (!kLog) {
      row.apply("exp", elements, n);
      row.apply("div", elements, n, row.fold_sum(elements, n));
      return write_row(row, to, store, index, elements);
    }
    Tensor exponentials(row.type(), {n});
    std::byte* const e = exponentials.view().bytes();
    if (n > 0) std::memcpy(e, elements, static_cast<std::size_t>(n) * row.width());
    row.apply("exp", e, n);
    row.apply("sub", elements, n, row.apply("log", row.fold_sum(e, n)));
    write_row(row, to, store, index, elements);
  });
}

/// A parameter of shape `sizes` as row-major accumulator-typed elements; empty when absent.
Tensor parameter(const OpCall& call, std::size_t input, std::string_view name, const Sizes& sizes, DType type,
                 const BlockKernels& kernels) {
  const ConstTensorView* const given = call.optional_tensor(input, name);
  if (given == nullptr) return Tensor(type, {0});
  call.expect_sizes(name, *given, sizes);
  if (!model::is_floating(given->dtype()))
    call.fail(name, "a floating element type", model::name(given->dtype()));
  Tensor made(type, sizes);
  define_blocks(BlockOp::cast(given->dtype(), type, {}, kernels), std::span(given, 1), made.view());
  return made;
}

void store_statistic(const OpCall& call, std::size_t output, const Tensor& values) {
  const TensorView& to = call.output(output);
  const ConstTensorView from(values.view().bytes(), values.dtype(), to.sizes());
  run_blocks(BlockOp::cast(values.dtype(), to.dtype(), {}, current_block_kernels()), std::span(&from, 1), to);
}

/// ((row - mean) * rstd) * weight + bias.
void scale_row(const RowArithmetic& row, const NumericsProfile& numerics, std::byte* elements, std::int64_t n,
               const RowScalar& mean, const RowScalar& rstd, const Tensor& weight, const Tensor& bias) {
  row.apply("sub", elements, n, mean);
  row.apply("mul", elements, n, rstd);
  const bool weighted = weight.element_count() > 0;
  const bool biased = bias.element_count() > 0;
  if (weighted && biased && numerics.contract_mul_add)
    return row.multiply_add(elements, n, weight.view().bytes(), bias.view().bytes());
  if (weighted) row.apply("mul", elements, n, weight.view().bytes());
  if (biased) row.apply("add", elements, n, bias.view().bytes());
}

template <bool kFast>
void layer_norm(const OpCall& call) {
  if (call.inputs.empty() || call.inputs.size() > 3 || (call.outputs.size() != 1 && call.outputs.size() != 3))
    call.fail("inputs", "x, weight and bias, and one or three outputs",
              std::to_string(call.inputs.size()) + " inputs");
  const ConstTensorView& x = floating_input(call);
  const Sizes normalized = call.integers("normalized_shape");
  const std::size_t rank = x.sizes().size();
  const bool fits = !normalized.empty() && normalized.size() <= rank &&
                    std::equal(normalized.rbegin(), normalized.rend(), x.sizes().rbegin());
  if (!fits)
    call.fail("normalized_shape", "the last sizes of " + format_sizes(x.sizes()), format_sizes(normalized));
  std::vector<bool> axes(rank, false);
  for (std::size_t i = rank - normalized.size(); i < rank; ++i) axes[i] = true;
  const ReducedView from = split_rows(x, axes);
  const ReducedView to = split_rows(call.output(0), axes);
  Sizes kept = x.sizes();
  for (std::size_t i = 0; i < rank; ++i)
    if (axes[i]) kept[i] = 1;
  for (std::size_t i = 1; i < call.outputs.size(); ++i)
    call.expect_sizes(i == 1 ? "mean" : "rstd", call.output(i), kept);
  const BlockKernels kernels = kFast ? current_block_kernels() : definition_kernels();
  const RowArithmetic row(call.op, x.dtype(), call.numerics, kFast);
  const Tensor weight = parameter(call, 1, "weight", normalized, row.type(), kernels);
  const Tensor bias = parameter(call, 2, "bias", normalized, row.type(), kernels);
  const BlockOp store = BlockOp::cast(row.type(), x.dtype(), {}, kernels);
  const ReducedRow rows(from, row.load());
  const RowScalar eps = row.scalar(call.real("eps", 1e-5));
  const std::int64_t n = from.count();
  Tensor means(row.type(), {from.results()});
  Tensor rstds(row.type(), {from.results()});
  row.for_each(from.results(), n, [&](std::int64_t index, std::byte* elements) {
    rows.read(index, 0, n, elements);
    const RowMoments moments = row.moments(elements, n, 0.0);
    const RowScalar rstd = row.apply("rsqrt", row.apply("add", moments.var, eps));
    rows.read(index, 0, n, elements);
    scale_row(row, call.numerics, elements, n, moments.mean, rstd, weight, bias);
    write_row(row, to, store, index, elements);
    const std::size_t at = static_cast<std::size_t>(index) * row.width();
    std::memcpy(means.view().bytes() + at, moments.mean.bytes, row.width());
    std::memcpy(rstds.view().bytes() + at, rstd.bytes, row.width());
  });
  if (call.outputs.size() == 1) return;
  store_statistic(call, 1, means);
  store_statistic(call, 2, rstds);
}

Tensor zeros(DType type, const Sizes& sizes) {
  Tensor made(type, sizes);
  if (made.size_in_bytes() > 0) std::memset(made.view().bytes(), 0, made.size_in_bytes());
  return made;
}

/// A per-channel parameter spread over x's shape, or nothing.
struct Channels {
  Sizes sizes, strides;
  std::optional<ConstTensorView> view(const Tensor& values) const {
    if (values.element_count() == 0 && sizes[1] > 0) return std::nullopt;
    return ConstTensorView(values.view().bytes(), values.dtype(), sizes, strides);
  }
};

/// op(a, b) over [c] vectors, in place on a.
void per_channel(const RowArithmetic& row, std::string_view op, Tensor& a, const Tensor& b) {
  row.apply(op, a.view().bytes(), a.element_count(), b.view().bytes());
}

template <bool kFast>
void native_batch_norm(const OpCall& call) {
  const FpStateGuard state;  // the per-channel parameters are computed on this thread
  call.expect_counts(5, 1);
  const ConstTensorView& x = floating_input(call);
  if (x.rank() < 2) call.fail("x", "a channel axis", "shape " + format_sizes(x.sizes()));
  const std::string form = call.text("form", "decomposed");
  if (form != "decomposed" && form != "folded") call.fail("form", "decomposed or folded", form);
  const BlockKernels kernels = kFast ? current_block_kernels() : definition_kernels();
  const RowArithmetic row(call.op, x.dtype(), call.numerics, kFast);
  const Sizes channels{x.size(1)};
  Tensor weight = parameter(call, 1, "weight", channels, row.type(), kernels);
  Tensor bias = parameter(call, 2, "bias", channels, row.type(), kernels);
  call.tensor(3, "running_mean");  // these two are required
  call.tensor(4, "running_var");
  const Tensor mean = parameter(call, 3, "running_mean", channels, row.type(), kernels);
  Tensor invstd = parameter(call, 4, "running_var", channels, row.type(), kernels);
  row.apply("add", invstd.view().bytes(), channels[0], row.scalar(call.real("eps", 1e-5)));
  row.apply("rsqrt", invstd.view().bytes(), channels[0]);

  Channels spread{x.sizes(), Sizes(x.sizes().size(), 0)};
  spread.strides[1] = 1;
  ElementwiseChain chain(x.sizes(), call.numerics, kFast);
  ElementwiseChain::Value value = chain.cast(chain.input(x), row.type());
  const auto step = [&](std::string_view op, const Tensor& parameter) {
    if (const auto view = spread.view(parameter)) value = chain.apply(op, {value, chain.input(*view)});
  };
  if (form == "decomposed") {
    step("sub", mean);
    step("mul", invstd);
    step("mul", weight);
    step("add", bias);
  } else {
    if (weight.element_count() > 0) per_channel(row, "mul", invstd, weight);
    if (bias.element_count() == 0) bias = zeros(row.type(), channels);
    Tensor shift = mean;
    per_channel(row, "mul", shift, invstd);
    per_channel(row, "sub", bias, shift);
    step("mul", invstd);
    step("add", bias);
  }
  chain.output(chain.cast(value, x.dtype()), call.output(0));
  chain.run();
}

}  // namespace

void register_normalize_ops(OpRegistry& registry) {
  registry.add({"softmax", softmax<true, false>, softmax<false, false>, Promise::bounded});
  registry.add({"log_softmax", softmax<true, true>, softmax<false, true>, Promise::bounded});
  registry.add({"layer_norm", layer_norm<true>, layer_norm<false>, Promise::bounded});
  registry.add({"native_batch_norm", native_batch_norm<true>, native_batch_norm<false>, Promise::bounded});
}

}  // namespace bufferproof::kernels
