// One axis of a sliding window: which elements a window reads, and which windows an element reaches.
//
// The idea: output o reads input o * stride - padding + t * dilation for every tap t below kernel, where that
// lies inside the input. Intervals of outputs read one interval while windows meet or overlap, else one
// interval per tap; anything else is rounded out and marked inexact. Adaptive windows are
// floor(o * size / out) .. ceil((o + 1) * size / out). Padding is never read.
// Tested by tests/model/body_ops_test.cpp.
#pragma once

#include <vector>

#include "model/body/region.hpp"

namespace bufferproof::model::ops {

struct SlidingAxis {
  SymExpr size;    ///< of the input
  SymExpr out;     ///< of the output
  SymExpr kernel;  ///< taps
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  bool adaptive = false;  ///< kernel, stride, padding and dilation have no meaning
};

struct AxisPart {
  Interval interval;
  bool exact = true;
};
using AxisParts = std::vector<AxisPart>;

/// Input elements the outputs of an interval read.
AxisParts window_reads(const SlidingAxis& axis, const Interval& outputs, SizeBounds bounds);
/// Outputs whose windows meet an interval of input elements.
AxisParts window_reach(const SlidingAxis& axis, const Interval& inputs, SizeBounds bounds);
/// Every tap meets the input for some output of the interval: the whole kernel matters.
bool every_tap_meets(const SlidingAxis& axis, const Interval& outputs, SizeBounds bounds);

/// `box` with the axes from `first` on replaced by every combination of the axes' parts.
BoxParts combine_axes(const BoxPart& box, std::size_t first, const std::vector<AxisParts>& axes);

}  // namespace bufferproof::model::ops
