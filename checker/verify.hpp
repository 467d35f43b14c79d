// The independent re-checker: accepts or rejects a certificate without Z3 and without the checker's own
// algebra.
//
// It recomputes, from windows and symbol ranges alone, that the covering store holds every element of the
// read, that it comes before the reader, that no later store of the list touches the read, and that it is the
// producer meant. What a solver decided is counted apart: its SMT-LIB text is for another solver (`cvc5
// FILE`). Tested by tests/checker/verify_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace bufferproof::checker {

struct Verification {
  std::int64_t accepted = 0;
  std::vector<std::string> rejected;  ///< obligation and reason
  std::vector<std::string> residues;  ///< SMT-LIB texts left to a solver
  std::vector<std::string> assumptions;
};

/// Raises InputError for text that is no certificate.
Verification verify(const std::string& json, const std::string& file);

}  // namespace bufferproof::checker
