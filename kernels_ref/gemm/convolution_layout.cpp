#include "kernels_ref/gemm/convolution_layout.hpp"

#include <algorithm>
#include <string>

#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

[[noreturn]] void fail(std::string_view argument, const std::string& expected, const std::string& found) {
  throw KernelError("convolution", argument, expected, found);
}

void require_at_least(std::string_view argument, std::int64_t least, std::int64_t found) {
  constexpr std::int64_t kMost = std::int64_t{1}
                                 << 31;  // keeps every product of a size and a step inside 64 bits
  if (found < least || found > kMost)
    fail(argument, "values from " + std::to_string(least) + " to 2^31", std::to_string(found));
}

std::int64_t output_size(const ConvolutionParams& params, std::size_t dim, std::int64_t input,
                         std::int64_t kernel) {
  const std::int64_t reach = params.dilation[dim] * (kernel - 1) + 1;
  const std::int64_t padded = input + 2 * params.padding[dim];
  if (padded < reach)
    fail("input", "a padded size of at least the kernel's reach " + std::to_string(reach),
         std::to_string(padded));
  return (padded - reach) / params.stride[dim] + 1;
}

void check_params(const ConvolutionParams& params) {
  for (std::size_t dim = 0; dim < 2; ++dim) {
    require_at_least("stride", 1, params.stride[dim]);
    require_at_least("padding", 0, params.padding[dim]);
    require_at_least("dilation", 1, params.dilation[dim]);
  }
  require_at_least("groups", 1, params.groups);
}

void check_view(std::string_view argument, const ConstTensorView& view, DType dtype, const Sizes& sizes) {
  if (view.dtype() != dtype)
    fail(argument, "element type " + std::string(model::name(dtype)),
         "element type " + std::string(model::name(view.dtype())));
  if (view.sizes() != sizes)
    fail(argument, "shape " + format_sizes(sizes), "shape " + format_sizes(view.sizes()));
}

StagedAxis staged_axis(std::int64_t outputs, std::int64_t kernel, std::int64_t dilation,
                       std::int64_t stride) {
  StagedAxis axis;
  for (std::int64_t tap = 0; tap < kernel; ++tap) axis.phases.push_back(tap * dilation % stride);
  std::sort(axis.phases.begin(), axis.phases.end());
  axis.phases.erase(std::unique(axis.phases.begin(), axis.phases.end()), axis.phases.end());
  axis.phase_size = outputs + (kernel - 1) * dilation / stride;
  return axis;
}

bool present(const ConstTensorView& view) { return view.bytes() != nullptr; }

}  // namespace

ConvolutionShape convolution_shape(const ConvolutionParams& params, const Sizes& input, const Sizes& weight) {
  check_params(params);
  if (input.size() != 4) fail("input", "shape [N, C, H, W]", "shape " + format_sizes(input));
  if (weight.size() != 4) fail("weight", "shape [M, C / groups, KH, KW]", "shape " + format_sizes(weight));
  for (std::int64_t size : input) require_at_least("input", 0, size);
  for (std::int64_t size : weight) require_at_least("weight", 1, size);
  if (input[1] % params.groups != 0 || weight[1] != input[1] / params.groups)
    fail("weight",
         "shape [M, " + std::to_string(input[1] / params.groups) + ", KH, KW] for " +
             std::to_string(input[1]) + " channels in " + std::to_string(params.groups) + " groups",
         "shape " + format_sizes(weight));
  if (weight[0] % params.groups != 0)
    fail("weight", "a number of filters divisible by groups " + std::to_string(params.groups),
         std::to_string(weight[0]));
  ConvolutionShape shape{input[0],
                         input[1],
                         input[2],
                         input[3],
                         weight[0],
                         weight[1],
                         weight[2],
                         weight[3],
                         output_size(params, 0, input[2], weight[2]),
                         output_size(params, 1, input[3], weight[3])};
  element_count(shape.out_sizes());  // overflow
  return shape;
}

std::vector<Tap> convolution_taps(std::int64_t group_channels, std::int64_t kernel_height,
                                  std::int64_t kernel_width, const NumericsProfile& profile) {
  const bool grouped = profile.tap_order == TapOrder::c1_kh_kw_c0;
  const std::int64_t group = grouped ? profile.tap_group : 1;
  std::vector<Tap> taps;
  for (std::int64_t first = 0; first < group_channels; first += group)
    for (std::int64_t y = 0; y < kernel_height; ++y)
      for (std::int64_t x = 0; x < kernel_width; ++x)
        for (std::int64_t c = first; c < first + group; ++c)
          taps.push_back({c < group_channels ? c : -1, y, x});
  return taps;
}

void check_filter(const ConvolutionParams& params, const ConstTensorView& weight) {
  if (!model::is_floating(weight.dtype()))
    fail("weight", "a floating element type", "element type " + std::string(model::name(weight.dtype())));
  check_params(params);
  if (weight.rank() != 4)
    fail("weight", "shape [M, C / groups, KH, KW]", "shape " + format_sizes(weight.sizes()));
  const auto reach = [&](int dim) {
    return params.dilation[static_cast<std::size_t>(dim)] * (weight.size(dim + 2) - 1) + 1;
  };
  convolution_shape(params, {1, weight.size(1) * params.groups, reach(0), reach(1)}, weight.sizes());
}

void check_convolution(const ConvolutionShape& shape, const ConstTensorView& input, DType weight,
                       const ConstTensorView& output, const ConvolutionEpilogue& epilogue) {
  const DType dtype = input.dtype();
  if (!model::is_floating(dtype))
    fail("input", "a floating element type", "element type " + std::string(model::name(dtype)));
  if (weight != dtype)
    fail("weight", "element type " + std::string(model::name(dtype)),
         "element type " + std::string(model::name(weight)));
  check_view("output", output, dtype, shape.out_sizes());
  if (present(epilogue.scale)) {
    check_view("scale", epilogue.scale, dtype, {shape.filters});
    if (!present(epilogue.shift)) fail("shift", "a shift beside the scale", "nothing");
  }
  if (present(epilogue.shift)) check_view("bias", epilogue.shift, dtype, {shape.filters});
  if (present(epilogue.addend)) check_view("addend", epilogue.addend, dtype, shape.out_sizes());
}

std::int64_t StagedAxis::position(std::int64_t tap, std::int64_t dilation, std::int64_t stride) const {
  const auto phase = std::lower_bound(phases.begin(), phases.end(), tap * dilation % stride);
  return (phase - phases.begin()) * phase_size + tap * dilation / stride;
}

StagedLayout staged_layout(const ConvolutionParams& params, const ConvolutionShape& shape, bool zero_taps) {
  StagedLayout layout;
  layout.rows = staged_axis(shape.out_height, shape.kernel_height, params.dilation[0], params.stride[0]);
  layout.columns = staged_axis(shape.out_width, shape.kernel_width, params.dilation[1], params.stride[1]);
  layout.planes_per_image = shape.channels + (zero_taps ? 1 : 0);
  layout.plane = element_count(Sizes{layout.rows.size(), layout.columns.size()});
  layout.image = element_count(Sizes{layout.plane, layout.planes_per_image});
  element_count(Sizes{layout.image, shape.batch, 8});  // overflow of the whole copy in bytes
  return layout;
}

std::int64_t StagedLayout::offset(const ConvolutionParams& params, const Tap& tap,
                                  std::int64_t first_channel) const {
  const std::int64_t channel = tap.channel < 0 ? planes_per_image - 1 : first_channel + tap.channel;
  const std::int64_t row = rows.position(tap.y, params.dilation[0], params.stride[0]);
  return channel * plane + row * columns.size() +
         columns.position(tap.x, params.dilation[1], params.stride[1]);
}

}  // namespace bufferproof::kernels
