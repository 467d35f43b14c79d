#include "kernels_ref/bounds/bounds.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "kernels_ref/bounds/bound_support.hpp"
#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/math/bounds.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/iteration.hpp"

// Elementwise ops, casts and the ops that are exact; dispatch to the families.

namespace bufferproof::kernels {
namespace {

/// Ops whose result is one correctly rounded operation on the operands.
constexpr std::array<std::string_view, 9> kOneRounding{"add", "sub",    "mul", "div",      "sqrt",
                                                       "rec", "square", "fma", "remainder"};

/// Error in ulp of the computing type, before a result narrower than it is rounded.
double ulps_of(const OpCall& call, DType computing) {
  if (call.op == "rsqrt" && call.numerics.rsqrt_is_sqrt_then_rec) return 2.0;
  if (std::find(kOneRounding.begin(), kOneRounding.end(), call.op) != kOneRounding.end()) return 0.5;
  if (call.op == "ldexp") return 2.0;  // the power's error, then one product
  const math::UlpBound* const bound = math::find_ulp_bound(call.op);
  if (bound == nullptr) return 0.0;
  return computing == DType::f64 ? bound->f64 : bound->f32;
}

/// The call's results in f64 with the same op on f64 operands: the reference.
Tensor f64_results(const OpCall& call) {
  std::vector<Tensor> wide;
  wide.reserve(call.inputs.size());
  OpCall golden{.op = call.op, .attributes = call.attributes};
  const TensorView& out = call.output(0);
  for (const Operand& operand : call.inputs) {
    if (const auto* view = std::get_if<ConstTensorView>(&operand);
        view != nullptr && view->dtype() != DType::i1) {
      wide.emplace_back(DType::f64, view->sizes());
      const std::vector<double> values = values_of(*view);
      std::copy(values.begin(), values.end(), wide.back().elements<double>().begin());
      golden.inputs.emplace_back(std::as_const(wide.back()).view());
    } else if (const auto* scalar = std::get_if<Scalar>(&operand)) {
      wide.emplace_back(DType::f64, Sizes{});
      const Tensor rounded = scalar_tensor(*scalar, out.dtype());
      wide.back().elements<double>()[0] = values_of(rounded.view())[0];
      golden.inputs.emplace_back(std::as_const(wide.back()).view());
    } else {
      golden.inputs.push_back(operand);
    }
  }
  Tensor results(out.dtype() == DType::i1 ? DType::i1 : DType::f64, out.sizes());
  golden.outputs = {results.view()};
  OpRegistry::builtin().at(call.op).define(golden);
  return results;
}

/// The results themselves: for exact ops, whose references they are.
ErrorBounds exact_results(const OpCall& call, std::size_t output) {
  OpCall own = call;
  std::vector<Tensor> made;
  for (const TensorView& view : call.outputs) made.emplace_back(view.dtype(), view.sizes());
  for (std::size_t i = 0; i < made.size(); ++i) own.outputs[i] = made[i].view();
  OpRegistry::builtin().at(call.op).define(own);
  ErrorBounds bounds{call.output(output).sizes(), {}};
  for (double value : values_of(std::as_const(made[output]).view())) bounds.elements.push_back({value});
  return bounds;
}

ErrorBounds elementwise_bounds(const OpCall& call, std::size_t output) {
  const DType result = call.output(output).dtype();
  const DType computing = computing_dtype(result, call.numerics);
  if (!model::is_floating(result) || ulps_of(call, computing) == 0.0) {
    if (call.op == "floordiv") throw KernelError(call.op, "op", "an op that is continuous", "floordiv");
    return exact_results(call, output);
  }
  exact_results(call, output);  // raises what the op itself would raise
  const Tensor results = f64_results(call);
  const bool below_zero = call.op == "lgamma";  // its bound has an absolute part
  ErrorBounds bounds{call.output(output).sizes(), {}};
  for (double value : results.elements<double>()) {
    const double absolute = below_zero ? math::find_ulp_bound("lgamma")->absolute_f64 : 0.0;
    const Ball own =
        ball::rounded(value, absolute, absolute, Rounding::of(computing), ulps_of(call, computing));
    bounds.elements.push_back(stored(own, computing, result));
  }
  return bounds;
}

/// To a floating type: half an ulp to nearest, one ulp in the other modes. Other casts are exact in what they
/// are defined to give.
ErrorBounds cast_bounds(const OpCall& call, std::size_t output) {
  const DType to = call.output(output).dtype();
  if (!model::is_floating(to)) return exact_results(call, output);
  exact_results(call, output);
  const std::string mode = call.text("round", "rint");
  const double ulps = mode == "rint" || mode == "round" ? 0.5 : 1.0;
  ErrorBounds bounds{call.output(output).sizes(), {}};
  const ConstTensorView x = broadcast_to(call.tensor(0, "x"), bounds.sizes, call.op, "x");
  for (double value : values_of(x))
    bounds.elements.push_back(ball::rounded(value, 0.0, 0.0, Rounding::of(to), ulps));
  return bounds;
}

std::map<std::string_view, BoundFunction> make_table() {
  std::map<std::string_view, BoundFunction> table;
  for (const ElementwiseSpec& spec : elementwise_specs()) table.emplace(spec.name, elementwise_bounds);
  table.erase("floordiv");  // not continuous: no radius around a jump means anything
  table.emplace("cast", cast_bounds);
  for (std::string_view exact : {"bitcast",   "select",       "where",     "copy",   "copy_contiguous",
                                 "fill",      "reshape",      "broadcast", "expand", "transpose",
                                 "slice",     "insert_slice", "concat",    "pad",    "repeat",
                                 "flip",      "iota",         "gather",    "take",   "embedding",
                                 "amax",      "amin",         "any",       "all",    "arg_reduce",
                                 "max_pool2d"})
    table.emplace(exact, exact_results);
  for (const auto& family : {reduce_bounds(), normalize_bounds(), pool_bounds(), gemm_bounds()})
    for (const BoundEntry& entry : family) table.emplace(entry.op, entry.bounds);
  return table;
}

const std::map<std::string_view, BoundFunction>& table() {
  static const std::map<std::string_view, BoundFunction> made = make_table();
  return made;
}

}  // namespace

bool has_error_bounds(std::string_view op) { return table().contains(op); }

ErrorBounds error_bounds(const OpCall& call, std::size_t output) {
  const FpStateGuard state;
  const auto found = table().find(call.op);
  if (found == table().end()) throw KernelError(call.op, "op", "an op with error bounds", call.op);
  return found->second(call, output);
}

}  // namespace bufferproof::kernels
