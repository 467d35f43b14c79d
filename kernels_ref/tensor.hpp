// Tensors: an owning block of elements and strided views of one.
//
// A view is like std::span: shallow, cheap, owning nothing; constness of the elements is in its type
// (ConstTensorView). Sizes and strides count elements, strides may be 0 (broadcast) or negative. Every size
// is checked for overflow when a view or tensor is made, so code that walks a view needs no checks of its
// own. This header stays free of Eigen; the C++ types of f16 and bf16 are Eigen::half and Eigen::bfloat16,
// and code that computes with them includes kernels_ref/element.hpp. Tested by
// tests/kernels_ref/tensor_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/dtype.hpp"

namespace Eigen {
struct half;
struct bfloat16;
}  // namespace Eigen

namespace bufferproof::kernels {

using model::DType;
using Sizes = std::vector<std::int64_t>;

/// An i1 element: one byte, any non-zero byte is true (a C++ bool of such memory would be undefined
/// behaviour).
struct Bool8 {
  std::uint8_t byte;
  constexpr explicit operator bool() const { return byte != 0; }
};

/// The element type whose C++ type is T; defined for the ten types of model::DType.
template <typename T>
inline constexpr DType kDTypeOf = DType{0xff};
template <>
inline constexpr DType kDTypeOf<Eigen::half> = DType::f16;
template <>
inline constexpr DType kDTypeOf<Eigen::bfloat16> = DType::bf16;
template <>
inline constexpr DType kDTypeOf<float> = DType::f32;
template <>
inline constexpr DType kDTypeOf<double> = DType::f64;
template <>
inline constexpr DType kDTypeOf<Bool8> = DType::i1;
template <>
inline constexpr DType kDTypeOf<std::int8_t> = DType::i8;
template <>
inline constexpr DType kDTypeOf<std::uint8_t> = DType::u8;
template <>
inline constexpr DType kDTypeOf<std::int16_t> = DType::i16;
template <>
inline constexpr DType kDTypeOf<std::int32_t> = DType::i32;
template <>
inline constexpr DType kDTypeOf<std::int64_t> = DType::i64;

/// Number of elements; throws KernelError (op "tensor") for a negative size or a product above 2^62.
std::int64_t element_count(std::span<const std::int64_t> sizes);
/// Row-major strides of `sizes`; a dimension of size 0 or 1 gets the stride it would have at size 1.
Sizes contiguous_strides(std::span<const std::int64_t> sizes);

namespace detail {
/// The parts of a view that do not depend on constness.
struct Shape {
  DType dtype = DType::f32;
  Sizes sizes;
  Sizes strides;  // in elements
  /// Throws KernelError when ranks differ, a size is negative, or an element's byte offset leaves +-2^62.
  void validate() const;
  bool contiguous() const;
  std::int64_t offset(std::span<const std::int64_t> index) const;
};
[[noreturn]] void throw_wrong_type(DType wanted, DType found);
Shape permuted(const Shape& shape, std::span<const int> order);
}  // namespace detail

/// A strided window on somebody else's elements. `Byte` is std::byte or const std::byte.
template <typename Byte>
class BasicTensorView {
 public:
  template <typename T>
  using Like = std::conditional_t<std::is_const_v<Byte>, const T, T>;

  BasicTensorView() = default;
  /// `data` points at the element with index (0, ..., 0).
  BasicTensorView(Like<void>* data, DType dtype, Sizes sizes, Sizes strides)
      : data_(static_cast<Byte*>(data)), shape_{dtype, std::move(sizes), std::move(strides)} {
    shape_.validate();
  }
  /// Row-major.
  BasicTensorView(Like<void>* data, DType dtype, Sizes sizes)
      : BasicTensorView(data, dtype, sizes, contiguous_strides(sizes)) {}
  /// A mutable view reads as a constant one.
  operator BasicTensorView<const std::byte>() const {
    return {data_, shape_.dtype, shape_.sizes, shape_.strides};
  }

  DType dtype() const { return shape_.dtype; }
  int rank() const { return static_cast<int>(shape_.sizes.size()); }
  const Sizes& sizes() const { return shape_.sizes; }
  const Sizes& strides() const { return shape_.strides; }
  std::int64_t size(int dim) const { return shape_.sizes.at(static_cast<std::size_t>(dim)); }
  std::int64_t stride(int dim) const { return shape_.strides.at(static_cast<std::size_t>(dim)); }
  std::int64_t element_count() const { return kernels::element_count(shape_.sizes); }
  /// Row-major without gaps (strides of dimensions of size 1 do not matter).
  bool is_contiguous() const { return shape_.contiguous(); }

  /// The first element; throws KernelError when T is not this view's element type.
  template <typename T>
  Like<T>* data() const {
    if (kDTypeOf<T> != shape_.dtype) detail::throw_wrong_type(kDTypeOf<T>, shape_.dtype);
    return reinterpret_cast<Like<T>*>(data_);
  }
  Byte* bytes() const { return data_; }
  /// One element by index; index and bounds are checked. For tests and definitions, not for inner loops.
  template <typename T>
  Like<T>& at(std::span<const std::int64_t> index) const {
    return data<T>()[shape_.offset(index)];
  }
  template <typename T>
  Like<T>& at(std::initializer_list<std::int64_t> index) const {
    return at<T>(std::span(index.begin(), index.size()));
  }

  /// The same elements with dimension i taken from dimension order[i].
  BasicTensorView permute(std::span<const int> order) const {
    detail::Shape shape = detail::permuted(shape_, order);
    return {data_, shape.dtype, std::move(shape.sizes), std::move(shape.strides)};
  }

 private:
  Byte* data_ = nullptr;
  detail::Shape shape_;
};

using TensorView = BasicTensorView<std::byte>;
using ConstTensorView = BasicTensorView<const std::byte>;

/// Owning, row-major, 64-byte aligned. Fresh storage holds signalling patterns, never zeros: signalling NaNs
/// for floating types, 0x5a bytes for integers and i1, so that reading an element nobody wrote shows.
class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Sizes sizes);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;
  Tensor(const Tensor& other);
  Tensor& operator=(const Tensor& other);

  DType dtype() const { return dtype_; }
  const Sizes& sizes() const { return sizes_; }
  std::int64_t element_count() const { return kernels::element_count(sizes_); }
  std::size_t size_in_bytes() const;
  TensorView view() { return {bytes_.get(), dtype_, sizes_}; }
  ConstTensorView view() const { return {bytes_.get(), dtype_, sizes_}; }
  template <typename T>
  std::span<T> elements() {
    return {view().data<T>(), static_cast<std::size_t>(element_count())};
  }
  template <typename T>
  std::span<const T> elements() const {
    return {view().data<T>(), static_cast<std::size_t>(element_count())};
  }

 private:
  struct Free {
    void operator()(std::byte* block) const;
  };
  DType dtype_ = DType::f32;
  Sizes sizes_{0};
  std::unique_ptr<std::byte[], Free> bytes_;
};

/// Fills `bytes` bytes with the signalling pattern of `dtype`.
void fill_signalling(std::byte* block, std::size_t bytes, DType dtype);

/// A row-major copy of a view's elements, bit for bit.
Tensor contiguous_copy(const ConstTensorView& view);

}  // namespace bufferproof::kernels
