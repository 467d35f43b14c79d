// reshape {shape}: the same elements in row-major order under another shape.
//
// Axes are matched in groups of equal product, so a box maps exactly where it stays a box: singleton axes,
// then one interval, then whole axes. Elsewhere it is rounded out to the whole group and marked inexact.
// Eager PyTorch: a view where the operand's strides allow it, else a contiguous copy.
// Tested by tests/model/body_ops_test.cpp.
#include "model/ops/op_registry.hpp"
#include "model/ops/rules.hpp"

namespace bufferproof::model {
namespace {

using Shape = std::vector<SymExpr>;

/// Axes [from_begin, from_end) of one shape hold the same elements as [to_begin, to_end) of the other.
struct Group {
  std::size_t from_begin, from_end, to_begin, to_end;
};

bool is_one(const SymExpr& size) { return size.constant() == 1; }

/// Greedy matching by equal products; the side that is provably behind grows. What cannot be matched (or is
/// matched only for some sizes) ends in one group to the end of both shapes.
std::vector<Group> match_groups(const Shape& from, const Shape& to) {
  std::vector<Group> groups;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() || j < to.size()) {
    Group group{i, i, j, j};
    SymExpr left = i < from.size() ? from[i++] : SymExpr(1);
    SymExpr right = j < to.size() ? to[j++] : SymExpr(1);
    while (!(left == right)) {
      bool grow_from = i < from.size() && (j == to.size() || !provably_le(right, left, SizeBounds{1}));
      if (!grow_from && j == to.size()) break;
      if (grow_from) {
        left = left * from[i++];
      } else {
        right = right * to[j++];
      }
    }
    group.from_end = left == right ? i : from.size();
    group.to_end = left == right ? j : to.size();
    i = group.from_end;
    j = group.to_end;
    groups.push_back(group);
  }
  return groups;
}

SymExpr tail_product(const Shape& shape, std::size_t begin, std::size_t end) {
  SymExpr total = 1;
  for (std::size_t i = begin; i < end; ++i) total = total * shape[i];
  return total;
}

bool single_index(const Interval& interval) { return interval.end - interval.begin == SymExpr(1); }

/// The box's part of a group as one interval of its flattened elements.
bool flatten(const Shape& shape, const Box& box, std::size_t begin, std::size_t end, SizeBounds bounds,
             Interval& flat) {
  std::size_t partial = begin;
  while (partial < end && (is_one(shape[partial]) || single_index(box.axes[partial]))) ++partial;
  SymExpr start = 0;
  for (std::size_t i = begin; i < partial; ++i)
    if (!is_one(shape[i])) start = start + box.axes[i].begin * tail_product(shape, i + 1, end);
  if (partial == end) {
    flat = {start, start + SymExpr(1), 1};
    return true;
  }
  for (std::size_t i = partial + 1; i < end; ++i)
    if (!covers(box.axes[i], shape[i], bounds)) return false;
  const Interval& interval = box.axes[partial];
  if (interval.step != 1 && partial + 1 != end) return false;
  SymExpr inner = tail_product(shape, partial + 1, end);
  flat = {start + interval.begin * inner, start + interval.end * inner, interval.step};
  return true;
}

/// Exact quotient where it is plain: constants, zero, or the divisor itself.
std::optional<SymExpr> divide(const SymExpr& value, const SymExpr& by) {
  if (by.constant() == 1) return value;
  if (value == SymExpr(0)) return SymExpr(0);
  if (value == by) return SymExpr(1);
  auto a = value.constant();
  auto b = by.constant();
  if (a && b && *b > 0 && *a % *b == 0) return SymExpr(*a / *b);
  if (b && *b > 0 && floordiv(value, by) * by == value) return floordiv(value, by);
  return std::nullopt;
}

/// Spreads one flat interval over the axes of a group: leading single indices, one interval, whole axes.
bool unflatten(const Shape& shape, std::size_t begin, std::size_t end, Interval flat, SizeBounds bounds,
               Box& out) {
  SymExpr total = tail_product(shape, begin, end);
  if (covers(flat, total, bounds)) return true;
  for (std::size_t axis = begin; axis < end; ++axis) {
    if (is_one(shape[axis])) continue;
    SymExpr inner = tail_product(shape, axis + 1, end);
    auto first = divide(flat.begin, inner);
    auto past = divide(flat.end, inner);
    if (first && past && (flat.step == 1 || inner.constant() == 1)) {
      out.axes[axis] = {*first, *past, flat.step};
      return true;
    }
    // The interval lies inside one index of this axis: peel it off (constants only).
    auto low = flat.begin.constant();
    auto high = flat.end.constant();
    auto width = inner.constant();
    if (!low || !high || !width || *width <= 0 || *low / *width != (*high - 1) / *width) return false;
    std::int64_t index = *low / *width;
    out.axes[axis] = {index, index + 1, 1};
    flat.begin = *low - index * *width;
    flat.end = *high - index * *width;
    if (covers(flat, inner, bounds)) return true;
  }
  return false;
}

BoxParts map_box(const Shape& from, const Shape& to, const Box& box, SizeBounds bounds) {
  BoxPart part{full_box(to), true};
  for (const Group& group : match_groups(from, to)) {
    bool whole = true;
    for (std::size_t i = group.from_begin; i < group.from_end; ++i)
      whole = whole && covers(box.axes[i], from[i], bounds);
    if (whole) continue;
    if (group.from_end - group.from_begin == 1 && group.to_end - group.to_begin == 1) {
      part.box.axes[group.to_begin] = box.axes[group.from_begin];
      continue;
    }
    Interval flat;
    if (!flatten(from, box, group.from_begin, group.from_end, bounds, flat) ||
        !unflatten(to, group.to_begin, group.to_end, flat, bounds, part.box)) {
      part.exact = false;
      for (std::size_t j = group.to_begin; j < group.to_end; ++j) part.box.axes[j] = {0, to[j], 1};
    }
  }
  return {part};
}

std::vector<TensorType> infer(InferContext& context) {
  TensorType result{context.operand(0).dtype, context.op.sizes("shape")};
  context.require_equal(product(context.operand(0).shape), product(result.shape), "element counts");
  return {result};
}

BoxParts spread(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  return map_box(context.operand(0).shape, context.result().shape, box, context.bounds);
}

BoxParts reads(const OpContext& context, std::size_t, const Box& box, std::size_t) {
  return map_box(context.result().shape, context.operand(0).shape, box, context.bounds);
}

/// PyTorch's computeStride: walk from the innermost axis, splitting each run of mergeable axes.
std::optional<std::vector<SymExpr>> view(const OpContext& context, const std::vector<SymExpr>& strides) {
  const Shape& from = context.operand(0).shape;
  const Shape& to = context.result().shape;
  std::vector<SymExpr> out(to.size(), SymExpr(1));
  if (from.empty()) return out;
  std::size_t j = to.size();
  SymExpr base_stride = strides.back();
  SymExpr run = 1;
  SymExpr placed = 1;
  for (std::size_t i = from.size(); i-- > 0;) {
    run = run * from[i];
    bool mergeable = i > 0 && (is_one(from[i - 1]) || strides[i - 1] == run * base_stride);
    if (mergeable) continue;
    while (j > 0 && (!(placed == run) || is_one(to[j - 1]))) {
      if (!(placed == run) && provably_le(run, placed, SizeBounds{2})) break;
      out[j - 1] = placed * base_stride;
      placed = placed * to[--j];
    }
    if (!(placed == run)) return std::nullopt;
    if (i > 0) {
      base_stride = strides[i - 1];
      run = 1;
      placed = 1;
    }
  }
  return j == 0 ? std::optional(out) : std::nullopt;
}

}  // namespace

void ops::add_reshape(OpRegistry& table) {
  OpRule rule{"reshape", 1, 1, infer, spread, reads};
  rule.eager = EagerResult::view;
  rule.view_strides = view;
  table.add(rule);
}

}  // namespace bufferproof::model
