#include "kernels_ref/network/resnet18.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/network/random.hpp"
#include "tests/kernels_ref/profiles_under_test.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::int64_t kSize = 40;  // small: the network runs many times here

/// Of the logits of image 0.
std::uint64_t hash_of(ResNet18& network, std::int64_t batch) {
  const Tensor logits = network.forward(ResNet18::images(DType::f32, batch, kSize, 7).view());
  return content_hash(ConstTensorView(logits.view().bytes(), DType::f32, {1, 1000}));
}
std::uint64_t hash_of(const NumericsProfile& profile) {
  ResNet18 network(1, DType::f32, profile);
  return hash_of(network, 1);
}

TEST(ResNet18, OneHashOnEverySetAndThreadCountAndBatch) {
  for (const NumericsProfile& profile : {numerics_profile("ieee-f32"), numerics_profile("ascend-a2")}) {
    const std::uint64_t expected = hash_of(profile);
    for (Isa isa : supported_isas()) {
      if (isa == Isa::baseline && profile.name != "ieee-f32") continue;  // software FMA is slow
      set_isa(isa);
      ResNet18 network(1, DType::f32, profile);
      for (int threads : {1, 2, 3}) {
        set_thread_count(threads);
        EXPECT_EQ(hash_of(network, isa == Isa::baseline ? 1 : threads), expected)
            << profile.name << " " << name(isa);
      }
    }
    set_isa(std::nullopt);
    set_thread_count(0);
  }
}

TEST(ResNet18, ProfilesDifferAndSingleFollowsDouble) {
  EXPECT_NE(hash_of(numerics_profile("ieee-f32")), hash_of(numerics_profile("ascend-a2")));
  ResNet18 single(1, DType::f32, {});
  ResNet18 wide(1, DType::f64, {});
  const Tensor a = single.forward(ResNet18::images(DType::f32, 1, kSize, 7).view());
  const Tensor b = wide.forward(ResNet18::images(DType::f64, 1, kSize, 7).view());
  double largest = 0;
  double error = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    largest = std::max(largest, std::abs(b.elements<double>()[i]));
    error = std::max(error, std::abs(a.elements<float>()[i] - b.elements<double>()[i]));
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(error, 1e-5 * largest);
}

TEST(ResNet18, FlushToZeroOfTheHostDoesNotShow) {
  ResNet18 network(1, DType::f32, {});
  const std::uint64_t expected = hash_of(network, 1);
  set_flush_to_zero(true);
  const std::uint64_t flushed = hash_of(network, 1);
  set_flush_to_zero(false);
  EXPECT_EQ(flushed, expected);
}

TEST(ResNet18, WrongImagesNameTheArgument) {
  ResNet18 network(1, DType::f32, {});
  const Tensor gray(DType::f32, {1, 1, kSize, kSize});
  const Tensor wide = ResNet18::images(DType::f64, 1, kSize, 7);
  EXPECT_THROW(network.forward(gray.view()), KernelError);
  EXPECT_THROW(network.forward(wide.view()), KernelError);
  EXPECT_THROW(ResNet18(1, DType::f16, {}), KernelError);
}

}  // namespace
}  // namespace bufferproof::kernels
