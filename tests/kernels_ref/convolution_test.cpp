#include "kernels_ref/gemm/convolution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "tests/kernels_ref/profiles_under_test.hpp"
#include "tests/kernels_ref/random_tensor.hpp"

namespace bufferproof::kernels {
namespace {

struct Case {
  Sizes input;
  Sizes weight;
  ConvolutionParams params;
};

/// Odd sizes, every parameter away from its default somewhere, pointwise and strided pointwise, one column,
/// no padding.
std::vector<Case> cases() {
  return {{{2, 3, 13, 17}, {9, 3, 3, 3}, {{1, 1}, {1, 1}, {1, 1}, 1}},
          {{1, 3, 23, 21}, {10, 3, 7, 7}, {{2, 2}, {3, 3}, {1, 1}, 1}},
          {{2, 6, 9, 8}, {4, 3, 3, 2}, {{2, 3}, {2, 1}, {1, 2}, 2}},
          {{3, 5, 7, 7}, {17, 5, 1, 1}, {{1, 1}, {0, 0}, {1, 1}, 1}},
          {{1, 5, 9, 11}, {3, 5, 1, 1}, {{2, 2}, {0, 0}, {1, 1}, 1}},
          {{1, 4, 6, 5}, {4, 1, 3, 3}, {{1, 1}, {1, 1}, {1, 1}, 4}},
          {{2, 40, 3, 3}, {2, 40, 3, 3}, {{1, 1}, {0, 0}, {1, 1}, 1}},
          {{1, 2, 4, 4}, {3, 2, 1, 3}, {{3, 1}, {4, 5}, {1, 3}, 1}}};
}

Sizes out_sizes(const Case& c) { return convolution_shape(c.params, c.input, c.weight).out_sizes(); }

void expect_definition_bits(const Case& c, const ConstTensorView& input, const ConstTensorView& weight,
                            const TensorView& out, const ConvolutionEpilogue& epilogue,
                            const NumericsProfile& profile) {
  Tensor expected(out.dtype(), out.sizes());
  convolution_definition(c.params, input, weight, expected.view(), epilogue, profile);
  for_each_host_setting([&](const std::string& setting) {
    convolution(c.params, input, weight, out, epilogue, profile);
    EXPECT_EQ(first_difference(expected.view(), out), -1)
        << format_sizes(c.input) << " * " << format_sizes(c.weight) << ", " << profile.name << ", "
        << setting;
  });
}

TEST(Convolution, FastKernelHasTheDefinitionsBits) {
  for (const NumericsProfile& profile : profiles_under_test())
    for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
      for (const Case& c : cases()) {
        const Tensor input = random_tensor(dtype, c.input, 1);
        const Tensor weight = random_tensor(dtype, c.weight, 2);
        const Tensor bias = random_tensor(dtype, {c.weight[0]}, 3);
        Tensor out(dtype, out_sizes(c));
        ConvolutionEpilogue epilogue;
        epilogue.shift = bias.view();
        expect_definition_bits(c, input.view(), weight.view(), out.view(), epilogue, profile);
      }
}

TEST(Convolution, EdgeValuesAndStridesHaveTheDefinitionsBits) {
  for (const NumericsProfile& profile : profiles_under_test())
    for (DType dtype : {DType::f32, DType::f64, DType::bf16})
      for (const Case& c : cases()) {
        const auto input = random_strided(dtype, c.input, 4, Values::edge);
        const auto weight = random_strided(dtype, c.weight, 5, Values::edge);
        const auto out = random_strided(dtype, out_sizes(c), 6);
        expect_definition_bits(c, input.view, weight.view, out.view, {}, profile);
      }
}

TEST(Convolution, FusedStepsHaveTheDefinitionsBits) {
  const Case c = cases()[0];
  for (const NumericsProfile& profile : profiles_under_test())
    for (DType dtype : {DType::f32, DType::f64, DType::f16}) {
      const Tensor input = random_tensor(dtype, c.input, 7);
      const Tensor weight = random_tensor(dtype, c.weight, 8);
      const Tensor scale = random_tensor(dtype, {c.weight[0]}, 9, Values::edge);
      const Tensor shift = random_tensor(dtype, {c.weight[0]}, 10, Values::edge);
      const Tensor addend = random_tensor(dtype, out_sizes(c), 11, Values::edge);
      const auto strided = random_strided(dtype, out_sizes(c), 12, Values::edge);
      Tensor out(dtype, out_sizes(c));
      expect_definition_bits(c, input.view(), weight.view(), out.view(),
                             {scale.view(), shift.view(), addend.view(), true}, profile);
      expect_definition_bits(c, input.view(), weight.view(), out.view(),
                             {scale.view(), shift.view(), strided.view, true}, profile);
      expect_definition_bits(c, input.view(), weight.view(), out.view(), {{}, {}, addend.view(), true},
                             profile);
    }
}

TEST(Convolution, BatchDoesNotChangeAnImage) {
  const Case c = cases()[1];
  const Tensor images = random_tensor(DType::f32, {8, 3, 23, 21}, 13);
  const Tensor weight = random_tensor(DType::f32, c.weight, 14);
  Sizes sizes = out_sizes(c);
  Tensor one(DType::f32, sizes);
  convolution(c.params, ConstTensorView(images.view().bytes(), DType::f32, c.input), weight.view(),
              one.view(), {}, {});
  sizes[0] = 8;
  Tensor eight(DType::f32, sizes);
  convolution(c.params, images.view(), weight.view(), eight.view(), {}, {});
  EXPECT_EQ(first_difference(one.view(), ConstTensorView(eight.view().bytes(), DType::f32, out_sizes(c))),
            -1);
}

TEST(Convolution, FlushToZeroOfTheHostDoesNotShow) {
  const Case c = cases()[0];
  const Tensor input = random_tensor(DType::f32, c.input, 15, Values::edge);
  const Tensor weight = random_tensor(DType::f32, c.weight, 16, Values::edge);
  Tensor plain(DType::f32, out_sizes(c));
  Tensor flushed(DType::f32, out_sizes(c));
  convolution(c.params, input.view(), weight.view(), plain.view(), {}, {});
  set_flush_to_zero(true);
  convolution(c.params, input.view(), weight.view(), flushed.view(), {}, {});
  set_flush_to_zero(false);
  EXPECT_EQ(first_difference(plain.view(), flushed.view()), -1);
}

TEST(Convolution, InfiniteWeightMeetsPaddingAsNaN) {
  Tensor input(DType::f32, {1, 1, 1, 1});
  Tensor weight(DType::f32, {1, 1, 1, 3});
  input.elements<float>()[0] = 1;
  weight.elements<float>()[0] = INFINITY;
  weight.elements<float>()[1] = weight.elements<float>()[2] = 1;
  Tensor out(DType::f32, {1, 1, 1, 1});
  convolution({{1, 1}, {0, 1}, {1, 1}, 1}, input.view(), weight.view(), out.view(), {}, {});
  EXPECT_EQ(bits_of(out.elements<float>()[0]), kNanF32);
}

template <typename Call>
void expect_error(Call&& call, const std::string& message) {
  try {
    call();
    FAIL() << message;
  } catch (const KernelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(message));
  }
}

TEST(Convolution, WrongArgumentsNameOpArgumentAndExpectedShape) {
  const auto shape = [](ConvolutionParams params, Sizes input, Sizes weight) {
    return [=] { convolution_shape(params, input, weight); };
  };
  constexpr std::int64_t big = std::int64_t{1} << 31;
  expect_error(
      shape({}, {1, 3, 8, 8}, {4, 2, 3, 3}),
      "op 'convolution', argument 'weight': expected shape [M, 3, KH, KW] for 3 channels in 1 groups");
  expect_error(shape({}, {3, 8, 8}, {4, 3, 3, 3}),
               "argument 'input': expected shape [N, C, H, W], found shape [3, 8, 8]");
  expect_error(shape({}, {1, 3, 2, 8}, {4, 3, 3, 3}),
               "a padded size of at least the kernel's reach 3, found 2");
  expect_error(shape({{0, 1}, {0, 0}, {1, 1}, 1}, {1, 3, 8, 8}, {4, 3, 3, 3}), "argument 'stride'");
  expect_error(shape({{1, 1}, {-1, 0}, {1, 1}, 1}, {1, 3, 8, 8}, {4, 3, 3, 3}), "argument 'padding'");
  expect_error(shape({{1, 1}, {0, 0}, {1, 1}, 2}, {1, 4, 8, 8}, {3, 2, 3, 3}), "divisible by groups 2");
  expect_error(shape({{1, 1}, {big, big}, {1, 1}, 1}, {big, 1, big, big}, {big, 1, 1, 1}), "at most 2^62");
}

/// Only the phases and rows that taps read are staged, so a huge stride costs nothing ...
TEST(Convolution, HugeStridesHaveTheDefinitionsBits) {
  const Case c{{1, 1, 2, 2}, {1, 1, 2, 2}, {{1 << 30, 1 << 30}, {1 << 30, 1 << 30}, {1 << 30, 1 << 30}, 1}};
  const Tensor input = random_tensor(DType::f32, c.input, 1);
  const Tensor weight = random_tensor(DType::f32, c.weight, 1);
  Tensor out(DType::f32, out_sizes(c));
  expect_definition_bits(c, input.view(), weight.view(), out.view(), {}, {});
}

/// ... and a dilation whose padded copy no machine could hold is an error, not a crash.
TEST(Convolution, HugePaddedCopyIsAnError) {
  const Case c{{1, 1, 2, 2}, {1, 1, 2, 2}, {{1, 1}, {1 << 29, 1 << 29}, {1 << 30, 1 << 30}, 1}};
  const Tensor input = random_tensor(DType::f32, c.input, 1);
  const Tensor weight = random_tensor(DType::f32, c.weight, 1);
  Tensor out(DType::f32, out_sizes(c));
  EXPECT_THROW(convolution(c.params, input.view(), weight.view(), out.view(), {}, {}), KernelError);
}

TEST(Convolution, WrongElementTypesAndEpiloguesAreErrors) {
  const Tensor input = random_tensor(DType::f32, {1, 1, 4, 4}, 1);
  const Tensor weight = random_tensor(DType::f16, {1, 1, 3, 3}, 1);
  const Tensor integers(DType::i8, {1, 1, 3, 3});
  const Tensor good = random_tensor(DType::f32, {1, 1, 3, 3}, 1);
  const Tensor bias = random_tensor(DType::f32, {2}, 1);
  Tensor out(DType::f32, {1, 1, 2, 2});
  expect_error([&] { convolution({}, input.view(), weight.view(), out.view(), {}, {}); },
               "expected element type f32, found element type f16");
  expect_error([&] { PreparedConvolution({}, integers.view(), {}); }, "a floating element type");
  expect_error(
      [&] {
        convolution({}, input.view(), good.view(), out.view(), {{}, bias.view(), {}, false}, {});
      },
      "argument 'bias': expected shape [1], found shape [2]");
  Tensor wrong(DType::f32, {1, 1, 2, 3});
  expect_error([&] { convolution({}, input.view(), good.view(), wrong.view(), {}, {}); },
               "argument 'output': expected shape [1, 1, 2, 2], found shape [1, 1, 2, 3]");
}

}  // namespace
}  // namespace bufferproof::kernels
