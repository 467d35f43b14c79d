#include "kernels_ref/gemm/error_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels_ref/kernel_error.hpp"
#include "tests/kernels_ref/profiles_under_test.hpp"
#include "tests/kernels_ref/random_tensor.hpp"

namespace bufferproof::kernels {
namespace {

/// A sum carried in twice f64's precision (two-product, two-sum): exact as far as these tests can see.
struct ExactSum {
  double high = 0;
  double low = 0;
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    low += std::fma(a, b, -product);
  }
  void add(double value) {
    const double sum = high + value;
    const double part = sum - high;
    low += (high - (sum - part)) + (value - part);
    high = sum;
  }
};

/// All elements, row-major, as the profile's rounding makes them.
std::vector<double> values(const ConstTensorView& view, InputRounding rounding) {
  std::vector<double> list;
  const Tensor copy = contiguous_copy(view);
  visit_floating(view.dtype(), [&]<typename Element>(TypeTag<Element>) {
    for (const Element value : copy.elements<Element>()) list.push_back(as_operand<double>(value, rounding));
  });
  return list;
}

/// The distance of `computed` to an exact value held in two parts.
double distance(double computed, const ExactSum& exact) {
  return std::abs((computed - exact.high) - exact.low);
}

struct Worst {
  int beyond = 0;  ///< elements whose error exceeds the bound
};

Worst matmul_worst(DType dtype, const NumericsProfile& computed_as, const NumericsProfile& bounded_as,
                   ExactOf exact, const MatmulEpilogue& epilogue, std::int64_t taps) {
  const Tensor a = random_tensor(dtype, {1, 9, taps}, 1);
  const Tensor b = random_tensor(dtype, {1, taps, 20}, 2);
  Tensor out(dtype, {1, 9, 20});
  matmul("matmul", a.view(), b.view(), out.view(), epilogue, computed_as);
  const Tensor bound = matmul_error_bound("matmul", a.view(), b.view(), epilogue, bounded_as, exact);
  const InputRounding rounding =
      exact == ExactOf::given_operands ? InputRounding::none : bounded_as.input_rounding_matmul;
  const std::vector<double> left = values(a.view(), rounding);
  const std::vector<double> right = values(b.view(), rounding);
  const std::vector<double> computed = values(out.view(), InputRounding::none);
  const bool has_addend = epilogue.addend.bytes() != nullptr && epilogue.beta != 0;
  const std::vector<double> addend =
      has_addend ? values(epilogue.addend, InputRounding::none) : std::vector<double>();
  Worst worst;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const std::size_t m = i / 20;
    const std::size_t n = i % 20;
    ExactSum sum;
    for (std::size_t k = 0; k < static_cast<std::size_t>(taps); ++k)
      sum.add_product(epilogue.alpha * left[m * static_cast<std::size_t>(taps) + k], right[k * 20 + n]);
    if (has_addend) sum.add_product(epilogue.beta, addend[i]);
    const double error = distance(computed[i], sum);
    const double allowed = bound.elements<double>()[i];
    worst.beyond += error > allowed ? 1 : 0;
  }
  return worst;
}

TEST(ErrorBound, MatmulStaysInsideUnderEveryProfile) {
  const Tensor addend = random_tensor(DType::f32, {1, 9, 20}, 3);
  for (const NumericsProfile& profile : profiles_under_test())
    for (const std::int64_t taps : {1, 7, 300, 2000})
      for (const ExactOf exact : {ExactOf::given_operands, ExactOf::rounded_operands}) {
        for (DType dtype : {DType::f32, DType::f16, DType::bf16})
          EXPECT_EQ(matmul_worst(dtype, profile, profile, exact, {}, taps).beyond, 0)
              << profile.name << " " << taps;
        // Powers of two: alpha times an operand stays exact in the reference.
        EXPECT_EQ(matmul_worst(DType::f32, profile, profile, exact, {addend.view(), 0.5, 0.3}, taps).beyond,
                  0);
      }
}

TEST(ErrorBound, F64StaysInside) {
  for (const std::int64_t taps : {1, 50, 3000})
    EXPECT_EQ(matmul_worst(DType::f64, {}, {}, ExactOf::given_operands, {}, taps).beyond, 0) << taps;
}

/// A bound that nothing could exceed would prove nothing: other arithmetic than the stated one is found out.
TEST(ErrorBound, OtherArithmeticIsFoundOut) {
  NumericsProfile rounding;
  rounding.input_rounding_matmul = InputRounding::hf32_ties_even;
  EXPECT_GT(matmul_worst(DType::f32, rounding, {}, ExactOf::given_operands, {}, 30).beyond, 90);
  NumericsProfile wide;
  wide.accumulator = DType::f64;
  EXPECT_GT(matmul_worst(DType::f32, {}, wide, ExactOf::given_operands, {}, 2000).beyond, 90);
}

TEST(ErrorBound, BlocksTightenIt) {
  const Tensor a = random_tensor(DType::f32, {1, 1, 4096}, 1);
  const Tensor b = random_tensor(DType::f32, {1, 4096, 1}, 2);
  NumericsProfile blocked;
  blocked.k_block = 64;
  const auto bound = [&](const NumericsProfile& profile) {
    return matmul_error_bound("matmul", a.view(), b.view(), {}, profile, ExactOf::given_operands)
        .elements<double>()[0];
  };
  EXPECT_LT(bound(blocked), bound({}) / 30);  // depth 127 instead of 4,096
}

Tensor widened(const Tensor& tensor) {
  Tensor wide(DType::f64, tensor.sizes());
  std::copy(tensor.elements<float>().begin(), tensor.elements<float>().end(),
            wide.elements<double>().begin());
  return wide;
}

TEST(ErrorBound, ConvolutionStaysInsideUnderEveryProfile) {
  const ConvolutionParams params{{2, 1}, {1, 1}, {1, 1}, 2};
  const Tensor input = random_tensor(DType::f32, {1, 6, 8, 7}, 4);
  const Tensor weight = random_tensor(DType::f32, {4, 3, 3, 3}, 5);
  const Tensor scale = random_tensor(DType::f32, {4}, 6);
  const Tensor shift = random_tensor(DType::f32, {4}, 7);
  const Sizes sizes = convolution_shape(params, input.sizes(), weight.sizes()).out_sizes();
  const Tensor addend = random_tensor(DType::f32, sizes, 8);
  const ConvolutionEpilogue epilogue{scale.view(), shift.view(), addend.view(), false};
  for (const NumericsProfile& profile : profiles_under_test()) {
    Tensor out(DType::f32, sizes);
    convolution(params, input.view(), weight.view(), out.view(), epilogue, profile);
    const Tensor bound = convolution_error_bound(params, input.view(), weight.view(), epilogue, profile,
                                                 ExactOf::given_operands);
    // Against f64 on the operands as given: its own error is 2^-29 of the bound's.
    Tensor reference(DType::f64, sizes);
    const Tensor wide[] = {widened(input), widened(weight), widened(scale), widened(shift), widened(addend)};
    convolution(params, wide[0].view(), wide[1].view(), reference.view(),
                {wide[2].view(), wide[3].view(), wide[4].view(), false}, {});
    for (std::size_t i = 0; i < bound.elements<double>().size(); ++i) {
      const double error = std::abs(out.elements<float>()[i] - reference.elements<double>()[i]);
      EXPECT_LE(error, bound.elements<double>()[i]) << profile.name;
      EXPECT_LT(bound.elements<double>()[i], 1.0);
    }
  }
}

TEST(ErrorBound, IsInfiniteWhereNothingCanBeSaid) {
  Tensor a = random_tensor(DType::f32, {1, 1, 2}, 1);
  const Tensor b = random_tensor(DType::f32, {1, 2, 1}, 2);
  for (const float value : {INFINITY, NAN, 3e38F}) {
    a.elements<float>()[0] = a.elements<float>()[1] = value;
    Tensor large = b;
    large.elements<float>()[0] = large.elements<float>()[1] = 1.5F;
    const Tensor bound =
        matmul_error_bound("matmul", a.view(), large.view(), {}, {}, ExactOf::given_operands);
    EXPECT_EQ(bound.elements<double>()[0], INFINITY) << value;
  }
  EXPECT_THROW(matmul_error_bound("mm", a.view(), a.view(), {}, {}, ExactOf::given_operands), KernelError);
}

/// Products below the smallest subnormal vanish: the underflow term must cover them.
TEST(ErrorBound, CoversUnderflow) {
  Tensor a(DType::f32, {1, 1, 8});
  Tensor b(DType::f32, {1, 8, 1});
  for (float& value : a.elements<float>()) value = 0x1p-100F;
  for (float& value : b.elements<float>()) value = 0x1p-50F;
  Tensor out(DType::f32, {1, 1, 1});
  matmul("matmul", a.view(), b.view(), out.view(), {}, {});
  const Tensor bound = matmul_error_bound("matmul", a.view(), b.view(), {}, {}, ExactOf::given_operands);
  EXPECT_EQ(out.elements<float>()[0], 0.0F);  // eight times 2^-150, each a tie to even
  EXPECT_GE(bound.elements<double>()[0], 8 * 0x1p-150);
}

}  // namespace
}  // namespace bufferproof::kernels
