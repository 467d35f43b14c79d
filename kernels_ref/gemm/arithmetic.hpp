// The arithmetic of convolution and matmul in words a scalar loop can use: operands, the sum of products, the
// last rounding.
//
// This is the specification; the fast kernels of gemm_kernel.isa.cpp are tested against it by memcmp.
// Tested by tests/kernels_ref/matmul_test.cpp and convolution_test.cpp.
#pragma once

#include <cmath>

#include "kernels_ref/element.hpp"
#include "kernels_ref/input_rounding.hpp"
#include "kernels_ref/numerics.hpp"

namespace bufferproof::kernels {

/// The type sums run in: f64 for f64 operands or an f64 profile, else f32.
inline DType sum_type(DType operand, const NumericsProfile& profile) {
  const bool wide = operand == DType::f64 || profile.accumulator == DType::f64 || profile.f64_golden;
  return wide ? DType::f64 : DType::f32;
}

/// A stored element as an operand of a product: f32 is rounded as the profile says, everything widens
/// exactly.
template <typename T>
T as_operand(float value, InputRounding rounding) {
  return static_cast<T>(round_input(value, rounding));
}
template <typename T>
T as_operand(double value, InputRounding) {
  return static_cast<T>(value);
}
template <typename T>
T as_operand(Eigen::half value, InputRounding) {
  return static_cast<T>(f16_to_f32(Eigen::numext::bit_cast<std::uint16_t>(value)));
}
template <typename T>
T as_operand(Eigen::bfloat16 value, InputRounding) {
  return static_cast<T>(bf16_to_f32(Eigen::numext::bit_cast<std::uint16_t>(value)));
}

/// The sum of products of one output element. Taps are given in the profile's order.
template <typename T>
class SumOfProducts {
 public:
  explicit SumOfProducts(const NumericsProfile& profile)
      : block_(profile.k_block), fused_(profile.fused_product) {}

  void add(T weight, T value) {
    chain_ = fused_ ? std::fma(weight, value, chain_) : chain_ + weight * value;
    if (++length_ == block_) close_block();
  }

  T result() {
    if (length_ > 0 || !has_total_) close_block();
    return total_;
  }

 private:
  void close_block() {
    total_ = has_total_ ? total_ + chain_ : chain_;
    has_total_ = true;
    chain_ = T{0};
    length_ = 0;
  }

  int block_;
  bool fused_;
  bool has_total_ = false;
  int length_ = 0;
  T chain_ = T{0};
  T total_ = T{0};
};

/// f64 to f32 so that a second rounding to a narrower type rounds as if from f64: the last bit is set where
/// f32 cannot hold the value (round to odd).
inline float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || value != value || std::isinf(value)) return nearest;
  if (std::isinf(nearest))
    return std::copysign(0x1.fffffep127F, nearest);  // odd, and far above f16's and bf16's ranges
  const float truncated =
      std::abs(static_cast<double>(nearest)) > std::abs(value) ? std::nextafter(nearest, 0.0F) : nearest;
  return __builtin_bit_cast(float, bits_of(truncated) | 1U);
}

/// The result of type T as an element of type Out: one rounding to nearest even, NaN canonical.
template <typename Out, typename T>
Out as_element(T value) {
  if constexpr (std::is_same_v<Out, Eigen::half>) {
    return Eigen::numext::bit_cast<Eigen::half>(f32_to_f16(round_to_odd(static_cast<double>(value))));
  } else if constexpr (std::is_same_v<Out, Eigen::bfloat16>) {
    return Eigen::numext::bit_cast<Eigen::bfloat16>(f32_to_bf16(round_to_odd(static_cast<double>(value))));
  } else {
    return canonical(static_cast<Out>(value));
  }
}

/// Calls `visitor(TypeTag<Element>{})` for a floating element type; the caller has checked that it is one.
template <typename Visitor>
void visit_floating(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::f16:
      return visitor(TypeTag<Eigen::half>{});
    case DType::bf16:
      return visitor(TypeTag<Eigen::bfloat16>{});
    case DType::f64:
      return visitor(TypeTag<double>{});
    default:
      return visitor(TypeTag<float>{});
  }
}

/// Calls `visitor(TypeTag<T>{})` with the C++ type of sum_type(...): float or double.
template <typename Visitor>
void visit_sum_type(DType dtype, Visitor&& visitor) {
  if (dtype == DType::f64)
    visitor(TypeTag<double>{});
  else
    visitor(TypeTag<float>{});
}

}  // namespace bufferproof::kernels
