// From "there is a run in which it goes wrong" to the smallest such run.
//
// Order: fewest kernels off their tuned road, then smallest sizes in the order of declaration, then lowest
// element. Tested by tests/checker/minimise_test.cpp.
#pragma once

#include "checker/judge.hpp"
#include "checker/solver.hpp"

namespace bufferproof::checker {

/// A model of a question: a value for every symbol of the program, every road and every variable of the
/// question.
struct Witness {
  model::Valuation values;
  std::vector<std::int64_t> element;
};

/// The roads a condition mentions are roads their kernels have.
model::Cond roads(const World& world, const model::Cond& condition);

enum class Found : std::uint8_t { none, witness, unknown };

/// The solver holds ranges and assumptions; it comes back as it was.
/// `proof`: filled with the SMT-LIB text when there is no witness.
Found smallest(Solver& solver, const model::Program& program, const World& world, const Question& question,
               Witness& witness, std::string* proof = nullptr);

}  // namespace bufferproof::checker
