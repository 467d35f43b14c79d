#include "model/read/mlir/lexer.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace bufferproof::model::mlir {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_suffix(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '.' || c == '-'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '.'; }

std::string describe(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end of the text";
  return "'" + std::string(token.text) + "'";
}

}  // namespace

Lexer::Lexer(std::string_view text, SourceLocation origin, Comments comments)
    : text_(text), origin_(std::move(origin)), comment_(comments == Comments::slashes ? "//" : ";") {
  if (origin_.line <= 0) origin_.line = 1;
  if (origin_.column <= 0) origin_.column = 1;
  advance();
}

Token Lexer::take() {
  Token token = token_;
  advance();
  return token;
}

bool Lexer::accept(std::string_view punct) {
  if (!token_.is_punct(punct)) return false;
  advance();
  return true;
}

bool Lexer::accept_word(std::string_view word) {
  if (!token_.is_word(word)) return false;
  advance();
  return true;
}

Token Lexer::expect(Token::Kind kind, std::string_view expected) {
  if (token_.kind != kind) fail(expected);
  return take();
}

void Lexer::expect(std::string_view punct) {
  if (!accept(punct)) fail("'" + std::string(punct) + "'");
}

void Lexer::fail(std::string_view expected, std::string_view hint) const {
  throw InputError(here(), std::string(expected), describe(token_), std::string(hint));
}

SourceLocation Lexer::locate(std::size_t offset) const {
  if (offset < located_.offset) located_ = {};
  // Positions are mostly asked for in rising order: count on from the last one.
  for (std::size_t i = located_.offset; i < offset && i < text_.size(); ++i)
    if (text_[i] == '\n') {
      ++located_.line;
      located_.line_start = i + 1;
    }
  located_.offset = offset;
  int column = static_cast<int>(offset - located_.line_start) + (located_.line == 0 ? origin_.column : 1);
  return {origin_.file, origin_.line + located_.line, column};
}

void Lexer::advance() { token_ = scan(); }

void Lexer::skip_blanks() {
  while (position_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[position_]))) {
      ++position_;
    } else if (text_[position_] == comment_[0] && text_.compare(position_, comment_.size(), comment_) == 0) {
      std::size_t end = text_.find('\n', position_);
      position_ = end == std::string_view::npos ? text_.size() : end;
    } else {
      return;
    }
  }
}

Token Lexer::make(Token::Kind kind, std::size_t begin, std::size_t end, std::size_t text_begin) const {
  return {kind, text_.substr(text_begin, end - text_begin), begin};
}

Token Lexer::scan_prefixed(Token::Kind kind) {
  std::size_t begin = position_;
  std::size_t end = begin + 1;
  auto part = kind == Token::Kind::value || kind == Token::Kind::caret ? is_suffix : is_word;
  while (end < text_.size() && part(text_[end])) ++end;
  position_ = end;
  return make(kind, begin, end, begin + 1);
}

Token Lexer::scan_number() {
  std::size_t begin = position_;
  std::size_t end = begin;
  auto digits = [&] {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  };
  if (text_.compare(end, 2, "0x") == 0 && end + 2 < text_.size() &&
      std::isxdigit(static_cast<unsigned char>(text_[end + 2]))) {
    end += 2;
    while (end < text_.size() && std::isxdigit(static_cast<unsigned char>(text_[end]))) ++end;
    position_ = end;
    return make(Token::Kind::integer, begin, end, begin);
  }
  digits();
  Token::Kind kind = Token::Kind::integer;
  if (end < text_.size() && text_[end] == '.') {  // "0." is a number, too
    kind = Token::Kind::real;
    ++end;
    digits();
  }
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
    if (exponent < text_.size() && is_digit(text_[exponent])) {
      kind = Token::Kind::real;
      end = exponent;
      digits();
    }
  }
  position_ = end;
  return make(kind, begin, end, begin);
}

Token Lexer::scan_string() {
  std::size_t begin = position_;
  std::size_t end = begin + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size() || text_[end] != '"')
    throw InputError(locate(begin), "a closing '\"' on the same line", "the end of the line");
  position_ = end + 1;
  return make(Token::Kind::string, begin, end, begin + 1);
}

Token Lexer::scan() {
  skip_blanks();
  if (position_ >= text_.size()) return make(Token::Kind::end, text_.size(), text_.size(), text_.size());
  char c = text_[position_];
  switch (c) {
    case '%':
      return scan_prefixed(Token::Kind::value);
    case '@':
      return scan_prefixed(Token::Kind::symbol);
    case '#':
      return scan_prefixed(Token::Kind::hash);
    case '^':
      return scan_prefixed(Token::Kind::caret);
    case '!':
      return scan_prefixed(Token::Kind::type);
    case '"':
      return scan_string();
    default:
      break;
  }
  if (is_digit(c)) return scan_number();
  std::size_t begin = position_;
  if (is_letter(c)) {
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    return make(Token::Kind::word, begin, position_, begin);
  }
  // "->", "::", "==", ">=", "<="
  const char next = begin + 1 < text_.size() ? text_[begin + 1] : '\0';
  const bool pair = (c == '-' && next == '>') || (c == ':' && next == ':') ||
                    ((c == '=' || c == '>' || c == '<') && next == '=');
  position_ += pair ? 2 : 1;
  return make(Token::Kind::punct, begin, position_, begin);
}

std::vector<std::optional<std::int64_t>> Lexer::read_dimensions() {
  constexpr std::size_t kMaxRank = 64;
  std::vector<std::optional<std::int64_t>> dims;
  position_ = token_.offset;
  for (;;) {
    skip_blanks();
    if (position_ >= text_.size()) break;
    std::size_t end = position_;
    if (text_[end] == '?') {
      ++end;
    } else {
      while (end < text_.size() && is_digit(text_[end])) ++end;
    }
    if (end == position_) break;
    if (end >= text_.size() || text_[end] != 'x')
      throw InputError(locate(end), "'x' after a dimension", "'" + std::string(text_.substr(end, 1)) + "'");
    std::string_view digits = text_.substr(position_, end - position_);
    std::optional<std::int64_t> size;
    if (digits != "?") {
      size = to_int64(digits);
      if (!size) throw InputError(locate(position_), "a dimension below 2^63", std::string(digits));
    }
    dims.push_back(size);
    if (dims.size() > kMaxRank)
      throw InputError(locate(position_), "a tensor of at most 64 dimensions", "more of them");
    position_ = end + 1;
  }
  advance();
  return dims;
}

std::string_view Lexer::skip_balanced() {
  std::string_view open = token_.text;
  std::size_t begin = token_.offset + 1;
  if (token_.kind != Token::Kind::punct || (open != "(" && open != "{" && open != "[" && open != "<"))
    fail("an opening bracket");
  int depth = 0;
  for (;;) {
    Token token = take();
    if (token.kind == Token::Kind::end)
      throw InputError(locate(token), "a closing bracket", "the end of the text");
    if (token.kind != Token::Kind::punct) continue;
    if (token.text == "(" || token.text == "{" || token.text == "[" || token.text == "<") ++depth;
    if (token.text == ")" || token.text == "}" || token.text == "]" || token.text == ">") --depth;
    if (depth == 0) return text_from(begin, token.offset);
  }
}

std::string_view Lexer::skip_value() {
  std::size_t begin = token_.offset;
  std::size_t end = begin;
  for (;;) {
    const Token& token = token_;
    if (token.kind == Token::Kind::end) {
      if (end != begin) break;
      fail("a value");
    }
    if (token.is_punct(",") || token.is_punct("}") || token.is_punct(")") || token.is_punct("]") ||
        token.is_punct(">"))
      break;
    if (token.is_punct("(") || token.is_punct("{") || token.is_punct("[") || token.is_punct("<")) {
      std::string_view inner = skip_balanced();
      end = static_cast<std::size_t>(inner.data() - text_.data()) + inner.size() + 1;
    } else {
      Token taken = take();
      bool quoted = taken.kind == Token::Kind::string;
      end = static_cast<std::size_t>(taken.text.data() - text_.data()) + taken.text.size() + (quoted ? 1 : 0);
    }
  }
  return text_from(begin, end);
}

void Lexer::skip_to_line_word(const std::vector<std::string_view>& words) {
  while (token_.kind != Token::Kind::end) {
    if (token_.kind == Token::Kind::word &&
        std::find(words.begin(), words.end(), token_.text) != words.end()) {
      std::size_t start = text_.rfind('\n', token_.offset);
      start = start == std::string_view::npos ? 0 : start + 1;
      if (text_.substr(start, token_.offset - start).find_first_not_of(" \t\r") == std::string_view::npos)
        return;
    }
    if (token_.kind == Token::Kind::punct && token_.text == "\"") ++position_;
    advance();
  }
}

std::optional<std::int64_t> to_int64(std::string_view text) {
  bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 2 && text.substr(0, 2) == "0x") {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  constexpr std::uint64_t kMin = std::uint64_t{1} << 63;
  if (magnitude > (negative ? kMin : kMin - 1)) return std::nullopt;
  return negative ? static_cast<std::int64_t>(~magnitude + 1) : static_cast<std::int64_t>(magnitude);
}

}  // namespace bufferproof::model::mlir
