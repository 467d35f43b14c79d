#include <algorithm>

#include "kernels_ref/bounds/bound_support.hpp"
#include "kernels_ref/ops/pool_shapes.hpp"

// Bounds of the average pools: a chain of sums in window order, one division, one rounding to the result's
// type.

namespace bufferproof::kernels {
namespace {

struct Window {
  std::int64_t begin, end, counted;
};

Window window_of(const OpCall& call, const PoolAxis& axis, std::int64_t i) {
  if (call.op == "adaptive_avg_pool2d") {
    const std::int64_t begin = i * axis.input / axis.output;
    const std::int64_t end = ((i + 1) * axis.input + axis.output - 1) / axis.output;
    return {begin, end, end - begin};
  }
  const std::int64_t start = axis.start(i);
  const std::int64_t end = std::min(start + axis.kernel, axis.input + axis.padding);
  const std::int64_t inside = std::max<std::int64_t>(start, 0);
  const std::int64_t past = std::max(std::min(end, axis.input), inside);
  return {inside, past, call.boolean("count_include_pad", true) ? end - start : past - inside};
}

ErrorBounds average_bounds(const OpCall& call, std::size_t) {
  const PoolPlan plan = call.op == "avg_pool2d" ? checked_pool(call, false) : checked_adaptive_pool(call);
  const ConstTensorView& x = call.tensor(0, "x");
  const DType computing = computing_dtype(x.dtype(), call.numerics);
  const Rounding rounding = Rounding::of(computing);
  const std::vector<double> values = values_of(x);
  const std::int64_t divisor = call.op == "avg_pool2d" ? call.integer("divisor_override", 0) : 0;
  ErrorBounds bounds{call.output(0).sizes(), {}};
  for (std::int64_t plane = 0; plane < plan.planes; ++plane) {
    for (std::int64_t i = 0; i < plan.rows.output; ++i) {
      for (std::int64_t j = 0; j < plan.columns.output; ++j) {
        const Window rows = window_of(call, plan.rows, i);
        const Window columns = window_of(call, plan.columns, j);
        Ball sum{0.0};
        for (std::int64_t r = rows.begin; r < rows.end; ++r)
          for (std::int64_t c = columns.begin; c < columns.end; ++c)
            sum = ball::add(
                sum,
                {values[static_cast<std::size_t>((plane * plan.rows.input + r) * plan.columns.input + c)]},
                rounding);
        const std::int64_t count = divisor != 0 ? divisor : rows.counted * columns.counted;
        bounds.elements.push_back(
            stored(ball::div(sum, {static_cast<double>(count)}, rounding), computing, x.dtype()));
      }
    }
  }
  return bounds;
}

}  // namespace

std::vector<BoundEntry> pool_bounds() {
  return {{"avg_pool2d", average_bounds}, {"adaptive_avg_pool2d", average_bounds}};
}

}  // namespace bufferproof::kernels
