// The C++ types of tensor elements, and how a run-time DType becomes one of them.
//
// f16 and bf16 are Eigen::half and Eigen::bfloat16, used as storage: conversions to and from them are our own
// (kernels_ref/convert16.hpp), because Eigen's depend on the instruction set in what they do with NaN.
// Not for sources that are compiled once per instruction set (kernels_ref/isa/isa.hpp says why).
// Tested by tests/kernels_ref/tensor_test.cpp.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <utility>

#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// A type as a value: visit_dtype hands one to its visitor.
template <typename T>
struct TypeTag {
  using type = T;
};

/// Calls `visitor(TypeTag<T>{})` with the C++ type of `dtype` and returns its result.
template <typename Visitor>
decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
  switch (dtype) {
    case DType::f16:
      return visitor(TypeTag<Eigen::half>{});
    case DType::bf16:
      return visitor(TypeTag<Eigen::bfloat16>{});
    case DType::f32:
      return visitor(TypeTag<float>{});
    case DType::f64:
      return visitor(TypeTag<double>{});
    case DType::i1:
      return visitor(TypeTag<Bool8>{});
    case DType::i8:
      return visitor(TypeTag<std::int8_t>{});
    case DType::u8:
      return visitor(TypeTag<std::uint8_t>{});
    case DType::i16:
      return visitor(TypeTag<std::int16_t>{});
    case DType::i32:
      return visitor(TypeTag<std::int32_t>{});
    case DType::i64:
      break;
  }
  return visitor(TypeTag<std::int64_t>{});
}

}  // namespace bufferproof::kernels
