#include <string>
#include <utility>

#include "kernels_ref/bounds/bound_support.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/movement_shapes.hpp"
#include "kernels_ref/ops/reduce.hpp"

// Bounds of sum, prod, mean, var_mean, reduce and cumulative: the folds of fold.hpp on balls.

namespace bufferproof::kernels {
namespace {

/// The rows of a reduction as exact balls.
std::vector<std::vector<Ball>> exact_rows(const ReducedView& view) {
  const BlockOp widen = BlockOp::cast(view.view.dtype(), DType::f64, {}, definition_kernels());
  const ReducedRow rows(view, widen);
  std::vector<std::vector<Ball>> all(static_cast<std::size_t>(view.results()));
  std::vector<double> values(static_cast<std::size_t>(view.count()));
  for (std::int64_t i = 0; i < view.results(); ++i) {
    rows.read(i, 0, view.count(), values.data());
    for (double value : values) all[static_cast<std::size_t>(i)].push_back({value});
  }
  return all;
}

DType accumulator_of(const OpCall& call, const ConstTensorView& x, DType result) {
  const Fold fold = Fold::make(call.op, "sum", x.dtype(), result, call.numerics, definition_kernels());
  return fold.accumulator;
}

/// Integer results wrap and are exact; the reference is the result itself.
ErrorBounds integer_results(const OpCall& call) {
  const TensorView& out = call.output(0);
  Tensor made(out.dtype(), out.sizes());
  OpCall own = call;
  own.outputs = {made.view()};
  OpRegistry::builtin().at(call.op).define(own);
  ErrorBounds bounds{out.sizes(), {}};
  for (double value : values_of(std::as_const(made).view())) bounds.elements.push_back({value});
  return bounds;
}

ErrorBounds fold_bounds(const OpCall& call, std::size_t) {
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  const std::string fn = call.op == "reduce" ? call.text("fn") : (call.op == "prod" ? "prod" : "sum");
  if (!model::is_floating(out.dtype()) || (fn != "sum" && fn != "prod")) return integer_results(call);
  const ReducedView view =
      reduced_view(call, x, reduced_dims(call, x), call.boolean("keepdim", false), out, "out");
  const DType accumulator = accumulator_of(call, x, out.dtype());
  const Rounding rounding = accumulator_rounding(accumulator);
  std::vector<double> starts(static_cast<std::size_t>(view.results()), fn == "sum" ? 0.0 : 1.0);
  if (call.op == "reduce" && std::holds_alternative<ConstTensorView>(call.inputs.at(1)))
    starts = values_of(call.tensor(1, "init"));
  if (call.op == "reduce" && std::holds_alternative<Scalar>(call.inputs.at(1)))
    starts.assign(starts.size(), values_of(scalar_tensor(call.scalar(1, "init"), x.dtype()).view())[0]);
  ErrorBounds bounds{out.sizes(), {}};
  const auto rows = exact_rows(view);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Ball total = fn == "sum" ? folded_sum(rows[i], {starts[i]}, rounding)
                             : folded_product(rows[i], {starts[i]}, rounding);
    if (call.op == "mean") total = ball::div(total, {static_cast<double>(view.count())}, rounding);
    bounds.elements.push_back(stored(total, accumulator, out.dtype()));
  }
  return bounds;
}

ErrorBounds var_mean_bounds(const OpCall& call, std::size_t output) {
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(output);
  const ReducedView view =
      reduced_view(call, x, reduced_dims(call, x), call.boolean("keepdim", false), out, "out");
  const DType accumulator = accumulator_of(call, x, x.dtype());
  const Rounding rounding = accumulator_rounding(accumulator);
  const Ball divisor{std::max(static_cast<double>(view.count()) - call.real("correction", 1.0), 0.0)};
  ErrorBounds bounds{out.sizes(), {}};
  for (std::vector<Ball>& row : exact_rows(view)) {
    const Ball mean =
        ball::div(folded_sum(row, {0.0}, rounding), {static_cast<double>(view.count())}, rounding);
    for (Ball& element : row) element = ball::sub(element, mean, rounding);
    for (Ball& element : row) element = ball::mul(element, element, rounding);
    const Ball var = ball::div(folded_sum(row, {0.0}, rounding), divisor, rounding);
    bounds.elements.push_back(stored(output == 0 ? var : mean, accumulator, out.dtype()));
  }
  return bounds;
}

ErrorBounds cumulative_bounds(const OpCall& call, std::size_t) {
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  if (!model::is_floating(out.dtype())) return integer_results(call);
  const DType accumulator = accumulator_of(call, x, out.dtype());
  const Rounding rounding = accumulator_rounding(accumulator);
  const bool sum = call.text("fn") == "sum";
  const bool reverse = call.boolean("reverse", false);
  const std::size_t axis = checked_axis(call, "dim", call.integer("dim"), x.sizes().size());
  const std::vector<double> values = values_of(x);
  ErrorBounds bounds{out.sizes(), std::vector<Ball>(values.size())};
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < x.sizes().size(); ++i) inner *= static_cast<std::size_t>(x.sizes()[i]);
  const auto length = static_cast<std::size_t>(x.sizes()[axis]);
  for (std::size_t row = 0; length > 0 && row < values.size() / length; ++row) {
    const std::size_t first = row / inner * inner * length + row % inner;
    Ball total{sum ? 0.0 : 1.0};
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t at = first + (reverse ? length - 1 - k : k) * inner;
      total = sum ? ball::add(total, {values[at]}, rounding) : ball::mul(total, {values[at]}, rounding);
      bounds.elements[at] = stored(total, accumulator, out.dtype());
    }
  }
  return bounds;
}

}  // namespace

std::vector<BoundEntry> reduce_bounds() {
  return {{"sum", fold_bounds},    {"prod", fold_bounds},         {"mean", fold_bounds},
          {"reduce", fold_bounds}, {"var_mean", var_mean_bounds}, {"cumulative", cumulative_bounds}};
}

}  // namespace bufferproof::kernels
