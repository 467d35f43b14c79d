// Size expressions in text form ("8*s0 + 1", "(s0 + 1) // 2", "max(1, s0)"), read from MLIR-like tokens.
//
// What SymExpr::str prints reads back. Nesting is bounded. Tested by tests/model/body_function_test.cpp.
#pragma once

#include "model/read/mlir/lexer.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::model {

/// Reads one expression and leaves the token after it as current.
SymExpr read_size(mlir::Lexer& lexer);

}  // namespace bufferproof::model
