#include "kernels_ref/gemm/gemm_ops.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "kernels_ref/gemm/convolution.hpp"
#include "kernels_ref/gemm/error_bound.hpp"
#include "kernels_ref/gemm/matmul.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {
namespace {

using ConvolutionFunction = void (*)(const ConvolutionParams&, const ConstTensorView&, const ConstTensorView&,
                                     const TensorView&, const ConvolutionEpilogue&, const NumericsProfile&);
using MatmulFunction = void (*)(std::string_view, const ConstTensorView&, const ConstTensorView&,
                                const TensorView&, const MatmulEpilogue&, const NumericsProfile&);

/// Row-major f64 to a row-major f64 output of as many elements.
void copy_elements(const Tensor& from, const TensorView& to) {
  const auto elements = from.elements<double>();
  std::copy(elements.begin(), elements.end(), to.data<double>());
}

/// The same elements with a dimension of size 1 put in at `dim`.
template <typename View>
View unsqueezed(const View& view, int dim) {
  Sizes sizes = view.sizes();
  Sizes strides = view.strides();
  sizes.insert(sizes.begin() + dim, 1);
  strides.insert(strides.begin() + dim, 0);
  return {view.bytes(), view.dtype(), std::move(sizes), std::move(strides)};
}

/// A one-dimensional attribute for `spatial` dimensions: one value for all, or one each. 1-D is 2-D with
/// height 1.
std::array<std::int64_t, 2> per_dimension(const OpCall& call, std::string_view attribute,
                                          std::int64_t fallback, std::size_t spatial) {
  const std::vector<std::int64_t> values = call.integers(attribute, {fallback});
  if (values.size() == 2 && spatial == 2) return {values[0], values[1]};
  if (values.size() != 1)
    call.fail(attribute, "1 or " + std::to_string(spatial) + " values",
              std::to_string(values.size()) + " values");
  return {spatial == 2 ? values[0] : fallback, values[0]};
}

template <ConvolutionFunction kConvolution>
void run_convolution(const OpCall& call) {
  ConstTensorView input = call.tensor(0, "input");
  ConstTensorView weight = call.tensor(1, "weight");
  const ConstTensorView* bias = call.optional_tensor(2, "bias");
  TensorView output = call.output(0);
  if (call.inputs.size() > 3 || call.outputs.size() != 1)
    call.fail("inputs", "input, weight, bias and one output", "another number of operands");
  if (call.boolean("transposed", false))
    call.fail("transposed", "false: transposed convolution is not supported", "true");
  const std::size_t spatial = weight.rank() == 3 ? 1 : 2;
  if (spatial == 1) {
    input = unsqueezed(input, input.rank() < 2 ? 0 : input.rank() - 1);
    weight = unsqueezed(weight, 2);
    output = unsqueezed(output, output.rank() < 2 ? 0 : output.rank() - 1);
  }
  if (input.rank() == 3 && output.rank() == 3) {  // no batch
    input = unsqueezed(input, 0);
    output = unsqueezed(output, 0);
  }
  const ConvolutionParams params{per_dimension(call, "stride", 1, spatial),
                                 per_dimension(call, "padding", 0, spatial),
                                 per_dimension(call, "dilation", 1, spatial), call.integer("groups", 1)};
  ConvolutionEpilogue epilogue;
  if (bias != nullptr) epilogue.shift = *bias;
  kConvolution(params, input, weight, output, epilogue, call.numerics);
}

void check_rank(const OpCall& call, std::string_view argument, const ConstTensorView& view, int rank) {
  if (view.rank() != rank)
    call.fail(argument, "a tensor of rank " + std::to_string(rank), "shape " + format_sizes(view.sizes()));
}

/// Views of rank 3 of operands of rank 2 or 3.
template <typename View>
View as_batch(const OpCall& call, std::string_view argument, const View& view, int rank) {
  check_rank(call, argument, view, rank);
  return rank == 2 ? unsqueezed(view, 0) : view;
}

template <MatmulFunction kMatmul, int kRank>
void run_matmul(const OpCall& call) {
  call.expect_counts(2, 1);
  kMatmul(call.op, as_batch(call, "a", call.tensor(0, "a"), kRank),
          as_batch(call, "b", call.tensor(1, "b"), kRank), as_batch(call, "out", call.output(0), kRank), {},
          call.numerics);
}

/// PyTorch's broadcasting to `sizes`: missing leading dimensions and dimensions of size 1 get stride 0.
ConstTensorView broadcast_to(const OpCall& call, const ConstTensorView& view, const Sizes& sizes) {
  const std::size_t missing = sizes.size() - static_cast<std::size_t>(view.rank());
  Sizes strides(sizes.size(), 0);
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (view.rank() > static_cast<int>(sizes.size()) ||
        (dim >= missing && view.sizes()[dim - missing] != sizes[dim] && view.sizes()[dim - missing] != 1))
      call.fail("addend", "a shape that broadcasts to " + format_sizes(sizes),
                "shape " + format_sizes(view.sizes()));
    if (dim >= missing && view.sizes()[dim - missing] == sizes[dim])
      strides[dim] = view.strides()[dim - missing];
  }
  return {view.bytes(), view.dtype(), sizes, std::move(strides)};
}

template <MatmulFunction kMatmul, int kRank>
void run_addmm(const OpCall& call) {
  call.expect_counts(3, 1);
  const TensorView output = as_batch(call, "out", call.output(0), kRank);
  const MatmulEpilogue epilogue{broadcast_to(call, call.tensor(0, "addend"), output.sizes()),
                                call.real("alpha", 1), call.real("beta", 1)};
  kMatmul(call.op, as_batch(call, "a", call.tensor(1, "a"), kRank),
          as_batch(call, "b", call.tensor(2, "b"), kRank), output, epilogue, call.numerics);
}

/// Writes the bound where the result would stand.
void bound_convolution(const ConvolutionParams& params, const ConstTensorView& input,
                       const ConstTensorView& weight, const TensorView& output,
                       const ConvolutionEpilogue& epilogue, const NumericsProfile& profile) {
  copy_elements(convolution_error_bound(params, input, weight, epilogue, profile, ExactOf::given_operands),
                output);
}
void bound_matmul(std::string_view op, const ConstTensorView& a, const ConstTensorView& b,
                  const TensorView& output, const MatmulEpilogue& epilogue, const NumericsProfile& profile) {
  copy_elements(matmul_error_bound(op, a, b, epilogue, profile, ExactOf::given_operands), output);
}

}  // namespace

Tensor gemm_error_bound(const OpCall& call) {
  Tensor bound(DType::f64, call.output(0).sizes());
  OpCall own = call;
  own.outputs = {bound.view()};
  if (call.op == "convolution") run_convolution<bound_convolution>(own);
  if (call.op == "matmul") run_matmul<bound_matmul, 2>(own);
  if (call.op == "bmm") run_matmul<bound_matmul, 3>(own);
  if (call.op == "addmm") run_addmm<bound_matmul, 2>(own);
  if (call.op == "baddbmm") run_addmm<bound_matmul, 3>(own);
  return bound;
}

void register_gemm_ops(OpRegistry& registry) {
  registry.add({"convolution", run_convolution<convolution>, run_convolution<convolution_definition>,
                Promise::bounded});
  registry.add({"matmul", run_matmul<matmul, 2>, run_matmul<matmul_definition, 2>, Promise::bounded});
  registry.add({"bmm", run_matmul<matmul, 3>, run_matmul<matmul_definition, 3>, Promise::bounded});
  registry.add({"addmm", run_addmm<matmul, 2>, run_addmm<matmul_definition, 2>, Promise::bounded});
  registry.add({"baddbmm", run_addmm<matmul, 3>, run_addmm<matmul_definition, 3>, Promise::bounded});
}

}  // namespace bufferproof::kernels
