// When two storage addresses are equal, kept linear although strides may be symbolic.
//
// An address is a sum of "digits" times monomials of size symbols (x*64*s1 + y). Where the digits below each
// monomial stay below it, equal addresses have equal digits, and nothing is multiplied. Otherwise the plain
// equation is given. Tested by tests/checker/address_test.cpp.
#pragma once

#include <vector>

#include "checker/ranges.hpp"

namespace bufferproof::checker {

/// Condition for a == b. `a_variables`, `b_variables`: ranges of the index and loop variables in each; every
/// other symbol is a size.
model::Cond same_address(const model::SymExpr& a, const std::vector<model::BoundVariable>& a_variables,
                         const model::SymExpr& b, const std::vector<model::BoundVariable>& b_variables,
                         const Ranges& ranges);

/// Greatest (or least) value of an expression over the (symbolic) ranges of its variables, inner variables
/// first. nullopt: not linear in a variable. Meaningful when the ranges are not empty.
std::optional<model::SymExpr> extreme(const model::SymExpr& value,
                                      const std::vector<model::BoundVariable>& variables, bool greatest);

/// term / divisor, when that has no remainder; the divisor is a product. nullopt: it has, or is no product.
std::optional<model::SymExpr> quotient(const model::Term& term, const model::SymExpr& divisor);

}  // namespace bufferproof::checker
