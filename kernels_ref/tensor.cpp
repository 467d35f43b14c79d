#include "kernels_ref/tensor.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 62;
constexpr std::size_t kAddressSpace = std::size_t{1} << 47;
constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 register

[[noreturn]] void throw_too_large(std::span<const std::int64_t> sizes) {
  throw KernelError("tensor", "sizes", "at most 2^62 bytes", "sizes " + format_sizes(sizes));
}

std::int64_t checked_product(std::int64_t a, std::int64_t b, std::span<const std::int64_t> sizes) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > kLargest || product < -kLargest)
    throw_too_large(sizes);
  return product;
}

std::size_t byte_count(DType dtype, std::span<const std::int64_t> sizes) {
  return static_cast<std::size_t>(checked_product(element_count(sizes), model::size_in_bytes(dtype), sizes));
}

/// Quiet bit clear, payload non-zero: a signalling NaN whose payload reads as "unwritten" in a hex dump.
std::uint64_t signalling_pattern(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return 0x7ff4dead7ff4deadULL;
    case DType::f32:
      return 0x7fa4dead7fa4deadULL;
    case DType::f16:
      return 0x7d5a7d5a7d5a7d5aULL;
    case DType::bf16:
      return 0x7fa57fa57fa57fa5ULL;
    default:
      return 0x5a5a5a5a5a5a5a5aULL;
  }
}

/// Copies the elements of dimension `dim` and below; returns the advanced destination.
std::byte* copy_rows(std::byte* to, const std::byte* from, const ConstTensorView& view, int dim) {
  const auto width = static_cast<std::size_t>(model::size_in_bytes(view.dtype()));
  if (dim == view.rank()) {
    std::memcpy(to, from, width);
    return to + width;
  }
  if (dim == view.rank() - 1 && view.stride(dim) == 1) {
    const std::size_t bytes = width * static_cast<std::size_t>(view.size(dim));
    std::memcpy(to, from, bytes);
    return to + bytes;
  }
  for (std::int64_t i = 0; i < view.size(dim); ++i)
    to = copy_rows(to, from + i * view.stride(dim) * static_cast<std::int64_t>(width), view, dim + 1);
  return to;
}

}  // namespace

std::int64_t element_count(std::span<const std::int64_t> sizes) {
  std::int64_t count = 1;
  bool empty = false;
  for (std::int64_t size : sizes) {
    if (size < 0) throw KernelError("tensor", "sizes", "sizes of at least 0", "sizes " + format_sizes(sizes));
    empty = empty || size == 0;
    count = checked_product(count, size == 0 ? 1 : size, sizes);
  }
  return empty ? 0 : count;
}

Sizes contiguous_strides(std::span<const std::int64_t> sizes) {
  Sizes strides(sizes.size());
  std::int64_t step = 1;
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = step;
    step = checked_product(step, sizes[dim] > 1 ? sizes[dim] : 1, sizes);
  }
  return strides;
}

namespace detail {

void Shape::validate() const {
  if (sizes.size() != strides.size())
    throw KernelError("tensor", "strides",
                      "one stride for each of " + std::to_string(sizes.size()) + " sizes",
                      "strides " + format_sizes(strides));
  const std::int64_t width = model::size_in_bytes(dtype);
  checked_product(element_count(sizes), width, sizes);
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] < 2) continue;
    const std::int64_t span =
        checked_product(checked_product(sizes[dim] - 1, strides[dim], strides), width, strides);
    std::int64_t& end = span < 0 ? low : high;
    if (__builtin_add_overflow(end, span, &end) || end > kLargest || end < -kLargest)
      throw_too_large(strides);
  }
}

bool Shape::contiguous() const {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return true;
  std::int64_t step = 1;
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] != 1 && strides[dim] != step) return false;
    step *= sizes[dim];
  }
  return true;
}

std::int64_t Shape::offset(std::span<const std::int64_t> index) const {
  bool inside = index.size() == sizes.size();
  std::int64_t at = 0;
  for (std::size_t dim = 0; inside && dim < sizes.size(); ++dim) {
    inside = index[dim] >= 0 && index[dim] < sizes[dim];
    at += inside ? index[dim] * strides[dim] : 0;
  }
  if (!inside)
    throw KernelError("tensor", "index", "an index inside " + format_sizes(sizes),
                      "index " + format_sizes(index));
  return at;
}

void throw_wrong_type(DType wanted, DType found) {
  throw KernelError("tensor", "data", "elements of type " + std::string(model::name(wanted)),
                    "elements of type " + std::string(model::name(found)));
}

Shape permuted(const Shape& shape, std::span<const int> order) {
  Shape out{shape.dtype, {}, {}};
  std::vector<bool> seen(shape.sizes.size(), false);
  for (int dim : order) {
    const auto from = static_cast<std::size_t>(dim);
    if (dim < 0 || from >= seen.size() || seen[from]) break;
    seen[from] = true;
    out.sizes.push_back(shape.sizes[from]);
    out.strides.push_back(shape.strides[from]);
  }
  if (out.sizes.size() != shape.sizes.size() || order.size() != shape.sizes.size())
    throw KernelError("permute", "dims",
                      "a permutation of " + std::to_string(shape.sizes.size()) + " dimensions",
                      "dims " + format_sizes(Sizes(order.begin(), order.end())));
  return out;
}

}  // namespace detail

void Tensor::Free::operator()(std::byte* block) const {
  ::operator delete[](block, std::align_val_t{kAlignment});
}

Tensor::Tensor(DType dtype, Sizes sizes) : dtype_(dtype), sizes_(std::move(sizes)) {
  const std::size_t bytes = byte_count(dtype_, sizes_);
  try {
    if (bytes > kAddressSpace) throw std::bad_alloc();  // sanitizers abort where operator new would throw
    bytes_.reset(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kAlignment})));
  } catch (const std::bad_alloc&) {
    throw KernelError("tensor", "sizes", "a size that fits this machine's memory",
                      "sizes " + format_sizes(sizes_));
  }
  fill_signalling(bytes_.get(), bytes, dtype_);
}

Tensor::Tensor(const Tensor& other) : Tensor(other.dtype_, other.sizes_) {
  if (size_in_bytes() > 0) std::memcpy(bytes_.get(), other.bytes_.get(), size_in_bytes());
}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) *this = Tensor(other);
  return *this;
}

std::size_t Tensor::size_in_bytes() const { return byte_count(dtype_, sizes_); }

void fill_signalling(std::byte* block, std::size_t bytes, DType dtype) {
  const std::uint64_t pattern = signalling_pattern(dtype);
  constexpr std::size_t kOnce = 4096;  // copied from cache at the speed of memory
  const std::size_t first = std::min(bytes, kOnce);
  std::size_t at = 0;
  for (; at + sizeof pattern <= first; at += sizeof pattern)
    std::memcpy(block + at, &pattern, sizeof pattern);
  if (at < first) std::memcpy(block + at, &pattern, first - at);  // little endian: the tail starts an element
  for (at = first; at < bytes; at += kOnce) std::memcpy(block + at, block, std::min(kOnce, bytes - at));
}

Tensor contiguous_copy(const ConstTensorView& view) {
  Tensor copy(view.dtype(), view.sizes());
  if (view.element_count() > 0) copy_rows(copy.view().bytes(), view.bytes(), view, 0);
  return copy;
}

}  // namespace bufferproof::kernels
