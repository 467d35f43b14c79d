#include <algorithm>
#include <utility>

#include "kernels_ref/bounds/bound_support.hpp"
#include "kernels_ref/gemm/gemm_ops.hpp"

// Bounds of convolution and the matrix products: gemm/error_bound.hpp around an f64 run.

namespace bufferproof::kernels {
namespace {

/// The call on operands widened to f64, which it keeps.
struct WideCall {
  std::vector<Tensor> operands;
  OpCall call;
};

WideCall widened(const OpCall& call) {
  WideCall wide;
  wide.call.op = call.op;
  wide.call.attributes = call.attributes;
  wide.operands.reserve(call.inputs.size());
  for (const Operand& operand : call.inputs) {
    const auto* view = std::get_if<ConstTensorView>(&operand);
    if (view == nullptr) {
      wide.call.inputs.push_back(operand);
      continue;
    }
    const std::vector<double> values = values_of(*view);
    wide.operands.emplace_back(DType::f64, view->sizes());
    std::copy(values.begin(), values.end(), wide.operands.back().elements<double>().begin());
    wide.call.inputs.emplace_back(std::as_const(wide.operands.back()).view());
  }
  return wide;
}

ErrorBounds gemm_bounds(const OpCall& call, std::size_t output) {
  Tensor own(call.output(output).dtype(), call.output(output).sizes());
  OpCall checked = call;
  checked.outputs = {own.view()};
  OpRegistry::builtin().at(call.op).define(checked);  // raises what the op itself would raise
  WideCall wide = widened(call);
  Tensor reference(DType::f64, own.sizes());
  wide.call.outputs = {reference.view()};
  OpRegistry::builtin().at(call.op).define(wide.call);
  const Tensor error = gemm_error_bound(checked);
  const Tensor slack = gemm_error_bound(wide.call);
  ErrorBounds bounds{own.sizes(), {}};
  for (std::size_t i = 0; i < reference.elements<double>().size(); ++i)
    bounds.elements.push_back(
        {reference.elements<double>()[i], error.elements<double>()[i], slack.elements<double>()[i]});
  return bounds;
}

}  // namespace

std::vector<BoundEntry> gemm_bounds() {
  std::vector<BoundEntry> table;
  for (std::string_view op : {"convolution", "matmul", "bmm", "addmm", "baddbmm"})
    table.push_back({op, gemm_bounds});
  return table;
}

}  // namespace bufferproof::kernels
