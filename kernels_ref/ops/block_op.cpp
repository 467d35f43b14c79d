#include "kernels_ref/ops/block_op.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::size_t index_of(DType dtype) { return static_cast<std::size_t>(dtype); }

DType computing_type(DType dtype, const NumericsProfile& numerics) {
  if (!model::is_floating(dtype)) return DType::i64;
  return dtype == DType::f64 || numerics.f64_golden ? DType::f64 : DType::f32;
}

template <typename Table, typename Op>
BlockFunction floating_kernel(const Table& table, Op op, DType wide) {
  return (wide == DType::f64 ? table.f64 : table.f32)[static_cast<std::size_t>(op)];
}

[[noreturn]] void throw_no_form(std::string_view name, DType dtype) {
  throw KernelError(name, "x", "an element type this op is defined for", model::name(dtype));
}

BlockFunction pick_kernel(const ElementwiseSpec& spec, DType dtype, DType wide,
                          const NumericsProfile& numerics, const BlockKernels& kernels) {
  if (!model::is_floating(dtype)) {
    if (!spec.integer) throw_no_form(spec.name, dtype);
    const bool bool_not = *spec.integer == IntOp::bitwise_not && dtype == DType::i1;
    return kernels.simple->i64[static_cast<std::size_t>(bool_not ? IntOp::bool_not : *spec.integer)];
  }
  if (spec.math && *spec.math == MathOp::rsqrt && numerics.rsqrt_is_sqrt_then_rec)
    return floating_kernel(*kernels.simple, FloatOp::rsqrt_two_step, wide);
  if (spec.math) return floating_kernel(*kernels.math, *spec.math, wide);
  if (!spec.floating) throw_no_form(spec.name, dtype);
  return floating_kernel(*kernels.simple, *spec.floating, wide);
}

BlockFunction load_kernel(DType dtype, DType wide, bool zero_extended, const BlockKernels& kernels) {
  if (zero_extended && dtype != DType::u8 && dtype != DType::i1 && dtype != DType::i64) {
    const int width = model::size_in_bytes(dtype);  // 1, 2, 4
    return kernels.convert->unsigned_load[width / 2];
  }
  return dtype == wide ? nullptr : kernels.convert->convert[index_of(dtype)][index_of(wide)];
}

template <std::size_t kWidth>
void copy_block(const void* const* inputs, void* out, std::int64_t count) {
  if (count > 0) std::memmove(out, inputs[0], static_cast<std::size_t>(count) * kWidth);
}
BlockFunction copy_kernel(DType dtype) {
  switch (model::size_in_bytes(dtype)) {
    case 1:
      return copy_block<1>;
    case 2:
      return copy_block<2>;
    case 4:
      return copy_block<4>;
    default:
      return copy_block<8>;
  }
}

/// The op that rounds a float to an integer before it is cast to one; nullopt where rounding_block has to do
/// it.
std::optional<FloatOp> integer_rounding(RoundMode mode) {
  switch (mode) {
    case RoundMode::rint:
      return FloatOp::rint;
    case RoundMode::round:
      return FloatOp::round;
    case RoundMode::floor:
      return FloatOp::floor;
    case RoundMode::ceil:
      return FloatOp::ceil;
    case RoundMode::trunc:
      return FloatOp::trunc;
    default:
      return std::nullopt;
  }
}

}  // namespace

BlockKernels current_block_kernels() {
  return {&simple_kernels(), &math_kernels(), &convert_kernels(), &fold_kernels()};
}

BlockOp BlockOp::elementwise(std::string_view name, DType dtype, const NumericsProfile& numerics,
                             const BlockKernels& kernels) {
  const ElementwiseSpec* const spec = find_elementwise(name);
  if (spec == nullptr) throw KernelError("elementwise", "op", "the name of an elementwise op", name);
  BlockOp op;
  const DType wide = computing_type(dtype, numerics);
  op.operands_ = spec->operands;
  op.operand_dtypes_.fill(dtype);
  op.result_ = spec->gives_mask ? DType::i1 : dtype;
  op.kernel_ = pick_kernel(*spec, dtype, wide, numerics, kernels);
  op.load_.fill(load_kernel(dtype, wide, spec->unsigned_view, kernels));
  if (!spec->gives_mask && dtype != wide)
    op.store_ = kernels.convert->convert[index_of(wide)][index_of(dtype)];
  return op;
}

BlockOp BlockOp::cast(DType from, DType to, std::optional<RoundMode> mode, const BlockKernels& kernels) {
  if (from == to) return copy(from);
  const bool to_float = model::is_floating(to);
  const bool from_float = model::is_floating(from);
  const RoundMode wanted = mode.value_or(to_float ? RoundMode::rint : RoundMode::trunc);
  BlockOp op;
  op.operand_dtypes_.fill(from);
  op.result_ = to;
  const bool plain = to == DType::i1 || (to_float ? wanted == RoundMode::rint : !from_float);
  if (plain || (!to_float && wanted == RoundMode::trunc)) {
    op.kernel_ = kernels.convert->convert[index_of(from)][index_of(to)];
    return op;
  }
  const DType wide = from == DType::f64 ? DType::f64 : (from_float ? DType::f32 : DType::i64);
  op.load_[0] = from == wide ? nullptr : kernels.convert->convert[index_of(from)][index_of(wide)];
  const std::optional<FloatOp> rounding = integer_rounding(wanted);
  if (to_float || !rounding) {
    op.kernel_ = rounding_block(wide, to, wanted);
    return op;
  }
  op.kernel_ = floating_kernel(*kernels.simple, *rounding, wide);
  op.store_ = kernels.convert->convert[index_of(wide)][index_of(to)];
  return op;
}

BlockOp BlockOp::select(DType dtype, const BlockKernels& kernels) {
  BlockOp op;
  op.operands_ = 3;
  op.operand_dtypes_ = {DType::i1, dtype, dtype};
  op.result_ = dtype;
  const int width = model::size_in_bytes(dtype);
  op.kernel_ = kernels.simple->select[width == 8 ? 3 : width / 2];
  return op;
}

BlockOp BlockOp::copy(DType dtype) {
  BlockOp op;
  op.operand_dtypes_.fill(dtype);
  op.result_ = dtype;
  op.kernel_ = copy_kernel(dtype);
  return op;
}

void BlockOp::run(const void* const* inputs, void* out, std::int64_t count) const {
  if (load_[0] == nullptr && store_ == nullptr) return kernel_(inputs, out, count);
  const void* at[kMostOperands] = {};
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    for (int i = 0; i < operands_; ++i)
      at[i] = static_cast<const std::byte*>(inputs[i]) + begin * model::size_in_bytes(operand_dtype(i));
    run_staged(at, static_cast<std::byte*>(out) + begin * model::size_in_bytes(result_),
               std::min(kBlock, count - begin));
  }
}

void BlockOp::run_staged(const void* const* inputs, void* out, std::int64_t count) const {
  alignas(64) std::byte scratch[kMostOperands][kBlock * sizeof(double)];
  const void* at[kMostOperands] = {};
  for (int i = 0; i < operands_; ++i) {
    const BlockFunction load = load_[static_cast<std::size_t>(i)];
    if (load != nullptr) load(inputs + i, scratch[i], count);
    at[i] = load != nullptr ? scratch[i] : inputs[i];
  }
  if (store_ == nullptr) return kernel_(at, out, count);
  kernel_(at, scratch[0], count);
  const void* const result = scratch[0];
  store_(&result, out, count);
}

}  // namespace bufferproof::kernels
