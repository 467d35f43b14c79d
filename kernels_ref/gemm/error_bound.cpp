#include "kernels_ref/gemm/error_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/gemm/arithmetic.hpp"
#include "kernels_ref/gemm/convolution_layout.hpp"
#include "kernels_ref/gemm/matmul_steps.hpp"
#include "kernels_ref/gemm/view_copy.hpp"

namespace bufferproof::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Rounding to a type: |rounded - x| <= unit |x| + tiny while |x| <= largest.
struct Rounding {
  double unit;
  double tiny;
  double largest;
};

Rounding rounding_to(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {0x1p-11, 0x1p-25, 65504.0};
    case DType::bf16:
      return {0x1p-8, 0x1p-134, 0x1.fep127};
    case DType::f64:
      return {0x1p-53, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()};
    default:
      return {0x1p-24, 0x1p-150, 0x1.fffffep127};
  }
}

/// What is known of a computed value: the exact one is at most `size`, the computed one at most `error` away.
struct Known {
  double size;
  double error;

  /// After one more rounding of the computed value.
  Known rounded(const Rounding& to) const {
    if (!(size + error <= to.largest)) return {size, kInfinity};  // also for NaN
    return {size, error + to.unit * (size + error) + to.tiny};
  }
  /// times a factor given as `exact` and used as `used`.
  Known times(double exact, double used) const {
    return {size * std::abs(exact), error * std::abs(used) + size * std::abs(exact - used)};
  }
  Known plus(const Known& other) const { return {size + other.size, error + other.error}; }
};

/// An f64 tensor of f(element, element as the profile rounds it).
template <typename Function>
Tensor operand_tensor(const ConstTensorView& view, InputRounding rounding, Function&& f) {
  Tensor result(DType::f64, view.sizes());
  const Tensor copy = contiguous_copy(view);
  visit_floating(view.dtype(), [&]<typename Element>(TypeTag<Element>) {
    std::span<const Element> from = copy.elements<Element>();
    std::span<double> to = result.elements<double>();
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = f(as_operand<double>(from[i], InputRounding::none), as_operand<double>(from[i], rounding));
  });
  return result;
}

double magnitude(double given, double) { return std::abs(given); }
double rounded_magnitude(double, double rounded) { return std::abs(rounded); }
double rounded_value(double, double rounded) { return rounded; }
double difference(double given, double rounded) { return given == rounded ? 0.0 : std::abs(given - rounded); }

/// The depth of the sum and what follows from it.
class SumBound {
 public:
  SumBound(std::int64_t taps, DType sum, const NumericsProfile& profile)
      : rounding_(rounding_to(sum)), taps_(taps) {
    const std::int64_t block = profile.k_block == 0 ? std::max<std::int64_t>(taps, 1) : profile.k_block;
    const std::int64_t blocks = (taps + block - 1) / block;
    const std::int64_t depth =
        std::min(block, taps) + std::max<std::int64_t>(blocks - 1, 0) + (profile.fused_product ? 0 : 1);
    const double product = static_cast<double>(depth) * rounding_.unit;
    gamma_ = product < 0.5 ? product / (1 - product) : kInfinity;
    roundings_ = static_cast<double>(taps * (profile.fused_product ? 1 : 2) + blocks);
  }

  /// `absolute`: the sum of |weight| |value|; `value`: the sum itself as f64 gave it; `operands`: what
  /// rounding the operands changed at most.
  Known of(double absolute, double value, double operands) const {
    const double underflow = roundings_ * rounding_.tiny * (1 + gamma_);
    const double f64_error = static_cast<double>(taps_ + 1) * 0x1p-52 * absolute;
    const Known known{std::abs(value) + f64_error + operands, gamma_ * absolute + underflow + operands};
    return absolute + known.error <= rounding_.largest ? known : Known{known.size, kInfinity};
  }
  const Rounding& rounding() const { return rounding_; }
  /// Covers the roundings of the f64 arithmetic that computed the bound.
  double inflated(const Known& known) const {
    const double factor = 1 + static_cast<double>(taps_ + 64) * 0x1p-50;
    const double lost = static_cast<double>(taps_) * std::numeric_limits<double>::denorm_min();
    return known.error == known.error ? known.error * factor + lost : kInfinity;
  }

 private:
  Rounding rounding_;
  std::int64_t taps_;
  double gamma_;
  double roundings_;
};

/// Sums of products of absolute values, by the same kernels in f64.
struct AbsoluteSums {
  Tensor absolute;  ///< of the rounded operands
  Tensor value;     ///< of the rounded operands, with their signs
  Tensor operands;  ///< sum (|dw| |x| + |w'| |dx|); zeros when the rounded operands are the reference

  Known known(const SumBound& rule, std::size_t i) const {
    return rule.of(absolute.elements<double>()[i], value.elements<double>()[i],
                   operands.elements<double>()[i]);
  }
};

/// `multiply(a, b, out)` runs the op on two f64 operands.
template <typename Multiply>
AbsoluteSums absolute_sums(const ConstTensorView& weight, const ConstTensorView& input, const Sizes& out,
                           InputRounding rounding, ExactOf exact, Multiply&& multiply) {
  const auto product = [&](auto weight_part, auto input_part) {
    Tensor sums(DType::f64, out);
    multiply(operand_tensor(weight, rounding, weight_part), operand_tensor(input, rounding, input_part),
             sums);
    return sums;
  };
  AbsoluteSums result{product(rounded_magnitude, rounded_magnitude), product(rounded_value, rounded_value),
                      Tensor(DType::f64, out)};
  std::span<double> operands = result.operands.elements<double>();
  std::fill(operands.begin(), operands.end(), 0.0);
  if (exact == ExactOf::given_operands && rounding != InputRounding::none) {
    const Tensor by_weight = product(difference, magnitude);
    const Tensor by_input = product(rounded_magnitude, difference);
    for (std::size_t i = 0; i < operands.size(); ++i)
      operands[i] = by_weight.elements<double>()[i] + by_input.elements<double>()[i];
  }
  return result;
}

NumericsProfile f64_profile() { return numerics_profile("f64"); }

/// Element i of an absent operand is not looked at.
std::vector<double> values_of(const ConstTensorView& view) {
  if (view.bytes() == nullptr) return {};
  const Tensor copy = widened_copy<double>(view);
  return {copy.elements<double>().begin(), copy.elements<double>().end()};
}

}  // namespace

Tensor convolution_error_bound(const ConvolutionParams& params, const ConstTensorView& input,
                               const ConstTensorView& weight, const ConvolutionEpilogue& epilogue,
                               const NumericsProfile& profile, ExactOf exact) {
  validate(profile);
  const ConvolutionShape shape = convolution_shape(params, input.sizes(), weight.sizes());
  Tensor bound(DType::f64, shape.out_sizes());
  check_convolution(shape, input, weight.dtype(), Tensor(input.dtype(), shape.out_sizes()).view(), epilogue);
  const FpStateGuard state;
  const AbsoluteSums sums =
      absolute_sums(weight, input, shape.out_sizes(), profile.input_rounding_conv, exact,
                    [&](const Tensor& w, const Tensor& x, Tensor& out) {
                      convolution(params, x.view(), w.view(), out.view(), {}, f64_profile());
                    });
  const DType sum = sum_type(input.dtype(), profile);
  const auto taps = convolution_taps(shape.group_channels, shape.kernel_height, shape.kernel_width, profile);
  const SumBound rule(static_cast<std::int64_t>(taps.size()), sum, profile);
  const std::vector<double> scale = values_of(epilogue.scale);
  const std::vector<double> shift = values_of(epilogue.shift);
  const std::vector<double> addend = values_of(epilogue.addend);
  const std::size_t plane = static_cast<std::size_t>(shape.out_height * shape.out_width);
  std::span<double> to = bound.elements<double>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t m = i / plane % static_cast<std::size_t>(shape.filters);
    Known known = sums.known(rule, i);
    if (!scale.empty()) known = known.times(scale[m], scale[m]);
    if (!shift.empty()) known = known.plus({std::abs(shift[m]), 0}).rounded(rule.rounding());
    if (!addend.empty()) known = known.plus({std::abs(addend[i]), 0}).rounded(rule.rounding());
    to[i] = rule.inflated(sum == input.dtype() ? known : known.rounded(rounding_to(input.dtype())));
  }
  return bound;
}

Tensor matmul_error_bound(std::string_view op, const ConstTensorView& a, const ConstTensorView& b,
                          const MatmulEpilogue& epilogue, const NumericsProfile& profile, ExactOf exact) {
  validate(profile);
  const Sizes sizes =
      a.rank() == 3 && b.rank() == 3 ? Sizes{a.size(0), a.size(1), b.size(2)} : Sizes{0, 0, 0};
  const MatmulShape shape = check_matmul(op, a, b, Tensor(a.dtype(), sizes).view(), epilogue);
  Tensor bound(DType::f64, sizes);
  const FpStateGuard state;
  const AbsoluteSums sums =
      absolute_sums(a, b, sizes, profile.input_rounding_matmul, exact,
                    [&](const Tensor& left, const Tensor& right, Tensor& out) {
                      matmul(op, left.view(), right.view(), out.view(), {}, f64_profile());
                    });
  const DType sum = sum_type(a.dtype(), profile);
  const SumBound rule(shape.taps, sum, profile);
  const auto used = [sum](double factor) {
    return sum == DType::f64 ? factor : static_cast<double>(static_cast<float>(factor));
  };
  const std::vector<double> addend = epilogue.beta == 0 ? std::vector<double>() : values_of(epilogue.addend);
  std::span<double> to = bound.elements<double>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    Known known = sums.known(rule, i);
    if (epilogue.alpha != 1)
      known = known.times(epilogue.alpha, used(epilogue.alpha)).rounded(rule.rounding());
    if (!addend.empty()) {
      Known added{std::abs(addend[i]), 0};
      if (epilogue.beta != 1)
        added = added.times(epilogue.beta, used(epilogue.beta)).rounded(rule.rounding());
      known = known.plus(added).rounded(rule.rounding());
    }
    to[i] = rule.inflated(sum == a.dtype() ? known : known.rounded(rounding_to(a.dtype())));
  }
  return bound;
}

}  // namespace bufferproof::kernels
