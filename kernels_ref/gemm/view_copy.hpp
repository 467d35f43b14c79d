// Between views of any element type and strides and the rows of f32 or f64 the GEMM kernels work on.
// Tested by tests/kernels_ref/convolution_test.cpp and matmul_test.cpp.
#pragma once

#include <type_traits>
#include <vector>

#include "kernels_ref/gemm/stage_kernel.hpp"
#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

/// The byte of element `offset` of a view.
inline const std::byte* element_address(const ConstTensorView& view, std::int64_t offset) {
  return view.bytes() + offset * model::size_in_bytes(view.dtype());
}

/// The entry of a staging table for a floating element type.
template <typename T, typename F32Table, typename F64Table>
auto stage_function(F32Table f32, F64Table f64, DType dtype) {
  const int kind = dtype == DType::f16    ? kSourceF16
                   : dtype == DType::bf16 ? kSourceBf16
                   : dtype == DType::f32  ? kSourceF32
                                          : kSourceF64;
  if constexpr (std::is_same_v<T, float>)
    return (stage_kernels().*f32)[kind];
  else
    return (stage_kernels().*f64)[kind];
}

/// A row-major copy of a floating view as T, every element widened exactly.
template <typename T>
Tensor widened_copy(const ConstTensorView& view);
/// The same of a rank-1 view; empty for an absent one.
template <typename T>
std::vector<T> widened_vector(const ConstTensorView& view);
/// Rounds row-major values to the output's floating type and writes them through its strides.
template <typename T>
void narrow_into(const TensorView& output, const T* values);

}  // namespace bufferproof::kernels
