// The specification of matmul and its relatives, one output element at a time (the words are in matmul.hpp).
#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/gemm/arithmetic.hpp"
#include "kernels_ref/gemm/matmul_steps.hpp"

namespace bufferproof::kernels {
namespace {

template <typename T, typename Element>
T sum_at(const ConstTensorView& a, const ConstTensorView& b, std::int64_t batch, std::int64_t m,
         std::int64_t n, const NumericsProfile& profile) {
  SumOfProducts<T> sum(profile);
  for (std::int64_t k = 0; k < a.size(2); ++k)
    sum.add(as_operand<T>(a.at<Element>({batch, m, k}), profile.input_rounding_matmul),
            as_operand<T>(b.at<Element>({batch, k, n}), profile.input_rounding_matmul));
  return sum.result();
}

}  // namespace

void matmul_definition(std::string_view op, const ConstTensorView& a, const ConstTensorView& b,
                       const TensorView& output, const MatmulEpilogue& epilogue,
                       const NumericsProfile& profile) {
  validate(profile);
  const MatmulShape shape = check_matmul(op, a, b, output, epilogue);
  const FpStateGuard state;
  visit_sum_type(sum_type(a.dtype(), profile), [&]<typename T>(TypeTag<T>) {
    visit_floating(a.dtype(), [&]<typename Element>(TypeTag<Element>) {
      const MatmulSteps<T> steps(epilogue, profile);
      for (std::int64_t batch = 0; batch < shape.batch; ++batch)
        for (std::int64_t m = 0; m < shape.rows; ++m)
          for (std::int64_t n = 0; n < shape.columns; ++n) {
            const T addend = steps.has_addend ? as_operand<T>(epilogue.addend.at<Element>({batch, m, n}),
                                                              InputRounding::none)
                                              : T{0};
            const T sum = sum_at<T, Element>(a, b, batch, m, n, profile);
            output.at<Element>({batch, m, n}) = as_element<Element>(steps.apply(sum, addend));
          }
    });
  });
}

}  // namespace bufferproof::kernels
