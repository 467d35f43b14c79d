// What every run of a program satisfies although no statement of it says so.
//
// Sizes are not negative. In wrappers, inputs are as large as the views the program takes of them: the guards
// that see to it stand outside of the file, so it is listed as an assumption; a view that fits at no size is
// none of theirs. Only linear conditions on what is made on every path. Tested by
// tests/checker/preconditions_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/program.hpp"

namespace bufferproof::checker {

struct Preconditions {
  model::Cond hold = true;           ///< joined to the ranges of the symbols
  std::vector<std::string> assumed;  ///< what of it a proof has to list
};

Preconditions preconditions(const model::Program& program);

}  // namespace bufferproof::checker
