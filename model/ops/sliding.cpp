#include "model/ops/sliding.hpp"

#include <optional>

namespace bufferproof::model::ops {
namespace {

constexpr std::int64_t kMostTaps = 16;

SymExpr ceildiv(const SymExpr& value, std::int64_t by) { return floordiv(value + SymExpr(by - 1), by); }

bool single(const Interval& interval) { return interval.end - interval.begin == SymExpr(1); }

void keep(AxisParts& parts, Interval interval, const SymExpr& size, SizeBounds bounds, bool exact) {
  interval = clip(interval, 0, size, bounds, exact);
  if (!provably_empty(interval, bounds)) parts.push_back({std::move(interval), exact});
}

/// One per output would be too many: from the first window's begin to the last one's end.
AxisParts hull(const SlidingAxis& axis, const Interval& outputs, SizeBounds bounds, bool exact) {
  AxisParts parts;
  SymExpr reach = (axis.kernel - SymExpr(1)) * SymExpr(axis.dilation) + SymExpr(1);
  keep(parts,
       {outputs.begin * SymExpr(axis.stride) - SymExpr(axis.padding),
        (outputs.end - SymExpr(1)) * SymExpr(axis.stride) - SymExpr(axis.padding) + reach, 1},
       axis.size, bounds, exact);
  return parts;
}

/// Tap by tap, outputs `outputs.step` apart read elements `stride * outputs.step` apart.
AxisParts by_tap(const SlidingAxis& axis, const Interval& outputs, std::int64_t taps, SizeBounds bounds) {
  AxisParts parts;
  std::int64_t step = single(outputs) ? 1 : axis.stride * outputs.step;
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    SymExpr shift = SymExpr(tap * axis.dilation - axis.padding);
    keep(parts,
         {outputs.begin * SymExpr(axis.stride) + shift,
          (outputs.end - SymExpr(1)) * SymExpr(axis.stride) + shift + SymExpr(1), step},
         axis.size, bounds, true);
  }
  return parts;
}

AxisParts adaptive_reads(const SlidingAxis& axis, const Interval& outputs, SizeBounds bounds) {
  auto out = axis.out.constant();
  bool whole = covers(outputs, axis.out, bounds);
  if (whole || !out || *out < 1) return {{{0, axis.size, 1}, whole}};
  AxisParts parts;
  keep(parts, {floordiv(outputs.begin * axis.size, *out), ceildiv(outputs.end * axis.size, *out), 1},
       axis.size, bounds, outputs.step == 1);
  return parts;
}

AxisParts adaptive_reach(const SlidingAxis& axis, const Interval& inputs, SizeBounds bounds) {
  auto size = axis.size.constant();
  bool whole = covers(inputs, axis.size, bounds);
  if (whole || !size || *size < 1) return {{{0, axis.out, 1}, whole}};
  AxisParts parts;
  keep(parts, {floordiv(inputs.begin * axis.out, *size), ceildiv(inputs.end * axis.out, *size), 1}, axis.out,
       bounds, inputs.step == 1);
  return parts;
}

/// The outputs one input element reaches where windows have holes: tap by tap, constants only.
std::optional<AxisParts> reach_of_element(const SlidingAxis& axis, const Interval& inputs,
                                          SizeBounds bounds) {
  auto at = inputs.begin.constant();
  auto taps = axis.kernel.constant();
  if (!single(inputs) || !at || !taps || *taps > kMostTaps) return std::nullopt;
  AxisParts parts;
  for (std::int64_t tap = *taps - 1; tap >= 0; --tap) {
    std::int64_t from = *at + axis.padding - tap * axis.dilation;
    if (from < 0 || from % axis.stride != 0) continue;
    std::int64_t output = from / axis.stride;
    keep(parts, {output, output + 1, 1}, axis.out, bounds, true);
  }
  return parts;
}

}  // namespace

AxisParts window_reads(const SlidingAxis& axis, const Interval& outputs, SizeBounds bounds) {
  if (axis.adaptive) return adaptive_reads(axis, outputs, bounds);
  auto taps = axis.kernel.constant();
  bool gapless = axis.dilation == 1 && outputs.step == 1 &&
                 (single(outputs) || axis.stride == 1 || (taps && *taps >= axis.stride));
  if (gapless) return hull(axis, outputs, bounds, true);
  if (taps && *taps <= kMostTaps) return by_tap(axis, outputs, *taps, bounds);
  return hull(axis, outputs, bounds, false);
}

AxisParts window_reach(const SlidingAxis& axis, const Interval& inputs, SizeBounds bounds) {
  if (axis.adaptive) return adaptive_reach(axis, inputs, bounds);
  if (axis.dilation != 1)
    if (auto parts = reach_of_element(axis, inputs, bounds)) return *parts;
  AxisParts parts;
  SymExpr reach = (axis.kernel - SymExpr(1)) * SymExpr(axis.dilation);
  bool gapless = inputs.step == 1 &&
                 (axis.dilation == 1 || provably_le(axis.dilation, inputs.end - inputs.begin, bounds));
  keep(parts,
       {ceildiv(inputs.begin + SymExpr(axis.padding) - reach, axis.stride),
        floordiv(inputs.end - SymExpr(1) + SymExpr(axis.padding), axis.stride) + SymExpr(1), 1},
       axis.out, bounds, gapless);
  return parts;
}

bool every_tap_meets(const SlidingAxis& axis, const Interval& outputs, SizeBounds bounds) {
  if (axis.padding == 0) return provably_lt(outputs.begin, outputs.end, bounds);
  auto taps = axis.kernel.constant();
  if (!taps || *taps > kMostTaps || outputs.step != 1) return false;
  for (std::int64_t tap = 0; tap < *taps; ++tap) {
    SymExpr shift = SymExpr(axis.padding - tap * axis.dilation);
    SymExpr first = larger(outputs.begin, ceildiv(shift, axis.stride), bounds);
    SymExpr last =
        smaller(outputs.end - SymExpr(1), floordiv(shift + axis.size - SymExpr(1), axis.stride), bounds);
    if (!provably_le(first, last, bounds)) return false;
  }
  return true;
}

BoxParts combine_axes(const BoxPart& box, std::size_t first, const std::vector<AxisParts>& axes) {
  BoxParts boxes{box};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    BoxParts next;
    for (const BoxPart& known : boxes)
      for (const AxisPart& part : axes[i]) {
        next.push_back({known.box, known.exact && part.exact});
        next.back().box.axes[first + i] = part.interval;
      }
    boxes = std::move(next);
  }
  return boxes;
}

}  // namespace bufferproof::model::ops
