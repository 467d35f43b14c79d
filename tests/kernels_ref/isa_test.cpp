#include "kernels_ref/isa/isa_control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "kernels_ref/convert16.hpp"
#include "kernels_ref/isa/self_check.hpp"
#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

TEST(Isa, BaselineIsAlwaysSupportedAndNamesReadBack) {
  EXPECT_EQ(supported_isas().front(), Isa::baseline);
  for (Isa isa : supported_isas()) {
    EXPECT_EQ(parse_isa(name(isa)), isa);
    set_isa(isa);
    EXPECT_EQ(current_isa(), isa);
  }
  set_isa(std::nullopt);
  EXPECT_EQ(parse_isa("sse5"), std::nullopt);
}

TEST(Isa, EachSetUsesItsOwnVectors) {
  int previous = 0;
  for (Isa isa : supported_isas()) {
    set_isa(isa);
    EXPECT_GE(self_check().vector_bytes, previous);
    previous = self_check().vector_bytes;
  }
  set_isa(std::nullopt);
}

/// Bit patterns that stress the rounding: near-cancelling sums, subnormal results, ties, infinities.
template <typename T, typename Bits>
std::vector<T> patterns(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<Bits>(random());
    T value = __builtin_bit_cast(T, bits);
    if (i % 3 == 0)
      value = std::ldexp(static_cast<T>(static_cast<int>(random() % 17) - 8),
                         static_cast<int>(random() % 40) - 20);
    if (i % 7 == 0) value = std::ldexp(T{1}, static_cast<int>(random() % 300) - 170);
    values[i] = value;
  }
  return values;
}

template <typename T, typename Bits, typename Kernel>
void expect_fma_is_std_fma(Kernel kernel, Isa isa) {
  const std::size_t count = 300007;
  const auto a = patterns<T, Bits>(count, 1);
  const auto b = patterns<T, Bits>(count, 2);
  auto c = patterns<T, Bits>(count, 3);
  for (std::size_t i = 0; i < count; i += 2)
    c[i] = -a[i] * b[i];  // cancels all but the product's rounding error
  std::vector<T> out(count);
  kernel(a.data(), b.data(), c.data(), out.data(), static_cast<std::int64_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const T expected = canonical(std::fma(a[i], b[i], c[i]));
    ASSERT_EQ(bits_of(canonical(out[i])), bits_of(expected))
        << name(isa) << ": fma(" << a[i] << ", " << b[i] << ", " << c[i] << ")";
  }
}

TEST(Isa, FusedMultiplyAddHasTheSameBitsOnEverySet) {
  for (Isa isa : supported_isas()) {
    set_isa(isa);
    expect_fma_is_std_fma<float, std::uint32_t>(self_check().fma_f32, isa);
    expect_fma_is_std_fma<double, std::uint64_t>(self_check().fma_f64, isa);
  }
  set_isa(std::nullopt);
}

}  // namespace
}  // namespace bufferproof::kernels
