#include "kernels_ref/ops/pool_shapes.hpp"

#include <string>

#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 31;  ///< keeps every sum and product below in 64 bits

std::int64_t one_of(const OpCall& call, std::string_view attribute, const std::vector<std::int64_t>& values,
                    std::size_t axis, std::int64_t least) {
  if (values.size() != 1 && values.size() != 2)
    call.fail(attribute, "one value or two", std::to_string(values.size()) + " values");
  const std::int64_t value = values[values.size() == 1 ? 0 : axis];
  if (value < least || value > kLargest)
    call.fail(attribute, "values of at least " + std::to_string(least), format_sizes(values));
  return value;
}

std::int64_t pooled_size(const OpCall& call, const PoolAxis& axis, bool ceil_mode) {
  const std::int64_t reach = axis.dilation * (axis.kernel - 1) + 1;
  const std::int64_t room = axis.input + 2 * axis.padding - reach;
  if (room < 0)
    call.fail(
        "kernel", "a window no larger than the padded input",
        "a reach of " + std::to_string(reach) + " over " + std::to_string(axis.input + 2 * axis.padding));
  std::int64_t size = room / axis.stride + 1;
  // Rounded up, unless the extra window would start in the padding behind the input.
  if (ceil_mode && room % axis.stride != 0 && size * axis.stride < axis.input + axis.padding) ++size;
  return size;
}

const ConstTensorView& checked_input(const OpCall& call) {
  if (call.inputs.size() != 1 || call.outputs.empty() || call.outputs.size() > 2)
    call.fail("inputs", "one input and one or two outputs", std::to_string(call.inputs.size()) + " inputs");
  const ConstTensorView& x = call.tensor(0, "x");
  if (!model::is_floating(x.dtype())) call.fail("x", "a floating element type", model::name(x.dtype()));
  if (x.rank() != 3 && x.rank() != 4)
    call.fail("x", "shape [n, c, h, w] or [c, h, w]", "shape " + format_sizes(x.sizes()));
  for (std::int64_t size : x.sizes())
    if (size > kLargest) call.fail("x", "sizes of at most 2^31", "shape " + format_sizes(x.sizes()));
  call.expect_dtype("out", call.output(0), x.dtype());
  return x;
}

PoolPlan finished(const OpCall& call, PoolPlan plan, const ConstTensorView& x) {
  Sizes expected = x.sizes();
  expected[expected.size() - 2] = plan.rows.output;
  expected[expected.size() - 1] = plan.columns.output;
  for (const TensorView& output : call.outputs) call.expect_sizes("out", output, expected);
  plan.planes = x.size(x.rank() - 3) * (x.rank() == 4 ? x.size(0) : 1);
  return plan;
}

}  // namespace

PoolPlan checked_pool(const OpCall& call, bool dilated) {
  const ConstTensorView& x = checked_input(call);
  const std::vector<std::int64_t> kernel = call.integers("kernel");
  const std::vector<std::int64_t> stride = call.integers("stride", {});
  const std::vector<std::int64_t> padding = call.integers("padding", {0});
  const std::vector<std::int64_t> dilation =
      dilated ? call.integers("dilation", {1}) : std::vector<std::int64_t>{1};
  const bool ceil_mode = call.boolean("ceil_mode", false);
  PoolPlan plan;
  for (std::size_t i = 0; i < 2; ++i) {
    PoolAxis& axis = i == 0 ? plan.rows : plan.columns;
    axis.kernel = one_of(call, "kernel", kernel, i, 1);
    axis.stride = stride.empty() ? axis.kernel : one_of(call, "stride", stride, i, 1);
    axis.padding = one_of(call, "padding", padding, i, 0);
    axis.dilation = one_of(call, "dilation", dilation, i, 1);
    axis.input = x.size(x.rank() - 2 + static_cast<int>(i));
    if (axis.padding > axis.kernel / 2)
      call.fail("padding", "at most half the kernel",
                std::to_string(axis.padding) + " for " + std::to_string(axis.kernel));
    axis.output = pooled_size(call, axis, ceil_mode);
  }
  return finished(call, plan, x);
}

PoolPlan checked_adaptive_pool(const OpCall& call) {
  const ConstTensorView& x = checked_input(call);
  const std::vector<std::int64_t> output = call.integers("output");
  PoolPlan plan;
  for (std::size_t i = 0; i < 2; ++i) {
    PoolAxis& axis = i == 0 ? plan.rows : plan.columns;
    axis.output = one_of(call, "output", output, i, 0);
    axis.input = x.size(x.rank() - 2 + static_cast<int>(i));
    if (axis.input == 0 && axis.output > 0)
      call.fail("x", "planes that are not empty", "shape " + format_sizes(x.sizes()));
  }
  return finished(call, plan, x);
}

}  // namespace bufferproof::kernels
