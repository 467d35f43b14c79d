// A program as a person reads it, and as JSON.
//
// A bufprog program is printed in its own notation and reads back to the same program; a wrapper is printed
// in the same spirit with what bufprog has no words for (dtypes, arguments, variants), each step with its
// line in the file. Tested by tests/model/print_test.cpp.
#pragma once

#include <string>

#include "model/program.hpp"

namespace bufferproof::model {

std::string print_text(const Program& program);
/// {"dialect", "file", "symbols", "kernels", "steps", "assumptions", "risks"}; two blanks per level.
std::string print_json(const Program& program);

/// "b[0:8]", "b{2*i | i<4 ; i != 2}", "b" for the whole; the notation of bufprog.
std::string print_set(const Name& buffer, const IndexSet& set);
/// "n <= 2 and c == 1": nothing is compared with zero that has another side.
std::string print_condition(const Cond& condition);
/// "read x[0:8] from K": one access as bufprog writes it.
std::string print_clause(const Clause& clause);

}  // namespace bufferproof::model
