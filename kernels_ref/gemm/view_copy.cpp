#include "kernels_ref/gemm/view_copy.hpp"

#include "kernels_ref/gemm/arithmetic.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {
namespace {

/// Calls visit(offset of the row's first element, row number) for each innermost row of the view, on all
/// threads.
template <typename Visit>
void for_each_row(const ConstTensorView& view, Visit&& visit) {
  const std::int64_t width = view.rank() == 0 ? 1 : view.size(view.rank() - 1);
  if (view.element_count() == 0) return;
  parallel_ranges(view.element_count() / width, std::max<std::int64_t>(1, 8192 / width),
                  [&](auto begin, auto end) {
                    for (std::int64_t row = begin; row < end; ++row) {
                      std::int64_t rest = row;
                      std::int64_t offset = 0;
                      for (int dim = view.rank() - 2; dim >= 0; --dim) {
                        offset += rest % view.size(dim) * view.stride(dim);
                        rest /= view.size(dim);
                      }
                      visit(offset, row);
                    }
                  });
}

std::int64_t row_width(const ConstTensorView& view) {
  return view.rank() == 0 ? 1 : view.size(view.rank() - 1);
}
std::int64_t row_step(const ConstTensorView& view) {
  return view.rank() == 0 ? 1 : view.stride(view.rank() - 1);
}

}  // namespace

template <typename T>
Tensor widened_copy(const ConstTensorView& view) {
  Tensor copy(kDTypeOf<T>, view.sizes());
  T* to = copy.view().data<T>();
  visit_floating(view.dtype(), [&]<typename Element>(TypeTag<Element>) {
    const Element* from = view.data<Element>();
    const std::int64_t width = row_width(view);
    const std::int64_t step = row_step(view);
    for_each_row(view, [&](std::int64_t offset, std::int64_t row) {
      for (std::int64_t i = 0; i < width; ++i)
        to[row * width + i] = as_operand<T>(from[offset + i * step], InputRounding::none);
    });
  });
  return copy;
}

template <typename T>
std::vector<T> widened_vector(const ConstTensorView& view) {
  if (view.bytes() == nullptr) return {};
  const Tensor copy = widened_copy<T>(view);
  return {copy.elements<T>().begin(), copy.elements<T>().end()};
}

template <typename T>
void narrow_into(const TensorView& output, const T* values) {
  visit_floating(output.dtype(), [&]<typename Element>(TypeTag<Element>) {
    Element* to = output.data<Element>();
    const std::int64_t width = row_width(output);
    const std::int64_t step = row_step(output);
    for_each_row(output, [&](std::int64_t offset, std::int64_t row) {
      for (std::int64_t i = 0; i < width; ++i)
        to[offset + i * step] = as_element<Element>(values[row * width + i]);
    });
  });
}

template Tensor widened_copy<float>(const ConstTensorView&);
template Tensor widened_copy<double>(const ConstTensorView&);
template std::vector<float> widened_vector<float>(const ConstTensorView&);
template std::vector<double> widened_vector<double>(const ConstTensorView&);
template void narrow_into<float>(const TensorView&, const float*);
template void narrow_into<double>(const TensorView&, const double*);

}  // namespace bufferproof::kernels
