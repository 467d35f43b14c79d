// Python source to tokens: names, numbers, strings of every kind, operators, and NEWLINE/INDENT/DEDENT.
//
// Tokens are handed out one at a time, so memory does not grow with the file; comments are kept aside. Linear
// time. Hostile input is bounded: nesting of brackets and blocks, length of a line of code. Nothing is
// interpreted. Tested by tests/model/read_python_tokenizer_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "model/read/python/source.hpp"

namespace bufferproof::model::python {

enum class TokenKind : std::uint8_t { end, newline, indent, dedent, name, number, string, op };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  ///< as it stands in the source; a string with its prefix and quotes
  Position at;
};

struct Comment {
  std::string_view text;  ///< with its '#'
  Position at;
};

/// Throws InputError at the place of the fault. `source` must outlive it and all its tokens.
class Tokenizer {
 public:
  static constexpr std::size_t kMostBrackets = 200;      ///< as CPython's MAXLEVEL
  static constexpr std::size_t kMostIndents = 100;       ///< as CPython's MAXINDENT
  static constexpr std::size_t kLongestLine = 1U << 22;  ///< bytes of one line of code, strings not counted

  explicit Tokenizer(const SourceText& source);
  Token next();
  const std::vector<Comment>& comments() const { return comments_; }

 private:
  Token layout();
  Token indentation(std::size_t width);
  Token end_of_text();
  std::size_t measure_indent();
  bool skip_blank();
  void skip_comment();
  void start_line();
  Token word();
  Token number();
  Token string(std::size_t prefix);
  void string_body(char quote, bool triple, Position begin);
  Token op();
  void open(char bracket);
  void close(char bracket);
  std::size_t string_prefix() const;
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool done() const { return at_ >= text_.size(); }
  Position here() const { return source_.position(line_, at_ - line_begin_); }
  Token make(TokenKind kind, std::size_t begin, Position at) const {
    return {kind, text_.substr(begin, at_ - begin), at};
  }
  [[noreturn]] void fail(Position at, const std::string& expected, const std::string& found,
                         const std::string& hint = "") const;

  struct Bracket {
    char open;
    Position at;
  };
  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::size_t line_begin_ = 0;
  std::size_t code_begin_ = 0;  ///< where the code of this line begins, after a string that spans lines
  bool line_start_ = true;
  bool line_open_ = false;  ///< tokens were given since the last NEWLINE
  std::vector<std::size_t> indents_{0};
  std::size_t pending_dedents_ = 0;
  std::vector<Bracket> brackets_;
  std::vector<Comment> comments_;
};

}  // namespace bufferproof::model::python
