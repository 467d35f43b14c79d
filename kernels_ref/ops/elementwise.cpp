#include "kernels_ref/ops/elementwise.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/iteration.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::int64_t kGrain = 16384;
constexpr const char* kArguments[] = {"x", "y", "z"};

/// The operands as views, scalars made tensors of the op's type; keeps those tensors alive.
struct Operands {
  std::vector<Tensor> made;
  std::vector<ConstTensorView> views;
};

DType operand_type(const OpCall& call, std::size_t first) {
  for (std::size_t i = first; i < call.inputs.size(); ++i)
    if (const auto* view = std::get_if<ConstTensorView>(&call.inputs[i])) return view->dtype();
  return call.output(0).dtype();
}

Operands operands_of(const OpCall& call, const BlockOp& op) {
  call.expect_counts(static_cast<std::size_t>(op.operand_count()), 1);
  const TensorView& out = call.output(0);
  call.expect_dtype("out", out, op.result_dtype());
  Operands operands;
  operands.made.reserve(call.inputs.size());  // views point into it
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const DType dtype = op.operand_dtype(static_cast<int>(i));
    if (const auto* scalar = std::get_if<Scalar>(&call.inputs[i])) {
      operands.made.push_back(scalar_tensor(*scalar, dtype));
      operands.views.push_back(
          broadcast_to(std::as_const(operands.made.back()).view(), out.sizes(), call.op, ""));
      continue;
    }
    const ConstTensorView& view = call.tensor(i, kArguments[i]);
    call.expect_dtype(kArguments[i], view, dtype);
    operands.views.push_back(broadcast_to(view, out.sizes(), call.op, kArguments[i]));
  }
  return operands;
}

using Resolve = BlockOp (*)(const OpCall&, const BlockKernels&);

template <Resolve kResolve>
void run(const OpCall& call) {
  const BlockOp op = kResolve(call, current_block_kernels());
  run_blocks(op, operands_of(call, op).views, call.output(0));
}
template <Resolve kResolve>
void define(const OpCall& call) {
  const BlockOp op = kResolve(call, definition_kernels());
  define_blocks(op, operands_of(call, op).views, call.output(0));
}

BlockOp resolve_elementwise(const OpCall& call, const BlockKernels& kernels) {
  return BlockOp::elementwise(call.op, operand_type(call, 0), call.numerics, kernels);
}
BlockOp resolve_select(const OpCall& call, const BlockKernels& kernels) {
  return BlockOp::select(operand_type(call, 1), kernels);
}
BlockOp resolve_cast(const OpCall& call, const BlockKernels& kernels) {
  const std::string mode = call.text("round", "");
  const std::optional<RoundMode> parsed = parse_round_mode(mode);
  if (!mode.empty() && !parsed)
    call.fail("round", "rint, round, floor, ceil, trunc, odd or truncwithoverflow", mode);
  return BlockOp::cast(operand_type(call, 0), call.output(0).dtype(), parsed, kernels);
}
BlockOp resolve_copy(const OpCall& call, const BlockKernels&) {
  return BlockOp::copy(call.output(0).dtype());
}

/// The same bytes under another element type of the same size: a copy of the output's type.
template <bool kFast>
void bitcast(const OpCall& call) {
  call.expect_counts(1, 1);
  const ConstTensorView& x = call.tensor(0, "x");
  const TensorView& out = call.output(0);
  call.expect_sizes("x", x, out.sizes());
  if (model::size_in_bytes(x.dtype()) != model::size_in_bytes(out.dtype()))
    call.fail("out", "an element type of the size of " + std::string(model::name(x.dtype())),
              model::name(out.dtype()));
  const ConstTensorView renamed(x.bytes(), out.dtype(), x.sizes(), x.strides());
  (kFast ? run_blocks : define_blocks)(BlockOp::copy(out.dtype()), std::span(&renamed, 1), out);
}

template <Resolve kResolve>
OpEntry entry(std::string_view name, Promise promise) {
  return {name, run<kResolve>, define<kResolve>, promise};
}

}  // namespace

void run_blocks(const BlockOp& op, std::span<const ConstTensorView> inputs, const TensorView& output) {
  const BlockWalk walk(std::span(&output, 1), inputs);
  parallel_ranges(walk.count(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    alignas(64) std::byte gathered[BlockOp::kMostOperands + 1][BlockOp::kBlock * sizeof(double)];
    const std::int64_t step = walk.all_contiguous() ? end - begin : BlockOp::kBlock;
    const void* at[BlockOp::kMostOperands] = {};
    for (std::int64_t i = begin; i < end; i += step) {
      const std::int64_t n = std::min(step, end - i);
      const BlockWalk::Position here = walk.at(i);
      for (std::size_t k = 0; k < inputs.size(); ++k) at[k] = walk.input(k, here, n, gathered[k]);
      void* const place = walk.output_in_place(0, here, n);
      void* const result = place != nullptr ? place : gathered[BlockOp::kMostOperands];
      op.run(at, result, n);
      if (place == nullptr) walk.write(0, result, here, n);
    }
  });
}

void define_blocks(const BlockOp& op, std::span<const ConstTensorView> inputs, const TensorView& output) {
  const FpStateGuard state;
  Sizes index(output.sizes().size(), 0);
  const auto address = [&](const auto& view) {
    std::int64_t offset = 0;
    for (std::size_t dim = 0; dim < index.size(); ++dim) offset += index[dim] * view.strides()[dim];
    return view.bytes() + offset * model::size_in_bytes(view.dtype());
  };
  for (std::int64_t left = output.element_count(); left > 0; --left) {
    const void* at[BlockOp::kMostOperands] = {};
    for (std::size_t k = 0; k < inputs.size(); ++k) at[k] = address(inputs[k]);
    op.run(at, address(output), 1);
    for (std::size_t dim = index.size(); dim-- > 0 && ++index[dim] == output.sizes()[dim];) index[dim] = 0;
  }
}

Tensor scalar_tensor(const Scalar& value, DType dtype) {
  const FpStateGuard state;
  Tensor tensor(dtype, {});
  const bool floating = std::holds_alternative<double>(value);
  const double real = floating ? std::get<double>(value) : 0.0;
  const std::int64_t integer = floating ? 0 : std::get<std::int64_t>(value);
  const void* const from = floating ? static_cast<const void*>(&real) : &integer;
  BlockOp::cast(floating ? DType::f64 : DType::i64, dtype, {}, definition_kernels())
      .run(&from, tensor.view().bytes(), 1);
  return tensor;
}

void register_elementwise_ops(OpRegistry& registry) {
  for (const ElementwiseSpec& spec : elementwise_specs())
    registry.add(entry<resolve_elementwise>(spec.name, promise_of(spec)));
  registry.add(entry<resolve_cast>("cast", Promise::device_bits));
  registry.add({"bitcast", bitcast<true>, bitcast<false>, Promise::exact});
  registry.add(entry<resolve_select>("select", Promise::exact));
  registry.add(entry<resolve_select>("where", Promise::exact));
  for (std::string_view name : {"copy", "copy_contiguous", "fill"})
    registry.add(entry<resolve_copy>(name, Promise::exact));
}

}  // namespace bufferproof::kernels
