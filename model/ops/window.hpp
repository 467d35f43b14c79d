// The window {offsets, sizes, strides} of slice and insert_slice: index maps into it and out of it.
//
// Strides are constants >= 1, so a strided interval maps to a strided interval exactly; where a step does not
// fit the window's, the image is rounded outwards and marked inexact.
// Tested by tests/model/body_ops_test.cpp.
#pragma once

#include "model/ops/op_registry.hpp"

namespace bufferproof::model::ops {

/// One entry per axis of `base`; strides >= 1; provable overruns of the base fail.
void check_window(InferContext& context, const TensorType& base);
/// The window's own elements, as a box of the base.
Box window_box(const TensorOp& op);
/// Window coordinates of the part of `box` (base coordinates) that lies in the window.
BoxParts into_window(const TensorOp& op, const Box& box, SizeBounds bounds);
/// Base coordinates of `box` (window coordinates).
Box out_of_window(const TensorOp& op, const Box& box);

}  // namespace bufferproof::model::ops
