// Quantifier elimination for what loops and index sets need: does an integer exist, and which is the last
// one?
//
// Exact or refused, never approximate. A variable must occur linearly with constant coefficients; equalities
// are solved (with a divisibility condition), inequalities become integer bounds. Nested strides stay linear
// because floordiv by a constant distributes over what it divides (model/sym_expr.hpp). Tested by
// tests/checker/eliminate_test.cpp against brute force.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/sym_expr.hpp"

namespace bufferproof::checker {

/// { variable | conjunction }: `exists` says when the set is not empty, `last` is then its greatest element.
struct Greatest {
  model::Cond exists = true;
  model::SymExpr last;
};

/// nullopt: outside the fragment (variable under floordiv, in a product, in a disjunction, or unbounded
/// above).
std::optional<Greatest> greatest(const std::string& variable, const model::Cond& conjunction);

/// Condition, without the variables, under which values for all of them exist. nullopt: outside the fragment.
std::optional<model::Cond> exists(const std::vector<std::string>& variables, model::Cond condition);

}  // namespace bufferproof::checker
