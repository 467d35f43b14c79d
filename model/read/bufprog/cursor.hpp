// One line of bufprog text as tokens, and a place in them.
//
// Brackets are matched once, so a parser may look behind a closing bracket without scanning. Every error
// names file:line:column. Tested by tests/model/read_bufprog_expression_test.cpp and
// tests/model/read_bufprog_error_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostic.hpp"

namespace bufferproof::model::bufprog {

enum class TokenKind : std::uint8_t { end, name, number, op };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  int column = 0;         ///< from 1
  std::size_t match = 0;  ///< of an opening bracket: index of the closing one
};

/// Where a line stands.
struct LinePlace {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int first_column = 1;
};

class Cursor {
 public:
  /// `line` must outlive the cursor. Throws InputError for a character outside the notation or a bracket
  /// without partner.
  Cursor(std::string_view line, LinePlace place);

  const Token& peek(std::size_t ahead = 0) const;
  Token next();
  bool at(std::string_view text) const { return peek().text == text && peek().kind != TokenKind::end; }
  bool at_name() const { return peek().kind == TokenKind::name; }
  bool done() const { return peek().kind == TokenKind::end; }
  /// Consumes the token when it is spelled so.
  bool accept(std::string_view text);
  Token expect(std::string_view text, const std::string& hint = "");
  Token expect_name(const std::string& what);
  void expect_end();
  /// The current token follows the one before it without a blank.
  bool adjacent() const;

  std::size_t position() const { return at_; }
  void seek(std::size_t position) { at_ = position; }
  /// Index of the first token spelled `text` in [begin, end), outside of inner brackets; `end` if none.
  std::size_t find(std::string_view text, std::size_t begin, std::size_t end) const;

  SourceLocation here() const { return where(peek()); }
  SourceLocation where(const Token& token) const { return {place_.file, place_.line, token.column}; }
  [[noreturn]] void fail(const std::string& expected, const std::string& hint = "") const;

 private:
  void split(std::string_view line);
  void match_brackets();

  LinePlace place_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace bufferproof::model::bufprog
