// Arithmetic on whole rows, for ops that need several passes over one row: variance, softmax, layer_norm.
//
// A row is read once into accumulator-typed elements (fold.hpp), worked on there, and rounded to the result's
// type at the end. Each step is one elementwise op over the row, so the definition and the fast run are the
// same steps on different kernels, the fold apart. Tested by tests/kernels_ref/ops_reduce_test.cpp and
// ops_normalize_test.cpp.
#pragma once

#include <functional>

#include "kernels_ref/ops/fold.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

/// One accumulator-typed number: a 0-d value that a row step takes beside the row.
struct RowScalar {
  alignas(8) std::byte bytes[8] = {};
};
struct RowMoments {
  RowScalar mean;
  RowScalar var;
};

class RowArithmetic {
 public:
  /// For rows of `dtype`; `fast` chooses blocks over one element at a time.
  RowArithmetic(std::string_view op, DType dtype, const NumericsProfile& numerics, bool fast);

  DType type() const { return sum_.accumulator; }
  const BlockOp& load() const { return load_; }
  std::size_t width() const { return sum_.width; }

  /// `value` rounded to the accumulator type.
  RowScalar scalar(double value) const;
  RowScalar scalar(std::int64_t value) const;
  RowScalar fold_sum(const std::byte* row, std::int64_t n) const { return folded(sum_, row, n); }
  RowScalar fold_max(const std::byte* row, std::int64_t n) const { return folded(max_, row, n); }
  /// row[i] = op(row[i]).
  void apply(std::string_view op, std::byte* row, std::int64_t n) const;
  /// row[i] = op(row[i], value).
  void apply(std::string_view op, std::byte* row, std::int64_t n, const RowScalar& value) const;
  /// row[i] = op(row[i], other[i]).
  void apply(std::string_view op, std::byte* row, std::int64_t n, const std::byte* other) const;
  /// row[i] = fma(row[i], factor[i], addend[i]).
  void multiply_add(std::byte* row, std::int64_t n, const std::byte* factor, const std::byte* addend) const;
  RowScalar apply(std::string_view op, RowScalar a, const RowScalar& b) const;
  RowScalar apply(std::string_view op, RowScalar a) const;

  /// mean = sum / n; var = sum((x - mean)^2) / max(n - correction, 0). The row is overwritten by the squares.
  RowMoments moments(std::byte* row, std::int64_t n, double correction) const;

  /// Calls body(row index, scratch of n elements) for every row: rows over threads when fast.
  void for_each(std::int64_t rows, std::int64_t n,
                const std::function<void(std::int64_t, std::byte*)>& body) const;

 private:
  BlockOp op_of(std::string_view name) const;
  RowScalar folded(const Fold& fold, const std::byte* row, std::int64_t n) const;

  bool fast_;
  NumericsProfile numerics_;
  BlockKernels kernels_;
  BlockOp load_;
  Fold sum_;
  Fold max_;
};

}  // namespace bufferproof::kernels
