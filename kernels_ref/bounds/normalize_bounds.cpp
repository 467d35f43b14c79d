#include <algorithm>
#include <string>

#include "kernels_ref/bounds/bound_support.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/math/bounds.hpp"
#include "kernels_ref/math/math.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/movement_shapes.hpp"

// Bounds of softmax, log_softmax, layer_norm and native_batch_norm: the steps of normalize.cpp on balls.

namespace bufferproof::kernels {
namespace {

/// What the steps of a call round to.
struct Steps {
  DType accumulator;
  Rounding rounding;
  explicit Steps(const OpCall& call)
      : accumulator(Fold::make(call.op, "sum", call.tensor(0, "x").dtype(), call.tensor(0, "x").dtype(),
                               call.numerics, definition_kernels())
                        .accumulator),
        rounding(accumulator_rounding(accumulator)) {}
  double ulps(std::string_view function) const {
    const math::UlpBound& bound = *math::find_ulp_bound(function);
    const bool half = model::size_in_bytes(accumulator) == 2;  // computed in f32, rounded once more
    return accumulator == DType::f64 ? bound.f64 : bound.f32 + (half ? 0.5 : 0.0);
  }
  Ball exp(const Ball& x) const {
    return ball::monotone(
        x, [](double v) { return math::Exp{}(v); }, rounding, ulps("exp"));
  }
  Ball log(const Ball& x) const {
    return ball::monotone(
        x, [](double v) { return math::Log{}(v); }, rounding, ulps("log"));
  }
};

ErrorBounds softmax_bounds(const OpCall& call, std::size_t) {
  const ConstTensorView& x = call.tensor(0, "x");
  const Steps steps(call);
  const std::vector<double> values = values_of(x);
  const std::size_t axis = checked_axis(call, "dim", call.integer("dim"), x.sizes().size());
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < x.sizes().size(); ++i) inner *= static_cast<std::size_t>(x.sizes()[i]);
  const auto length = static_cast<std::size_t>(x.sizes()[axis]);
  ErrorBounds bounds{x.sizes(), std::vector<Ball>(values.size())};
  for (std::size_t row = 0; length > 0 && row < values.size() / length; ++row) {
    const std::size_t first = row / inner * inner * length + row % inner;
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < length; ++k) largest = std::max(largest, values[first + k * inner]);
    std::vector<Ball> shifted(length);
    std::vector<Ball> exponentials(length);
    for (std::size_t k = 0; k < length; ++k) {
      shifted[k] = ball::sub({values[first + k * inner]}, {largest}, steps.rounding);
      exponentials[k] = steps.exp(shifted[k]);
    }
    const Ball sum = folded_sum(exponentials, {0.0}, steps.rounding);
    const bool logarithm = call.op == "log_softmax";
    const Ball log_sum = logarithm ? steps.log(sum) : Ball{};
    for (std::size_t k = 0; k < length; ++k) {
      const Ball result = logarithm ? ball::sub(shifted[k], log_sum, steps.rounding)
                                    : ball::div(exponentials[k], sum, steps.rounding);
      bounds.elements[first + k * inner] = stored(result, steps.accumulator, x.dtype());
    }
  }
  return bounds;
}

/// A parameter widened or rounded to the accumulator; absent: empty.
std::vector<Ball> parameter(const OpCall& call, std::size_t input, std::string_view name,
                            const Steps& steps) {
  std::vector<Ball> balls;
  const ConstTensorView* const given = call.optional_tensor(input, name);
  if (given == nullptr) return balls;
  const bool narrows = model::size_in_bytes(given->dtype()) > model::size_in_bytes(steps.accumulator);
  for (double value : values_of(*given))
    balls.push_back(narrows ? ball::rounded(value, 0.0, 0.0, steps.rounding) : Ball{value});
  return balls;
}

/// x * factor + addend as two roundings or one.
Ball scaled(const OpCall& call, Ball x, const Ball* factor, const Ball* addend, const Rounding& rounding) {
  if (factor != nullptr && addend != nullptr && call.numerics.contract_mul_add)
    return ball::fma(x, *factor, *addend, rounding);
  if (factor != nullptr) x = ball::mul(x, *factor, rounding);
  if (addend != nullptr) x = ball::add(x, *addend, rounding);
  return x;
}

const Ball* at(const std::vector<Ball>& balls, std::size_t i) { return balls.empty() ? nullptr : &balls[i]; }

/// rsqrt(var + eps), eps rounded to the accumulator first.
Ball reciprocal_deviation(const OpCall& call, const Ball& var, const Steps& steps) {
  const Ball eps = ball::rounded(call.real("eps", 1e-5), 0.0, 0.0, steps.rounding);
  const Ball sum = ball::add(var, eps, steps.rounding);
  const Ball result =
      ball_rsqrt(sum, call.numerics, steps.accumulator == DType::f64 ? DType::f64 : DType::f32);
  return stored(result, DType::f32,
                model::size_in_bytes(steps.accumulator) == 2 ? steps.accumulator : DType::f32);
}

ErrorBounds layer_norm_bounds(const OpCall& call, std::size_t output) {
  const ConstTensorView& x = call.tensor(0, "x");
  const Steps steps(call);
  const std::vector<double> values = values_of(x);
  const std::vector<Ball> weight = parameter(call, 1, "weight", steps);
  const std::vector<Ball> bias = parameter(call, 2, "bias", steps);
  const auto n = static_cast<std::size_t>(element_count(call.integers("normalized_shape")));
  const Ball count{static_cast<double>(n)};
  ErrorBounds bounds{call.output(output).sizes(), {}};
  for (std::size_t first = 0; n > 0 && first < values.size(); first += n) {
    std::vector<Ball> row;
    for (std::size_t k = 0; k < n; ++k) row.push_back({values[first + k]});
    const Ball mean = ball::div(folded_sum(row, {0.0}, steps.rounding), count, steps.rounding);
    for (Ball& element : row) element = ball::sub(element, mean, steps.rounding);
    std::vector<Ball> squares;
    for (const Ball& element : row) squares.push_back(ball::mul(element, element, steps.rounding));
    const Ball var = ball::div(folded_sum(squares, {0.0}, steps.rounding), count, steps.rounding);
    const Ball rstd = reciprocal_deviation(call, var, steps);
    const DType to = call.output(output).dtype();
    if (output == 1) bounds.elements.push_back(stored(mean, steps.accumulator, to));
    if (output == 2) bounds.elements.push_back(stored(rstd, steps.accumulator, to));
    for (std::size_t k = 0; output == 0 && k < n; ++k) {
      const Ball normal = ball::mul(row[k], rstd, steps.rounding);
      bounds.elements.push_back(
          stored(scaled(call, normal, at(weight, k), at(bias, k), steps.rounding), steps.accumulator, to));
    }
  }
  return bounds;
}

ErrorBounds batch_norm_bounds(const OpCall& call, std::size_t) {
  const ConstTensorView& x = call.tensor(0, "x");
  const Steps steps(call);
  const std::vector<double> values = values_of(x);
  const std::vector<Ball> weight = parameter(call, 1, "weight", steps);
  const std::vector<Ball> bias = parameter(call, 2, "bias", steps);
  const std::vector<Ball> mean = parameter(call, 3, "running_mean", steps);
  const std::vector<Ball> var = parameter(call, 4, "running_var", steps);
  const bool folded = call.text("form", "decomposed") == "folded";
  const auto channels = static_cast<std::size_t>(x.size(1));
  std::size_t inner = 1;
  for (int i = 2; i < x.rank(); ++i) inner *= static_cast<std::size_t>(x.size(i));
  ErrorBounds bounds{x.sizes(), {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i / inner % channels;
    Ball factor = reciprocal_deviation(call, var[c], steps);
    Ball result{values[i]};
    if (folded) {
      if (!weight.empty()) factor = ball::mul(factor, weight[c], steps.rounding);
      const Ball shift = ball::mul(mean[c], factor, steps.rounding);
      const Ball addend = ball::sub(bias.empty() ? Ball{0.0} : bias[c], shift, steps.rounding);
      result = scaled(call, result, &factor, &addend, steps.rounding);
    } else {
      result = ball::mul(ball::sub(result, mean[c], steps.rounding), factor, steps.rounding);
      result = scaled(call, result, at(weight, c), at(bias, c), steps.rounding);
    }
    bounds.elements.push_back(stored(result, steps.accumulator, x.dtype()));
  }
  return bounds;
}

}  // namespace

std::vector<BoundEntry> normalize_bounds() {
  return {{"softmax", softmax_bounds},
          {"log_softmax", softmax_bounds},
          {"layer_norm", layer_norm_bounds},
          {"native_batch_norm", batch_norm_bounds}};
}

}  // namespace bufferproof::kernels
