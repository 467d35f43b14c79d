// Inputs nobody gave: reproducible, and of a size a network can be run on.
#include "simulator/values/generated_input.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels_ref/network/random.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::content_hash;
using kernels::Tensor;
using model::DType;

std::uint64_t hash_of(std::string_view name, DType dtype, const kernels::Sizes& sizes, std::uint64_t seed) {
  return content_hash(generated_input(name, dtype, sizes, seed).view());
}

TEST(GeneratedInput, DependsOnNameSeedAndShapeAlone) {
  EXPECT_EQ(hash_of("w", DType::f32, {4, 5}, 1), hash_of("w", DType::f32, {4, 5}, 1));
  const std::set<std::uint64_t> different{
      hash_of("w", DType::f32, {4, 5}, 1), hash_of("w", DType::f32, {4, 5}, 2),
      hash_of("v", DType::f32, {4, 5}, 1), hash_of("w", DType::f16, {4, 5}, 1)};
  EXPECT_EQ(different.size(), 4U);
}

TEST(GeneratedInput, SameOnEveryHost) {
  const Tensor x = generated_input("x", DType::f32, {3}, 0);
  const Tensor again = generated_input("x", DType::f64, {3}, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(x.elements<float>()[i], again.elements<double>()[i]) << "exact in every type";
    EXPECT_EQ(std::ldexp(x.elements<float>()[i], 11), std::floor(std::ldexp(x.elements<float>()[i], 11)));
  }
}

TEST(GeneratedInput, VectorsArePositive) {
  const Tensor variance = generated_input("running_var", DType::f32, {512}, 3);
  for (const float v : variance.elements<float>()) EXPECT_TRUE(v >= 0.5F && v < 1.5F) << v;
}

TEST(GeneratedInput, WeightsShrinkWithTheTermsOfASum) {
  const Tensor weight = generated_input("w", DType::f32, {8, 64, 3, 3}, 3);
  const auto elements = weight.elements<float>();
  const float largest = *std::max_element(elements.begin(), elements.end());
  EXPECT_GT(largest, 0x1p-5F);
  EXPECT_LT(largest, 0x1p-4F) << "576 terms: 2^-floor(9.17 / 2)";
  EXPECT_LT(*std::min_element(elements.begin(), elements.end()), 0);
  const Tensor image = generated_input("x", DType::f32, {1, 3, 224, 224}, 3);
  const auto pixels = image.elements<float>();
  EXPECT_GT(*std::max_element(pixels.begin(), pixels.end()), 0.1F) << "an image does not vanish";
}

TEST(GeneratedInput, IntegersAreIndicesIntoSmallTables) {
  const Tensor indices = generated_input("i", DType::i64, {100}, 3);
  std::set<std::int64_t> seen(indices.elements<std::int64_t>().begin(),
                              indices.elements<std::int64_t>().end());
  EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2, 3}));
}

TEST(GeneratedInput, EmptyAndScalar) {
  EXPECT_EQ(generated_input("e", DType::f32, {0, 5}, 1).element_count(), 0);
  EXPECT_EQ(generated_input("s", DType::f16, {}, 1).element_count(), 1);
}

}  // namespace
}  // namespace bufferproof::simulator
