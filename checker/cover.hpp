// Box algebra on layouts: what needs no solver.
//
// "true" is a proof, "false" only means not shown. Tested by tests/checker/ranges_test.cpp.
#pragma once

#include <optional>
#include <utility>

#include "checker/world.hpp"

namespace bufferproof::checker {

/// [lo, hi) when the layout's elements are exactly the addresses of an interval (dense in some order of its
/// axes).
std::optional<std::pair<model::SymExpr, model::SymExpr>> dense_interval(const model::Layout& layout);

/// Every address `inner` may touch lies among those `outer` surely touches, whatever path and instance.
bool surely_covers(const Access& outer, const Access& inner, const Ranges& ranges);

/// No address in common, whatever path and instance.
bool surely_disjoint(const Access& a, const Access& b, const Ranges& ranges);

/// Sizes for which two layouts have the same elements ...
model::Cond same_sizes(const model::Layout& a, const model::Layout& b);
/// ... and, of equal rank, place them alike: strides of axes of size 1 do not matter.
model::Cond same_strides(const model::Layout& a, const model::Layout& b);

}  // namespace bufferproof::checker
