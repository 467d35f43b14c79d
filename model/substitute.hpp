// Steps with symbols replaced by expressions: what unrolling a loop needs.
//
// Tested by tests/checker/unroll_test.cpp.
#pragma once

#include "model/program.hpp"

namespace bufferproof::model {

using Substitution = std::map<std::string, SymExpr, std::less<>>;

/// Every free occurrence is replaced; loop variables and set variables of the same name hide it.
Step substitute(const Step& step, const Substitution& by);
IndexSet substitute(const IndexSet& set, const Substitution& by);
Layout substitute(const Layout& layout, const Substitution& by);

}  // namespace bufferproof::model
