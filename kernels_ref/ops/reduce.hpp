// Reductions. The order of every sum and product is that of fold.hpp; the elements of one result are taken
// row-major.
//
//   reduce {fn, dims} (x, init)              starts each result from its init; fn as in fold.hpp; the result
//   has no reduced axes sum, prod, amax, amin {dims, keepdim} (x)    dims absent: all axes. sum and prod of
//   integers in the result's type any, all {dims, keepdim} (x)             i1; an element is true when it
//   differs from 0 mean {dims, keepdim} (x)                 the sum divided by the count, in the accumulator
//   type, then rounded to the result's var_mean {dims, correction, keepdim} (x) results (var, mean): mean as
//   above; var = sum((x - mean)^2) / max(count - correction, 0) arg_reduce {fn, dim} (x [, index]) results
//   (value, index): max or min, the first of equals, the first NaN before all else cumulative {fn, dim,
//   reverse} (x)        sum or prod; each result is the running total in the accumulator type, rounded
// Tested by tests/kernels_ref/ops_reduce_test.cpp and ops_errors_test.cpp.
#pragma once

#include <vector>

#include "kernels_ref/ops/fold.hpp"
#include "kernels_ref/registry.hpp"

namespace bufferproof::kernels {

/// A view's elements seen as [results][reduced], strides in elements.
struct ReducedView {
  ConstTensorView view;
  Sizes kept_sizes, kept_strides;
  Sizes reduced_sizes, reduced_strides;
  std::int64_t results() const { return element_count(kept_sizes); }
  std::int64_t count() const { return element_count(reduced_sizes); }
};
/// Splits the axes of x; checks that `out` has the kept axes (with 1 for reduced ones when `keepdim`).
ReducedView reduced_view(const OpCall& call, const ConstTensorView& x, const std::vector<std::int64_t>& dims,
                         bool keepdim, const TensorView& out, std::string_view out_name);
/// The `dims` attribute, all axes when absent.
std::vector<std::int64_t> reduced_dims(const OpCall& call, const ConstTensorView& x);

/// Elements [begin, begin + n) of result `index`, in the fold's order, as contiguous elements of `cast`'s
/// result type.
class ReducedRow {
 public:
  ReducedRow(const ReducedView& view, const BlockOp& cast);
  void read(std::int64_t result, std::int64_t begin, std::int64_t n, void* to) const;

 private:
  const ReducedView& view_;
  const BlockOp& cast_;
};

void register_reduce_ops(OpRegistry& registry);

}  // namespace bufferproof::kernels
