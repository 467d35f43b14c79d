#include "kernels_ref/network/pooling.hpp"

#include <type_traits>
#include <vector>

#include "kernels_ref/convert16.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/network/pooling_kernel.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {
namespace {

template <typename T>
void max_pool(const ConstTensorView& input, const TensorView& output) {
  const std::int64_t in_plane = input.size(2) * input.size(3);
  const std::int64_t out_plane = output.size(2) * output.size(3);
  const T* from = input.data<T>();
  T* to = output.data<T>();
  parallel_ranges(input.size(0) * input.size(1), 4, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> row(static_cast<std::size_t>(input.size(3)));
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const T* in = from + plane * in_plane;
      T* out = to + plane * out_plane;
      if constexpr (std::is_same_v<T, float>)
        pooling_kernels().max_f32(in, input.size(2), input.size(3), out, row.data());
      else
        pooling_kernels().max_f64(in, input.size(2), input.size(3), out, row.data());
    }
  });
}

template <typename T>
void means(const ConstTensorView& input, const TensorView& output) {
  const std::int64_t plane = input.size(2) * input.size(3);
  const T* from = input.data<T>();
  T* to = output.data<T>();
  parallel_ranges(input.size(0) * input.size(1), 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      T sum = 0;
      for (std::int64_t j = 0; j < plane; ++j) sum += from[i * plane + j];
      to[i] = canonical(sum / static_cast<T>(plane));
    }
  });
}

}  // namespace

Sizes pooled_sizes(const Sizes& input) {
  return {input[0], input[1], (input[2] + 1) / 2, (input[3] + 1) / 2};
}

void max_pool_3x3_stride_2(const ConstTensorView& input, const TensorView& output) {
  if (output.sizes() != pooled_sizes(input.sizes()))
    throw KernelError("max_pool2d", "output", "shape " + format_sizes(pooled_sizes(input.sizes())),
                      "shape " + format_sizes(output.sizes()));
  input.dtype() == DType::f64 ? max_pool<double>(input, output) : max_pool<float>(input, output);
}

void plane_means(const ConstTensorView& input, const TensorView& output) {
  input.dtype() == DType::f64 ? means<double>(input, output) : means<float>(input, output);
}

}  // namespace bufferproof::kernels
