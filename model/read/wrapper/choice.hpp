// `yes if test else no` as one integer expression, where there is one.
//
// Exact for a comparison of one symbol with a number when both values are numbers at the border, as in
// Inductor's `max(0, min(16, u0)) if u0 >= 0 else max(0, min(16, u0 + 16))`, for the lesser or greater of the
// two sides of the test, and for a tensor's truth between two numbers. Tested by
// tests/model/read_wrapper_choice_test.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "model/sym_expr.hpp"

namespace bufferproof::model::wrapper {

/// The range of a symbol; no bounds for what is none.
using RangeOf = std::function<std::pair<std::int64_t, std::optional<std::int64_t>>(const std::string&)>;

/// nullopt: not expressed.
std::optional<SymExpr> choose(const Cond& test, const SymExpr& yes, const SymExpr& no,
                              const RangeOf& range_of);

}  // namespace bufferproof::model::wrapper
