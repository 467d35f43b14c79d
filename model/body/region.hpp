// Sets of tensor elements as boxes with symbolic bounds.
//
// The idea: an interval is {begin, begin + step, ...} below end; a box is one interval per axis; a region is
// a list of boxes. Bounds are symbolic, so a box may be empty for some sizes: its bounds say for which,
// nobody has to decide it here. What can be decided (by sign of coefficients, symbols being at least a lower
// bound) is simplified away. Nothing here calls a solver. Tested by tests/model/body_region_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/sym_expr.hpp"

namespace bufferproof::model {

/// Facts used by the comparisons below: every symbol is a size, at least this.
struct SizeBounds {
  std::int64_t lower = 0;
};

/// True only if a <= b for all sizes in bounds; false means "not shown".
bool provably_le(const SymExpr& a, const SymExpr& b, SizeBounds bounds = {});
bool provably_lt(const SymExpr& a, const SymExpr& b, SizeBounds bounds = {});
/// min / max that pick one side when the order is provable.
SymExpr smaller(const SymExpr& a, const SymExpr& b, SizeBounds bounds = {});
SymExpr larger(const SymExpr& a, const SymExpr& b, SizeBounds bounds = {});

struct Interval {
  SymExpr begin;
  SymExpr end;
  std::int64_t step = 1;

  friend bool operator==(const Interval&, const Interval&) = default;
};

struct Box {
  std::vector<Interval> axes;

  /// "[0:s0, 3:8:2]"
  std::string str() const;
  /// True where the box has at least one element.
  Cond nonempty() const;
  friend bool operator==(const Box&, const Box&) = default;
};

/// A box and whether it is exact or only an over-approximation.
struct BoxPart {
  Box box;
  bool exact = true;
};
using BoxParts = std::vector<BoxPart>;

Box full_box(const std::vector<SymExpr>& shape);
bool provably_empty(const Interval& interval, SizeBounds bounds = {});
bool provably_empty(const Box& box, SizeBounds bounds = {});
/// The interval is provably all of [0, size).
bool covers(const Interval& interval, const SymExpr& size, SizeBounds bounds = {});

/// Intersection of one interval with [begin, end); exact is cleared where a step could not be kept.
Interval clip(const Interval& interval, const SymExpr& begin, const SymExpr& end, SizeBounds bounds,
              bool& exact);
/// Elements of `from` outside `hole`. Steps of the hole other than 1 are split by residue.
BoxParts subtract(const Box& from, const Box& hole, SizeBounds bounds = {});
/// Adds a box unless it is provably empty or already contained; collapses to `all` beyond `most` boxes.
void add_part(BoxParts& parts, BoxPart part, const Box& all, SizeBounds bounds = {}, std::size_t most = 32);
/// True if `inner` is provably inside `outer` (unit steps or equal intervals).
bool contains(const Box& outer, const Box& inner, SizeBounds bounds = {});

}  // namespace bufferproof::model
