// Z3 behind one small class: integer conditions in, sat / unsat / unknown and a model out.
//
// Deterministic: fixed seed, a resource limit per query instead of a time limit. One incremental context;
// scopes nest. Knows nothing of buffers. Tested by tests/checker/solver_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "model/sym_expr.hpp"

namespace bufferproof::checker {

enum class Answer : std::uint8_t { sat, unsat, unknown };

class Solver {
 public:
  explicit Solver(std::uint64_t rlimit, const std::stop_token& stop = {});
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  void push();
  void pop();
  void add(const model::Cond& condition);
  Answer check();
  /// Value of an expression in the last model, that of the last Answer::sat; symbols it leaves open count as
  /// 0. Only after one.
  std::optional<std::int64_t> value(const model::SymExpr& expr) const;
  /// Everything asserted, as SMT-LIB 2 text ending in (check-sat).
  std::string smtlib() const;
  std::int64_t queries() const;
  /// Asked to stop: values given since may be wrong.
  bool stopped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bufferproof::checker
