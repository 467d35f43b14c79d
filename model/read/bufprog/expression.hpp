// Expressions and conditions of the notation: + - * // % min max, comparisons, and / or / not.
//
// Python's precedence and Python's floor division. Size and nesting are bounded, because a product of sums
// written in one line can have more terms than memory. Tested by
// tests/model/read_bufprog_expression_test.cpp.
#pragma once

#include "model/read/bufprog/cursor.hpp"
#include "model/read/bufprog/scope.hpp"

namespace bufferproof::model::bufprog {

inline constexpr int kDeepestExpression = 100;
/// Most atoms an expression may have after multiplying out.
inline constexpr std::size_t kLargestExpression = 500;
inline constexpr int kMostComparisons = 200;

/// Raises InputError: unknown name, overflow, division by a constant zero, too deep, too large.
SymExpr parse_expression(Cursor& cursor, const Scope& scope);
Cond parse_condition(Cursor& cursor, const Scope& scope);

/// a * b under the bounds above; `at` is where an error points to.
SymExpr bounded_product(const Cursor& cursor, const Token& at, const SymExpr& a, const SymExpr& b);

/// A whole number as it stands in the text.
std::int64_t number_value(const Cursor& cursor, const Token& token);
/// Words that cannot name a symbol or a loop variable.
bool is_reserved_word(std::string_view word);

}  // namespace bufferproof::model::bufprog
