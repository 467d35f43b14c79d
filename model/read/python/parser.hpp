// Python tokens to the small AST of ast.hpp.
//
// Reads the whole grammar wrappers and the user code inside them use; `async`, `match` and `yield from` are
// not known. Bounded: nesting depth, tree depth, number of nodes. Linear time. Tested by
// tests/model/read_python_parser_test.cpp.
#pragma once

#include "model/read/python/ast.hpp"

namespace bufferproof::model::python {

/// Throws InputError (file:line:column, what was expected, what stands there).
Module parse_module(SourceText source);

/// An expression and what it points into.
struct ExpressionModule {
  Module module;
  const Expr* expr = nullptr;
};

/// Parses the whole text as one expression.
ExpressionModule parse_expression_text(SourceText source);

}  // namespace bufferproof::model::python
