// The fast matrix product: per batch entry, pack the left operand, stage the right one where its rows are not
// runs of the sum's type, multiply, and apply the steps after the sum.
#include "kernels_ref/gemm/matmul.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/gemm/arithmetic.hpp"
#include "kernels_ref/gemm/gemm_engine.hpp"
#include "kernels_ref/gemm/matmul_steps.hpp"
#include "kernels_ref/gemm/scratch.hpp"
#include "kernels_ref/gemm/view_copy.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {
namespace {

/// One matrix of a batch.
ConstTensorView matrix(const ConstTensorView& view, std::int64_t batch) {
  return {element_address(view, batch * view.stride(0)),
          view.dtype(),
          {view.size(1), view.size(2)},
          {view.stride(1), view.stride(2)}};
}
TensorView matrix(const TensorView& view, std::int64_t batch) {
  return {view.bytes() + batch * view.stride(0) * model::size_in_bytes(view.dtype()),
          view.dtype(),
          {view.size(1), view.size(2)},
          {view.stride(1), view.stride(2)}};
}

/// C = A B of single matrices, and C^T = B^T A^T: a product commutes, so the bits are the same.
struct Product {
  ConstTensorView a;
  ConstTensorView b;
  TensorView out;
  ConstTensorView addend;

  Product transposed() const {
    constexpr std::array kSwap{1, 0};
    return {b.permute(kSwap), a.permute(kSwap), out.permute(kSwap),
            addend.bytes() != nullptr ? addend.permute(kSwap) : addend};
  }
};

/// Roughly the vector operations of a product this way round: rows come in tiles and columns in vectors, and
/// what is not a run of memory along the columns goes element by element.
double cost(const Product& product, const GemmTileShape& shape) {
  const auto padded = [](std::int64_t count, int unit) {
    return static_cast<double>((count + unit - 1) / unit * unit);
  };
  constexpr double kElement = 4;
  const auto strided = [](const ConstTensorView& view) {
    return view.size(1) > 1 && view.stride(1) != 1 ? kElement * static_cast<double>(view.element_count()) : 0;
  };
  return padded(product.out.size(0), shape.rows) * padded(product.out.size(1), shape.lanes) / shape.lanes *
             static_cast<double>(product.a.size(1)) +
         strided(product.b) + strided(product.out);
}

template <typename T>
class MatrixProduct {
 public:
  MatrixProduct(const Product& product, const MatmulEpilogue& epilogue, const NumericsProfile& profile)
      : product_(product), steps_(epilogue, profile), profile_(profile) {}

  void run() const {
    const ConstTensorView& out = product_.out;
    const bool as_is =
        out.dtype() == kDTypeOf<T> && (out.size(1) <= 1 || out.stride(1) == 1) && steps_.alpha == 1;
    if (as_is && !steps_.has_addend) return multiply(product_.out.data<T>(), out.stride(0), nullptr);
    const bool addend_fits =
        steps_.has_addend && steps_.beta == 1 && product_.addend.strides() == out.strides();
    if (as_is && addend_fits)
      return multiply(product_.out.data<T>(), out.stride(0), product_.addend.data<T>());
    T* sums = scratch<T>(ScratchUse::result, out.element_count());
    multiply(sums, out.size(1), nullptr);
    apply_steps(sums);
    narrow_into(product_.out, sums);
  }

 private:
  void multiply(T* out, std::int64_t row_stride, const T* addend) const {
    const std::vector<std::int64_t> weight_offsets = offsets(product_.a.size(1), product_.a.stride(1));
    const PackedWeights<T> weights(
        {product_.a.bytes(), product_.a.dtype(), product_.a.size(0), product_.a.stride(0), weight_offsets},
        profile_.input_rounding_matmul, profile_.k_block,
        scratch<T>(ScratchUse::weights,
                   PackedWeights<T>::packed_size(product_.a.size(0), product_.a.size(1))));
    const std::int64_t columns = product_.b.size(1);
    const bool direct = can_read_directly();
    const T* source = direct ? product_.b.data<T>() : staged();
    const std::vector<std::int64_t> taps =
        offsets(product_.b.size(0), direct ? product_.b.stride(0) : columns);
    run_gemm(GemmProblem<T>{.weights = &weights,
                            .source = source,
                            .tap_offsets = taps,
                            .grid = {columns, columns, 0, 0},
                            .columns = columns,
                            .out = out,
                            .out_image_stride = 0,
                            .out_row_stride = row_stride,
                            .epilogue = {nullptr, nullptr, addend, false},
                            .profile = &profile_});
  }

  static std::vector<std::int64_t> offsets(std::int64_t count, std::int64_t stride) {
    std::vector<std::int64_t> list(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<std::int64_t>(i) * stride;
    return list;
  }

  bool can_read_directly() const {
    const bool as_stored =
        product_.b.dtype() == kDTypeOf<T> &&
        (product_.b.dtype() == DType::f64 || profile_.input_rounding_matmul == InputRounding::none);
    return as_stored && (product_.b.size(1) <= 1 || product_.b.stride(1) == 1);
  }

  const T* staged() const {
    const ConstTensorView& b = product_.b;
    T* to = scratch<T>(ScratchUse::staged, b.element_count());
    const auto stage = stage_function<T>(&StageKernels::matrix_f32, &StageKernels::matrix_f64, b.dtype());
    parallel_ranges(b.size(0), std::max<std::int64_t>(1, 8192 / b.size(1)),
                    [&](std::int64_t begin, std::int64_t end) {
                      const MatrixTask task{end - begin, b.size(1), b.stride(0),
                                            b.stride(1), b.size(1), profile_.input_rounding_matmul};
                      stage(task, element_address(b, begin * b.stride(0)), to + begin * b.size(1));
                    });
    return to;
  }

  void apply_steps(T* sums) const {
    if (steps_.alpha == 1 && !steps_.has_addend) return;
    const Tensor addend = steps_.has_addend ? widened_copy<T>(product_.addend) : Tensor();
    const T* add = steps_.has_addend ? addend.view().data<T>() : nullptr;
    parallel_ranges(product_.out.element_count(), 8192, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        sums[i] = steps_.apply(sums[i], add != nullptr ? add[i] : T{0});
    });
  }

  Product product_;
  MatmulSteps<T> steps_;
  const NumericsProfile& profile_;
};

template <typename T>
void run_batch(const MatmulShape& shape, const ConstTensorView& a, const ConstTensorView& b,
               const TensorView& output, const MatmulEpilogue& epilogue, const NumericsProfile& profile) {
  const GemmTileShape& tile = std::is_same_v<T, float> ? gemm_kernels().shape_f32 : gemm_kernels().shape_f64;
  const auto one = [&](std::int64_t batch) {
    const bool has_addend = epilogue.addend.bytes() != nullptr;
    const Product straight{matrix(a, batch), matrix(b, batch), matrix(output, batch),
                           has_addend ? matrix(epilogue.addend, batch) : ConstTensorView{}};
    const Product other = straight.transposed();
    MatrixProduct<T>(cost(other, tile) < cost(straight, tile) ? other : straight, epilogue, profile).run();
  };
  // Enough batch entries to occupy every thread: one thread an entry; else all threads share each entry.
  if (shape.batch >= std::int64_t{2} * thread_count())
    parallel_for(shape.batch, one);
  else
    for (std::int64_t batch = 0; batch < shape.batch; ++batch) one(batch);
}

}  // namespace

void matmul(std::string_view op, const ConstTensorView& a, const ConstTensorView& b, const TensorView& output,
            const MatmulEpilogue& epilogue, const NumericsProfile& profile) {
  validate(profile);
  const MatmulShape shape = check_matmul(op, a, b, output, epilogue);
  if (output.element_count() == 0) return;
  if (shape.taps == 0) return matmul_definition(op, a, b, output, epilogue, profile);  // nothing to multiply
  const FpStateGuard state;
  visit_sum_type(sum_type(a.dtype(), profile),
                 [&]<typename T>(TypeTag<T>) { run_batch<T>(shape, a, b, output, epilogue, profile); });
}

}  // namespace bufferproof::kernels
