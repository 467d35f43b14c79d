// Tokens of MLIR text: the part both the named-op reader and the torch-dialect reader need.
//
// The idea: one token of lookahead over the text in place; nothing is copied. Shapes (`4x?xf32`) are not
// tokens of the general grammar, so the type reader asks for them by `read_dimensions`.
// Does not know any operation.
// Tested by tests/model/body_mlir_lexer_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostic.hpp"

namespace bufferproof::model::mlir {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    value,    ///< %name (text without the mark)
    symbol,   ///< @name
    hash,     ///< #name: attribute alias, dialect attribute, or result number (%4#1)
    caret,    ///< ^bb0
    type,     ///< !torch.vtensor: text without the mark
    word,     ///< keyword or operation name; contains dots
    integer,  ///< decimal or 0x; text as written
    real,     ///< decimal with a point or exponent
    string,   ///< text between the quotes, escapes kept
    punct     ///< one character, or -> :: == >= <=
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t offset = 0;

  /// Asked several times per token: the first character decides before a call that compares the rest.
  bool is(Kind wanted, std::string_view wanted_text) const {
    return kind == wanted && text.size() == wanted_text.size() &&
           (text.empty() || (text[0] == wanted_text[0] && text == wanted_text));
  }
  bool is_punct(std::string_view wanted) const { return is(Kind::punct, wanted); }
  bool is_word(std::string_view wanted) const { return is(Kind::word, wanted); }
};

/// What starts a comment to the end of the line. The project's own notation has `//` as floor division.
enum class Comments : std::uint8_t { slashes, semicolon };

class Lexer {
 public:
  /// `origin` is where the first character of `text` stands in its file.
  Lexer(std::string_view text, SourceLocation origin, Comments comments = Comments::slashes);

  const Token& peek() const { return token_; }
  /// Returns the current token and moves on.
  Token take();
  /// Takes the token if it is this punctuation.
  bool accept(std::string_view punct);
  bool accept_word(std::string_view word);
  /// Throws InputError naming `expected` if the token is something else.
  Token expect(Token::Kind kind, std::string_view expected);
  void expect(std::string_view punct);

  /// One dimension of a shape in `tensor<4x?x0xf32>`: nullopt for `?`. Must be called when the current token
  /// starts the dimension list; consumes the trailing `x`s and leaves the element type as current token.
  std::vector<std::optional<std::int64_t>> read_dimensions();

  /// The raw text of one balanced value up to an unnested `,` or closing bracket (attribute values).
  std::string_view skip_value();
  /// Skips from an opening bracket, which is the current token, past its partner; returns the text between.
  std::string_view skip_balanced();
  /// Moves to the next token that starts a line and equals one of `words`, or to the end.
  void skip_to_line_word(const std::vector<std::string_view>& words);

  SourceLocation locate(const Token& token) const { return locate(token.offset); }
  SourceLocation locate(std::size_t offset) const;
  SourceLocation here() const { return locate(token_.offset); }
  [[noreturn]] void fail(std::string_view expected, std::string_view hint = "") const;
  std::string_view text_from(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }

 private:
  void advance();
  void skip_blanks();
  Token scan();
  Token scan_prefixed(Token::Kind kind);
  Token scan_number();
  Token scan_string();
  Token make(Token::Kind kind, std::size_t begin, std::size_t end, std::size_t text_begin) const;

  std::string_view text_;
  SourceLocation origin_;
  std::string_view comment_;
  std::size_t position_ = 0;
  Token token_;

  struct Located {
    std::size_t offset = 0;
    std::size_t line_start = 0;
    int line = 0;
  };
  mutable Located located_;
};

/// Exact value of a decimal or 0x integer token with sign applied; nullopt when it does not fit 64 bits.
std::optional<std::int64_t> to_int64(std::string_view text);

}  // namespace bufferproof::model::mlir
