// The specification of convolution, one output element at a time (the words are in convolution.hpp).
#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/gemm/arithmetic.hpp"
#include "kernels_ref/gemm/convolution_layout.hpp"

namespace bufferproof::kernels {
namespace {

/// Everything one output element depends on.
template <typename T, typename Element>
struct Definition {
  const ConvolutionParams& params;
  const ConvolutionShape& shape;
  const ConstTensorView& input;
  const ConstTensorView& weight;
  const ConvolutionEpilogue& epilogue;
  const NumericsProfile& profile;
  const std::vector<Tap>& taps;

  T operand(const ConstTensorView& view, std::initializer_list<std::int64_t> index) const {
    return as_operand<T>(view.at<Element>(index), profile.input_rounding_conv);
  }

  T input_at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const {
    const bool inside = y >= 0 && y < shape.height && x >= 0 && x < shape.width;
    return inside ? operand(input, {n, c, y, x}) : T{0};
  }

  T sum(std::int64_t n, std::int64_t m, std::int64_t y, std::int64_t x) const {
    const std::int64_t first_channel = m / (shape.filters / params.groups) * shape.group_channels;
    SumOfProducts<T> sum(profile);
    for (const Tap& tap : taps) {
      if (tap.channel < 0) {
        sum.add(T{0}, T{0});
        continue;
      }
      sum.add(operand(weight, {m, tap.channel, tap.y, tap.x}),
              input_at(n, first_channel + tap.channel,
                       y * params.stride[0] - params.padding[0] + tap.y * params.dilation[0],
                       x * params.stride[1] - params.padding[1] + tap.x * params.dilation[1]));
    }
    return sum.result();
  }

  /// Epilogue operands are not rounded: they do not enter the cube.
  T exact(const ConstTensorView& view, std::initializer_list<std::int64_t> index) const {
    return as_operand<T>(view.at<Element>(index), InputRounding::none);
  }

  Element element(std::int64_t n, std::int64_t m, std::int64_t y, std::int64_t x) const {
    T value = sum(n, m, y, x);
    if (epilogue.scale.bytes() != nullptr)
      value = std::fma(value, exact(epilogue.scale, {m}), exact(epilogue.shift, {m}));
    else if (epilogue.shift.bytes() != nullptr)
      value = value + exact(epilogue.shift, {m});
    if (epilogue.addend.bytes() != nullptr) value = value + exact(epilogue.addend, {n, m, y, x});
    if (epilogue.relu && value <= T{0}) value = T{0};
    return as_element<Element>(value);
  }
};

}  // namespace

void convolution_definition(const ConvolutionParams& params, const ConstTensorView& input,
                            const ConstTensorView& weight, const TensorView& output,
                            const ConvolutionEpilogue& epilogue, const NumericsProfile& profile) {
  validate(profile);
  const ConvolutionShape shape = convolution_shape(params, input.sizes(), weight.sizes());
  check_convolution(shape, input, weight.dtype(), output, epilogue);
  const std::vector<Tap> taps =
      convolution_taps(shape.group_channels, shape.kernel_height, shape.kernel_width, profile);
  const FpStateGuard state;
  visit_sum_type(sum_type(input.dtype(), profile), [&]<typename T>(TypeTag<T>) {
    visit_floating(input.dtype(), [&]<typename Element>(TypeTag<Element>) {
      const Definition<T, Element> definition{params, shape, input, weight, epilogue, profile, taps};
      for (std::int64_t n = 0; n < shape.batch; ++n)
        for (std::int64_t m = 0; m < shape.filters; ++m)
          for (std::int64_t y = 0; y < shape.out_height; ++y)
            for (std::int64_t x = 0; x < shape.out_width; ++x)
              output.at<Element>({n, m, y, x}) = definition.element(n, m, y, x);
    });
  });
}

}  // namespace bufferproof::kernels
