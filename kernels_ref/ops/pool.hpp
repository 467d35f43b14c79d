// Pooling over the last two axes of [n, c, h, w] or [c, h, w].
//
//   max_pool2d {kernel, stride, padding, dilation, ceil_mode} (x)    results (value [, index]); index i64,
//   flat in the input's plane. The
//       window is walked row by row; an element replaces the best when it is greater or NaN, the best starts
//       at -infinity with the index of the window's first element inside the plane. So NaN propagates (the
//       last NaN's index), ties keep the first, as in PyTorch.
//   avg_pool2d {kernel, stride, padding, ceil_mode, count_include_pad, divisor_override} (x)
//   adaptive_avg_pool2d {output} (x)    windows floor(i h / o) .. ceil((i + 1) h / o)
//       Averages: the sum of the window's elements, row by row, in the accumulator type (f32; f64 for f64 or
//       the f64_golden profile), divided by the count, then rounded to the result's type.
// stride absent: the kernel's size. Output sizes as PyTorch's: with ceil_mode the last window must start
// inside the padded input. Tested by tests/kernels_ref/ops_pool_test.cpp and ops_errors_test.cpp.
#pragma once

namespace bufferproof::kernels {

class OpRegistry;
void register_pool_ops(OpRegistry& registry);

}  // namespace bufferproof::kernels
