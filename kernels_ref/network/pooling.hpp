// The two poolings of ResNet's ends, f32 and f64 only: 3 x 3 maximum with stride 2 and padding 1, and the
// mean of a plane.
//
// Maximum: the window's elements inside the image in any order, m = m > v or m is NaN ? m : v; NaN is
// canonical (of +0 and -0 the later row or column wins). Mean: s = +0, s = s + element in row-major order,
// then s / count. Contiguous tensors only. Tested by tests/kernels_ref/resnet18_test.cpp.
#pragma once

#include "kernels_ref/tensor.hpp"

namespace bufferproof::kernels {

Sizes pooled_sizes(const Sizes& input);
void max_pool_3x3_stride_2(const ConstTensorView& input, const TensorView& output);
/// [N, C, H, W] to [N, C].
void plane_means(const ConstTensorView& input, const TensorView& output);

}  // namespace bufferproof::kernels
