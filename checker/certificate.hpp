// A proof as data: per obligation what was shown, how, by which writer, under which assumptions.
//
// Expressions are text over the program's symbols, so that a re-checker (checker/verify.hpp) needs neither
// the program nor a solver. Tested by tests/checker/verify_test.cpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bufferproof::checker {

/// Elements of one storage. `everything`: all of it; else a strided window (offset, sizes, strides in
/// elements).
struct Window {
  bool everything = false;
  std::vector<std::string> sizes;
  std::vector<std::string> strides;
  std::string offset = "0";
};

struct Store {
  std::string writer;
  int step = -1;  ///< position in the (unrolled) program; a reader comes after its writer
  Window window;
};

/// One proved obligation.
struct Proof {
  std::string rule;        ///< C2, C3, C4, C5, ...
  std::string obligation;  ///< the read or access, for people: "K2 reads buf0 at file:line"
  std::string
      method;     ///< "covered": `cover` holds `need` and no store of `later` touches it; "solver": `smtlib`
  int step = -1;  ///< of the reader
  Window need;
  Store cover;
  std::vector<Store> later;  ///< stores on the same storage between `cover` and the reader
  std::string meant;         ///< wrappers: the producer the text means; must be `cover.writer`
  std::string smtlib;        ///< unsatisfiable; any SMT-LIB 2 solver can confirm it
};

struct Certificate {
  std::string program;  ///< file name
  std::string runtime;
  struct Symbol {
    std::string name;
    std::int64_t lo = 0;
    std::string hi;  ///< "" when unbounded
  };
  std::vector<Symbol> symbols;
  std::vector<std::string> assumptions;
  std::vector<Proof> proofs;
};

/// A JSON array with one object per certificate.
std::string write_certificates(const std::vector<Certificate>& certificates);

}  // namespace bufferproof::checker
