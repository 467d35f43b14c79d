// The statements of the notation, one function each, and the blocks they form by indentation.
//
// Tested by tests/model/read_bufprog_statement_test.cpp.
#pragma once

#include "model/program.hpp"
#include "model/read/bufprog/cursor.hpp"
#include "model/read/bufprog/lines.hpp"
#include "model/read/bufprog/reader.hpp"
#include "model/read/bufprog/scope.hpp"

namespace bufferproof::model::bufprog {

inline constexpr int kDeepestBlock = 50;

/// Reads all lines of code into `program`; constants of the text go to `constants`.
class StatementReader {
 public:
  StatementReader(const Lines& lines, std::shared_ptr<const std::string> file, Program& program,
                  Constants& constants);
  void read();

 private:
  Block block(int indent, int depth);
  Step statement(Cursor& cursor, const Line& line, int depth);
  Block body_of(const Line& header, int depth);
  void parameter(Cursor& cursor, int depth);
  void declare(const Cursor& cursor, const Token& name, const SymExpr& value, Cursor& range);

  Alloc alloc(Cursor& cursor);
  View window(Cursor& cursor);
  View layout(Cursor& cursor);
  Bind bind(Cursor& cursor, Bind::Kind kind);
  Point point(Cursor& cursor);
  Launch launch(Cursor& cursor);
  Clause clause(Cursor& cursor);
  Copy copy(Cursor& cursor);
  Return result(Cursor& cursor);
  Branch branch(Cursor& cursor, const Line& line, int depth);
  Loop loop(Cursor& cursor, const Line& line, int depth);
  std::vector<SymExpr> sizes(Cursor& cursor, std::string_view open, std::string_view close);
  void check_size(const Cursor& cursor, const Token& at, const SymExpr& size) const;
  void check_elements(const Cursor& cursor, const Token& at, const std::vector<SymExpr>& sizes) const;
  Name name(Cursor& cursor, const std::string& what);

  const Lines& lines_;
  std::shared_ptr<const std::string> file_;
  Program& program_;
  Constants& constants_;
  Scope scope_;
  Valuation values_;  ///< of the symbols so far
  std::size_t at_ = 0;
};

}  // namespace bufferproof::model::bufprog
