#include "kernels_ref/ops/reduce.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/iteration.hpp"
#include "kernels_ref/ops/movement_shapes.hpp"
#include "kernels_ref/ops/reduce_engine.hpp"
#include "kernels_ref/ops/row_ops.hpp"
#include "kernels_ref/ops/scan.hpp"

namespace bufferproof::kernels {
namespace {

/// Everything that differs between the fast run and the definition.
template <bool kFast>
struct Path {
  static BlockKernels kernels() { return kFast ? current_block_kernels() : definition_kernels(); }
  static void fold(const ReducedView& view, const Fold& fold, const BlockOp& cast, FoldStarts starts,
                   std::byte* to) {
    (kFast ? fold_fast : fold_by_definition)(view, fold, cast, starts, to);
  }
  static void apply(const BlockOp& op, std::span<const ConstTensorView> inputs, const TensorView& output) {
    (kFast ? run_blocks : define_blocks)(op, inputs, output);
  }
};

/// Casts row-major totals of type `totals.dtype()` into the output.
template <bool kFast>
void write_totals(const Tensor& totals, const TensorView& out) {
  const ConstTensorView from(totals.view().bytes(), totals.dtype(), out.sizes());
  const BlockKernels kernels = Path<kFast>::kernels();
  Path<kFast>::apply(BlockOp::cast(totals.dtype(), out.dtype(), {}, kernels), std::span(&from, 1), out);
}

/// Totals of x over `dims`, in the accumulator type.
template <bool kFast>
Tensor totals_of(const ReducedView& view, const Fold& fold, FoldStarts starts = {}) {
  Tensor totals(fold.accumulator, {view.results()});
  const BlockKernels kernels = Path<kFast>::kernels();
  Path<kFast>::fold(view, fold, BlockOp::cast(view.view.dtype(), fold.accumulator, {}, kernels), starts,
                    totals.view().bytes());
  return totals;
}

template <bool kFast>
void reduce(const OpCall& call) {
  call.expect_counts(2, 1);
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  const ReducedView view = reduced_view(call, x, reduced_dims(call, x), false, out, "out");
  call.expect_dtype("out", out, x.dtype());
  const BlockKernels kernels = Path<kFast>::kernels();
  const Fold fold = Fold::make(call.op, call.text("fn"), x.dtype(), out.dtype(), call.numerics, kernels);
  Tensor made;
  ConstTensorView init;
  if (const auto* scalar = std::get_if<Scalar>(call.inputs.size() > 1 ? &call.inputs[1] : nullptr)) {
    made = scalar_tensor(*scalar, x.dtype());
    init = broadcast_to(std::as_const(made).view(), out.sizes(), call.op, "init");
  } else {
    init = call.tensor(1, "init");
    call.expect_dtype("init", init, x.dtype());
    call.expect_sizes("init", init, out.sizes());
  }
  Tensor starts(fold.accumulator, out.sizes());
  Path<kFast>::apply(BlockOp::cast(x.dtype(), fold.accumulator, {}, kernels), std::span(&init, 1),
                     starts.view());
  write_totals<kFast>(totals_of<kFast>(view, fold, {starts.view().bytes()}), out);
}

/// sum, prod, amax, amin: `kFunction` indexes this list.
constexpr std::string_view kSimple[] = {"sum", "prod", "max", "min"};

template <bool kFast, int kFunction>
void simple(const OpCall& call) {
  call.expect_counts(1, 1);
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  const ReducedView view =
      reduced_view(call, x, reduced_dims(call, x), call.boolean("keepdim", false), out, "out");
  const bool widens = model::is_floating(x.dtype()) == model::is_floating(out.dtype()) && kFunction < 2;
  if (!widens) call.expect_dtype("out", out, x.dtype());
  if (kFunction >= 2 && view.count() == 0) call.fail("x", "at least one element to reduce", "none");
  const BlockKernels kernels = Path<kFast>::kernels();
  const Fold fold = Fold::make(call.op, kSimple[kFunction], x.dtype(), out.dtype(), call.numerics, kernels);
  write_totals<kFast>(totals_of<kFast>(view, fold), out);
}

template <bool kFast, bool kAll>
void any_or_all(const OpCall& call) {
  call.expect_counts(1, 1);
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  call.expect_dtype("out", out, DType::i1);
  const ReducedView view =
      reduced_view(call, x, reduced_dims(call, x), call.boolean("keepdim", false), out, "out");
  const BlockKernels kernels = Path<kFast>::kernels();
  const Fold fold = Fold::make(call.op, kAll ? "and" : "or", DType::i1, DType::i1, call.numerics, kernels);
  write_totals<kFast>(totals_of<kFast>(view, fold), out);
}

template <bool kFast>
void mean(const OpCall& call) {
  call.expect_counts(1, 1);
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  if (!model::is_floating(x.dtype())) call.fail("x", "a floating element type", model::name(x.dtype()));
  call.expect_dtype("out", out, x.dtype());
  const ReducedView view =
      reduced_view(call, x, reduced_dims(call, x), call.boolean("keepdim", false), out, "out");
  const BlockKernels kernels = Path<kFast>::kernels();
  const Fold fold = Fold::make(call.op, "sum", x.dtype(), out.dtype(), call.numerics, kernels);
  Tensor totals = totals_of<kFast>(view, fold);
  const Tensor count = scalar_tensor(Scalar{view.count()}, fold.accumulator);
  const ConstTensorView operands[] = {std::as_const(totals).view(),
                                      broadcast_to(count.view(), totals.sizes(), call.op, "")};
  Path<kFast>::apply(BlockOp::elementwise("div", fold.accumulator, call.numerics, kernels), operands,
                     totals.view());
  write_totals<kFast>(totals, out);
}

template <bool kFast>
void var_mean(const OpCall& call) {
  call.expect_counts(1, 2);
  const ConstTensorView& x = call.tensor(0, "x");
  if (!model::is_floating(x.dtype())) call.fail("x", "a floating element type", model::name(x.dtype()));
  const bool keepdim = call.boolean("keepdim", false);
  const ReducedView view =
      reduced_view(call, x, reduced_dims(call, x), keepdim, call.output(0, "var"), "var");
  call.expect_sizes("mean", call.output(1, "mean"), call.output(0).sizes());
  for (std::size_t i = 0; i < 2; ++i) call.expect_dtype(i == 0 ? "var" : "mean", call.output(i), x.dtype());
  const RowArithmetic row(call.op, x.dtype(), call.numerics, kFast);
  Tensor mean(row.type(), {view.results()});
  Tensor var(row.type(), {view.results()});
  const ReducedRow rows(view, row.load());
  const double correction = call.real("correction", 1.0);
  row.for_each(view.results(), view.count(), [&](std::int64_t result, std::byte* elements) {
    rows.read(result, 0, view.count(), elements);
    const RowMoments moments = row.moments(elements, view.count(), correction);
    const std::size_t at = static_cast<std::size_t>(result) * row.width();
    std::memcpy(mean.view().bytes() + at, moments.mean.bytes, row.width());
    std::memcpy(var.view().bytes() + at, moments.var.bytes, row.width());
  });
  write_totals<kFast>(var, call.output(0));
  write_totals<kFast>(mean, call.output(1));
}

template <void (*kRun)(const OpCall&), void (*kDefine)(const OpCall&)>
OpEntry entry(std::string_view name, Promise promise) {
  return {name, kRun, kDefine, promise};
}

}  // namespace

void register_reduce_ops(OpRegistry& registry) {
  registry.add(entry<reduce<true>, reduce<false>>("reduce", Promise::bounded));
  registry.add(entry<simple<true, 0>, simple<false, 0>>("sum", Promise::bounded));
  registry.add(entry<simple<true, 1>, simple<false, 1>>("prod", Promise::bounded));
  registry.add(entry<simple<true, 2>, simple<false, 2>>("amax", Promise::exact));
  registry.add(entry<simple<true, 3>, simple<false, 3>>("amin", Promise::exact));
  registry.add(entry<any_or_all<true, false>, any_or_all<false, false>>("any", Promise::exact));
  registry.add(entry<any_or_all<true, true>, any_or_all<false, true>>("all", Promise::exact));
  registry.add(entry<mean<true>, mean<false>>("mean", Promise::bounded));
  registry.add(entry<var_mean<true>, var_mean<false>>("var_mean", Promise::bounded));
  register_scan_ops(registry);
}

}  // namespace bufferproof::kernels
