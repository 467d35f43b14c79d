#include "kernels_ref/ops/row_ops.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/fill.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {

RowArithmetic::RowArithmetic(std::string_view op, DType dtype, const NumericsProfile& numerics, bool fast)
    : fast_(fast),
      numerics_(numerics),
      kernels_(fast ? current_block_kernels() : definition_kernels()),
      load_(BlockOp::copy(dtype)),
      sum_(Fold::make(op, "sum", dtype, dtype, numerics, kernels_)),
      max_(Fold::make(op, "max", dtype, dtype, numerics, kernels_)) {
  load_ = BlockOp::cast(dtype, sum_.accumulator, {}, kernels_);
}

BlockOp RowArithmetic::op_of(std::string_view name) const {
  return BlockOp::elementwise(name, type(), numerics_, kernels_);
}

RowScalar RowArithmetic::scalar(double value) const {
  const Tensor made_tensor = scalar_tensor(Scalar{value}, type());
  RowScalar made;
  std::memcpy(made.bytes, made_tensor.view().bytes(), width());
  return made;
}
RowScalar RowArithmetic::scalar(std::int64_t value) const {
  const Tensor made_tensor = scalar_tensor(Scalar{value}, type());
  RowScalar made;
  std::memcpy(made.bytes, made_tensor.view().bytes(), width());
  return made;
}

RowScalar RowArithmetic::folded(const Fold& fold, const std::byte* row, std::int64_t n) const {
  RowScalar total;
  if (fast_) {
    fold.row(row, n, fold.identity, total.bytes);
  } else {
    define_fold(fold, n, fold.identity, total.bytes,
                [&](std::int64_t i) { return row + static_cast<std::size_t>(i) * width(); });
  }
  return total;
}

void RowArithmetic::apply(std::string_view op, std::byte* row, std::int64_t n) const {
  const void* const from = row;
  op_of(op).run(&from, row, n);
}

void RowArithmetic::apply(std::string_view op, std::byte* row, std::int64_t n, const RowScalar& value) const {
  constexpr std::int64_t kPiece = 512;
  alignas(64) std::byte repeated[kPiece * 8];
  const std::int64_t piece = std::min(n, kPiece);
  fill_elements(repeated, value.bytes, static_cast<std::int64_t>(width()), piece);
  const BlockOp step = op_of(op);
  for (std::int64_t i = 0; i < n; i += kPiece) {
    std::byte* const at = row + static_cast<std::size_t>(i) * width();
    const void* const pair[] = {at, repeated};
    step.run(pair, at, std::min(kPiece, n - i));
  }
}

void RowArithmetic::apply(std::string_view op, std::byte* row, std::int64_t n, const std::byte* other) const {
  const void* const pair[] = {row, other};
  op_of(op).run(pair, row, n);
}

void RowArithmetic::multiply_add(std::byte* row, std::int64_t n, const std::byte* factor,
                                 const std::byte* addend) const {
  const void* const operands[] = {row, factor, addend};
  op_of("fma").run(operands, row, n);
}

RowScalar RowArithmetic::apply(std::string_view op, RowScalar a, const RowScalar& b) const {
  const void* const pair[] = {a.bytes, b.bytes};
  op_of(op).run(pair, a.bytes, 1);
  return a;
}
RowScalar RowArithmetic::apply(std::string_view op, RowScalar a) const {
  apply(op, a.bytes, 1);
  return a;
}

RowMoments RowArithmetic::moments(std::byte* row, std::int64_t n, double correction) const {
  RowMoments moments;
  moments.mean = apply("div", fold_sum(row, n), scalar(n));
  apply("sub", row, n, moments.mean);
  apply("square", row, n);
  moments.var = apply("div", fold_sum(row, n), scalar(std::max(static_cast<double>(n) - correction, 0.0)));
  return moments;
}

void RowArithmetic::for_each(std::int64_t rows, std::int64_t n,
                             const std::function<void(std::int64_t, std::byte*)>& body) const {
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    Tensor scratch(type(), {n});
    for (std::int64_t row = begin; row < end; ++row) body(row, scratch.view().bytes());
  };
  const FpStateGuard state;
  if (!fast_) return run(0, rows);
  parallel_ranges(rows, std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(n, 1)), run);
}

}  // namespace bufferproof::kernels
