#include "kernels_ref/tensor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "kernels_ref/element.hpp"
#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::array kAllTypes{DType::f16, DType::bf16, DType::f32, DType::f64, DType::i1,
                               DType::i8,  DType::u8,   DType::i16, DType::i32, DType::i64};

TEST(Tensor, FreshStorageIsAlignedAndSignals) {
  for (DType dtype : kAllTypes) {
    const Tensor tensor(dtype, {3, 5});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.view().bytes()) % 64, 0u);
    for (std::size_t i = 0; i < tensor.size_in_bytes(); ++i)
      EXPECT_NE(tensor.view().bytes()[i], std::byte{0}) << model::name(dtype);
    visit_dtype(dtype, [&]<typename T>(TypeTag<T>) {
      if constexpr (!std::is_same_v<T, Bool8>) {
        for (T value : tensor.elements<T>()) EXPECT_EQ(value != value, model::is_floating(dtype));  // NaN
      }
    });
  }
}

TEST(Tensor, WrongElementTypeIsAnError) {
  Tensor tensor(DType::f32, {2});
  EXPECT_THROW(tensor.view().data<double>(), KernelError);
  EXPECT_NO_THROW(tensor.view().data<float>());
}

TEST(Tensor, OverflowingSizesAreErrorsNotCrashes) {
  constexpr std::int64_t big = std::int64_t{1} << 40;
  EXPECT_THROW(Tensor(DType::f32, {big, big}), KernelError);
  EXPECT_THROW(Tensor(DType::f32, {-1}), KernelError);
  EXPECT_THROW(Tensor(DType::f64, {std::int64_t{1} << 61}), KernelError);
  EXPECT_THROW(Tensor(DType::u8, {std::int64_t{1} << 61}),
               KernelError);                                     // allowed arithmetic, no such memory
  EXPECT_THROW(Tensor(DType::f32, {0, big, big}), KernelError);  // empty, but its strides would overflow
}

TEST(TensorView, StridesAreCheckedAgainstOverflow) {
  float element = 0;
  EXPECT_THROW(TensorView(&element, DType::f32, {3}, {std::numeric_limits<std::int64_t>::max()}),
               KernelError);
  EXPECT_THROW(TensorView(&element, DType::f32, {3}, {1, 1}), KernelError);
  EXPECT_NO_THROW(TensorView(&element, DType::f32, {3, 4}, {0, 0}));
}

TEST(TensorView, IndexingFollowsStridesAndChecksBounds) {
  std::array<std::int32_t, 6> block{0, 1, 2, 3, 4, 5};
  const TensorView transposed(block.data(), DType::i32, {3, 2}, {1, 3});
  EXPECT_EQ(transposed.at<std::int32_t>({2, 1}), 5);
  EXPECT_EQ(transposed.at<std::int32_t>({1, 0}), 1);
  EXPECT_FALSE(transposed.is_contiguous());
  EXPECT_TRUE(transposed.permute(std::array{1, 0}).is_contiguous());
  EXPECT_THROW(transposed.at<std::int32_t>({3, 0}), KernelError);
  EXPECT_THROW(transposed.at<std::int32_t>({0}), KernelError);
  EXPECT_THROW(transposed.permute(std::array{0, 0}), KernelError);
}

TEST(TensorView, ContiguousCopyKeepsBits) {
  std::array<std::int16_t, 12> block{};
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::int16_t>(i);
  const ConstTensorView reversed(block.data() + 11, DType::i16, {2, 3, 2}, {-6, -1, 0});
  const Tensor copy = contiguous_copy(reversed);
  EXPECT_EQ(
      std::vector<std::int16_t>(copy.elements<std::int16_t>().begin(), copy.elements<std::int16_t>().end()),
      (std::vector<std::int16_t>{11, 11, 10, 10, 9, 9, 5, 5, 4, 4, 3, 3}));
}

TEST(TensorView, SizeOneDimensionsDoNotBreakContiguity) {
  float element[4] = {};
  EXPECT_TRUE(TensorView(element, DType::f32, {1, 4}, {99, 1}).is_contiguous());
  EXPECT_TRUE(TensorView(element, DType::f32, {0, 4}, {99, 7}).is_contiguous());
  EXPECT_TRUE(TensorView(element, DType::f32, {}, {}).is_contiguous());
}

TEST(KernelError, NamesOpArgumentExpectedAndFound) {
  const KernelError error("matmul", "b", "shape [4, 2]", "shape " + format_sizes(Sizes{3, 2}));
  EXPECT_STREQ(error.what(), "op 'matmul', argument 'b': expected shape [4, 2], found shape [3, 2]");
}

}  // namespace
}  // namespace bufferproof::kernels
