// A proof as data: per obligation what was shown, how, by which writers, under which assumptions.
//
// Written as JSON by write_certificate; checker/verify re-checks it without Z3. Tested by
// tests/checker/verify_test.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bufferproof::checker {

/// One proved obligation in a form that an independent program can re-check.
struct Proof {
  std::string rule;        ///< C2, C3, ...
  std::string obligation;  ///< the read it is about, for people: "K2 reads buf0 at file:line"
  std::string method;      ///< "boxes" or "solver"
  /// Boxes are lists of [lo, hi) per axis as expressions over the symbols; `need` must lie in the union of
  /// `have`.
  std::vector<std::pair<std::string, std::string>> need;
  std::vector<std::vector<std::pair<std::string, std::string>>> have;
  std::vector<std::string> writers;  ///< one per box of `have`
  std::string smtlib;                ///< of method "solver": unsatisfiable by any SMT solver
};

struct Certificate {
  std::string program;  ///< file name
  std::string runtime;
  std::vector<std::pair<std::string, std::string>> symbols;  ///< name, "lo..hi"
  std::vector<std::string> assumptions;
  std::vector<Proof> proofs;
};

}  // namespace bufferproof::checker
