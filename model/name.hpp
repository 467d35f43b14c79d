// A name of a buffer, kernel, stream or event; bufprog names may have holes that a loop value fills
// ("F{i}{j}").
//
// Tested by tests/model/name_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/sym_expr.hpp"

namespace bufferproof::model {

class Name {
 public:
  Name() = default;
  Name(std::string literal) : literals_{std::move(literal)} {}    // NOLINT: a plain string is a name
  Name(const char* literal) : literals_{std::string(literal)} {}  // NOLINT
  /// literals has one element more than holes: literal0 {hole0} literal1 ...
  Name(std::vector<std::string> literals, std::vector<SymExpr> holes);

  bool has_holes() const { return !holes_.empty(); }
  bool empty() const { return holes_.empty() && (literals_.empty() || literals_[0].empty()); }
  const std::vector<std::string>& literals() const { return literals_; }
  const std::vector<SymExpr>& holes() const { return holes_; }
  /// With every hole filled. A hole without a value raises OverflowError.
  std::string resolve(const Valuation& values) const;
  Name substitute(const std::map<std::string, SymExpr, std::less<>>& by) const;
  /// As written: "F{i}{j}".
  std::string str() const;

  friend bool operator==(const Name& a, const Name& b) {
    return a.literals_ == b.literals_ && a.holes_ == b.holes_;
  }
  friend bool operator<(const Name& a, const Name& b) {
    return std::tie(a.literals_, a.holes_) < std::tie(b.literals_, b.holes_);
  }

 private:
  std::vector<std::string> literals_;
  std::vector<SymExpr> holes_;
};

/// The condition under which two names are the same string, given that every hole holds a value >= 0.
/// nullopt when this is not expressible: in "a{i}{j}" against "a{k}{l}" digits may run together, unless
/// `one_digit` says of every hole that its value is below 10.
std::optional<Cond> same_name(const Name& a, const Name& b,
                              const std::function<bool(const SymExpr&)>& one_digit = {});

}  // namespace bufferproof::model
