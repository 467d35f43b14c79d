// What a name of an expression stands for: a symbol, a constant of the text, a loop value.
//
// Inner names hide outer ones. A loop variable whose name is taken gets another one ("i$2"), so that in a
// Program no name means two things. Tested by tests/model/read_bufprog_statement_test.cpp (shadowing).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/sym_expr.hpp"

namespace bufferproof::model::bufprog {

class Scope {
 public:
  /// `open`: a name nobody declared is a symbol of its own.
  explicit Scope(bool open = false) : open_(open) {}

  /// nullptr when the name means nothing here.
  const SymExpr* find(const std::string& name) const;
  bool open() const { return open_; }
  void push(const std::string& name, SymExpr meaning) { meanings_[name].push_back(std::move(meaning)); }
  void pop(const std::string& name) { meanings_[name].pop_back(); }
  /// Names that symbols take somewhere in the text, so that no loop variable does.
  void reserve(std::string name) { reserved_.insert(std::move(name)); }
  /// Opens a loop variable; returns the name it has in the Program.
  std::string push_loop(const std::string& name);

 private:
  bool open_ = false;
  std::map<std::string, std::vector<SymExpr>> meanings_;
  std::set<std::string> reserved_;
};

}  // namespace bufferproof::model::bufprog
