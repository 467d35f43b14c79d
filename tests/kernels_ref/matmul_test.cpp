#include "kernels_ref/gemm/matmul.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels_ref/kernel_error.hpp"
#include "tests/kernels_ref/profiles_under_test.hpp"
#include "tests/kernels_ref/random_tensor.hpp"

namespace bufferproof::kernels {
namespace {

struct Shape {
  std::int64_t batch, rows, taps, columns;
};
constexpr Shape kShapes[] = {{1, 1, 1, 1},   {1, 9, 300, 53}, {1, 3, 7, 200}, {1, 70, 5, 1},
                             {5, 6, 17, 11}, {2, 8, 513, 96}, {1, 17, 0, 3},  {0, 2, 2, 2}};

void expect_definition_bits(const ConstTensorView& a, const ConstTensorView& b, const TensorView& out,
                            const MatmulEpilogue& epilogue, const NumericsProfile& profile,
                            const std::string& what) {
  Tensor expected(out.dtype(), out.sizes());
  matmul_definition("matmul", a, b, expected.view(), epilogue, profile);
  for_each_host_setting([&](const std::string& setting) {
    matmul("matmul", a, b, out, epilogue, profile);
    EXPECT_EQ(first_difference(expected.view(), out), -1) << what << ", " << profile.name << ", " << setting;
  });
}

TEST(Matmul, FastKernelHasTheDefinitionsBits) {
  for (const NumericsProfile& profile : profiles_under_test())
    for (DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
      for (const Shape& s : kShapes) {
        const Tensor a = random_tensor(dtype, {s.batch, s.rows, s.taps}, 1);
        const Tensor b = random_tensor(dtype, {s.batch, s.taps, s.columns}, 2);
        Tensor out(dtype, {s.batch, s.rows, s.columns});
        expect_definition_bits(a.view(), b.view(), out.view(), {}, profile, format_sizes(out.sizes()));
      }
}

TEST(Matmul, EdgeValuesAndStridesHaveTheDefinitionsBits) {
  for (const NumericsProfile& profile : profiles_under_test())
    for (DType dtype : {DType::f32, DType::f64, DType::f16}) {
      const auto a = random_strided(dtype, {2, 13, 40}, 3, Values::edge);
      const auto b = random_strided(dtype, {2, 40, 37}, 4, Values::edge);
      auto out = random_strided(dtype, {2, 13, 37}, 5);
      expect_definition_bits(a.view, b.view, out.view, {}, profile, "strided");
    }
}

TEST(Matmul, AlphaBetaAndAddendHaveTheDefinitionsBits) {
  for (const NumericsProfile& profile : profiles_under_test())
    for (DType dtype : {DType::f32, DType::f64, DType::bf16}) {
      const Tensor a = random_tensor(dtype, {1, 9, 30}, 6);
      const Tensor b = random_tensor(dtype, {1, 30, 50}, 7);
      const Tensor addend = random_tensor(dtype, {1, 9, 50}, 8, Values::edge);
      const ConstTensorView row(addend.view().bytes(), dtype, {1, 9, 50}, {0, 0, 1});
      Tensor out(dtype, {1, 9, 50});
      for (const auto& [alpha, beta] :
           {std::pair{1.0, 1.0}, {0.3, 1.0}, {1.0, 0.7}, {0.3, 0.7}, {2.0, 0.0}}) {
        expect_definition_bits(a.view(), b.view(), out.view(), {addend.view(), alpha, beta}, profile,
                               "addend");
        expect_definition_bits(a.view(), b.view(), out.view(), {row, alpha, beta}, profile,
                               "broadcast addend");
      }
    }
}

/// The cutting of taps into passes (256) must not show: a chain of 1,000 against one written out here.
TEST(Matmul, OneChainOverAllTaps) {
  const Tensor a = random_tensor(DType::f32, {1, 1, 1000}, 9);
  const Tensor b = random_tensor(DType::f32, {1, 1000, 1}, 10);
  Tensor out(DType::f32, {1, 1, 1});
  matmul("matmul", a.view(), b.view(), out.view(), {}, {});
  float sum = 0;
  for (std::size_t k = 0; k < 1000; ++k) sum = std::fma(a.elements<float>()[k], b.elements<float>()[k], sum);
  EXPECT_EQ(out.elements<float>()[0], sum);
}

TEST(Matmul, BetaZeroReadsNoAddend) {
  const Tensor a = random_tensor(DType::f32, {1, 2, 3}, 11);
  const Tensor b = random_tensor(DType::f32, {1, 3, 2}, 12);
  const Tensor unwritten(DType::f32, {1, 2, 2});  // signalling NaNs
  Tensor out(DType::f32, {1, 2, 2});
  matmul("addmm", a.view(), b.view(), out.view(), {unwritten.view(), 1, 0}, {});
  for (float value : out.elements<float>()) EXPECT_FALSE(std::isnan(value));
}

void expect_error(const Sizes& a, const Sizes& b, const Sizes& out, const std::string& message) {
  try {
    const Tensor left(DType::f32, a);
    const Tensor right(DType::f32, b);
    Tensor result(DType::f32, out);
    matmul("bmm", left.view(), right.view(), result.view(), {}, {});
    FAIL() << message;
  } catch (const KernelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(message));
  }
}

TEST(Matmul, WrongShapesNameOpArgumentAndExpectedShape) {
  expect_error({1, 2, 3}, {1, 4, 5}, {1, 2, 5},
               "op 'bmm', argument 'b': expected shape [1, 3, 5], found shape [1, 4, 5]");
  expect_error({1, 2, 3}, {2, 3, 5}, {1, 2, 5}, "argument 'b': expected shape [1, 3, 5]");
  expect_error({1, 2, 3}, {1, 3, 5}, {1, 2, 4},
               "argument 'out': expected shape [1, 2, 5], found shape [1, 2, 4]");
  expect_error({2, 3}, {1, 3, 5}, {1, 2, 5}, "argument 'a': expected shape [B, M, K], found shape [2, 3]");
}

TEST(Matmul, WrongElementTypesAreErrors) {
  const Tensor a(DType::i32, {1, 2, 2});
  const Tensor b(DType::f32, {1, 2, 2});
  Tensor out(DType::f32, {1, 2, 2});
  EXPECT_THROW(matmul("matmul", a.view(), b.view(), out.view(), {}, {}), KernelError);
  const Tensor half(DType::f16, {1, 2, 2});
  EXPECT_THROW(matmul("matmul", half.view(), b.view(), out.view(), {}, {}), KernelError);
}

}  // namespace
}  // namespace bufferproof::kernels
