#include "model/read/python/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace bufferproof::model::python {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); }
bool in_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)); }
bool is_quote(char c) { return c == '\'' || c == '"'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::string shown(char c) {
  if (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F)
    return std::string("'") + c + "'";
  return "byte " + std::to_string(static_cast<unsigned char>(c));
}

/// Longest first, so that the first that matches is the right one.
constexpr std::array<std::string_view, 24> kLongOps = {
    "**=", "//=", ">>=", "<<=", "...", "->", ":=", "==", "!=", "<=", ">=", "<<",
    ">>",  "**",  "//",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "@="};
constexpr std::string_view kOps = "+-*/%@&|^~<>=.,:;()[]{}!";

}  // namespace

Tokenizer::Tokenizer(const SourceText& source) : source_(source), text_(source.text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) at_ = code_begin_ = kByteOrderMark.size();
}

void Tokenizer::fail(Position at, const std::string& expected, const std::string& found,
                     const std::string& hint) const {
  throw InputError(source_.locate(at), expected, found, hint);
}

Token Tokenizer::next() {
  if (line_start_ || pending_dedents_ > 0) {
    const Token token = layout();
    if (token.kind != TokenKind::end || done()) return token;
  }
  while (skip_blank()) {
  }
  if (done()) return end_of_text();
  if (at_ - code_begin_ > kLongestLine)
    fail(here(), "a line of code of at most 4 MiB", "a longer one", "is this an output_code.py?");
  const char c = peek();
  if (c == '\n') {
    const Token token{TokenKind::newline, text_.substr(at_, 1), here()};
    start_line();
    line_start_ = true;
    line_open_ = false;
    return token;
  }
  line_open_ = true;
  if (starts_name(c)) {
    const std::size_t prefix = string_prefix();
    return prefix > 0 ? string(prefix) : word();
  }
  if (is_quote(c)) return string(0);
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  return op();
}

/// INDENT and DEDENT at the begin of a logical line; a token of kind `end` where there is nothing to tell.
Token Tokenizer::layout() {
  if (pending_dedents_ > 0) {
    --pending_dedents_;
    return {TokenKind::dedent, {}, here()};
  }
  std::size_t width = measure_indent();
  while (!done() && (peek() == '\n' || peek() == '#' || peek() == '\r')) {  // lines without code do not count
    if (peek() == '#') skip_comment();
    while (peek() == '\r') ++at_;
    if (peek() == '\n') start_line();
    width = measure_indent();
  }
  line_start_ = false;
  if (done()) return end_of_text();
  return indentation(width);
}

Token Tokenizer::indentation(std::size_t width) {
  if (width > indents_.back()) {
    if (indents_.size() > kMostIndents) fail(here(), "at most 100 nested blocks", "another one");
    indents_.push_back(width);
    return {TokenKind::indent, {}, here()};
  }
  if (width == indents_.back()) return {};
  std::size_t closed = 0;
  while (width < indents_.back()) {
    indents_.pop_back();
    ++closed;
  }
  if (width != indents_.back())
    fail(here(), "an indentation that an enclosing block has", std::to_string(width) + " columns",
         "indent this line as the block it belongs to");
  pending_dedents_ = closed - 1;
  return {TokenKind::dedent, {}, here()};
}

Token Tokenizer::end_of_text() {
  if (!brackets_.empty())
    fail(brackets_.back().at, "a bracket that closes this " + shown(brackets_.back().open),
         "the end of the file", "the file seems truncated");
  line_start_ = false;
  if (line_open_) {
    line_open_ = false;
    return {TokenKind::newline, {}, here()};
  }
  if (indents_.size() > 1) {
    indents_.pop_back();
    return {TokenKind::dedent, {}, here()};
  }
  return {TokenKind::end, {}, here()};
}

std::size_t Tokenizer::measure_indent() {
  std::size_t width = 0;
  for (; !done(); ++at_) {
    if (peek() == ' ') {
      ++width;
    } else if (peek() == '\t') {
      width = (width / 8 + 1) * 8;
    } else if (peek() == '\f') {
      width = 0;
    } else {
      break;
    }
  }
  return width;
}

/// Skips blanks, comments, joined lines; true if it skipped something and should be called again.
bool Tokenizer::skip_blank() {
  const char c = peek();
  if (done()) return false;
  if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
    ++at_;
  } else if (c == '#') {
    skip_comment();
  } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
    at_ += peek(1) == '\n' ? 1 : 2;
    start_line();
  } else if (c == '\n' && !brackets_.empty()) {
    start_line();
  } else {
    return false;
  }
  return true;
}

void Tokenizer::skip_comment() {
  const std::size_t begin = at_;
  const Position at = here();
  at_ = std::min(text_.find('\n', at_), text_.size());
  comments_.push_back({text_.substr(begin, at_ - begin), at});
}

void Tokenizer::start_line() {
  ++at_;
  ++line_;
  line_begin_ = code_begin_ = at_;
}

Token Tokenizer::word() {
  const std::size_t begin = at_;
  const Position at = here();
  while (!done() && in_name(peek())) ++at_;
  return make(TokenKind::name, begin, at);
}

Token Tokenizer::number() {
  const std::size_t begin = at_;
  const Position at = here();
  const bool based =
      peek() == '0' && std::string_view("xXoObB").find(peek(1)) != std::string_view::npos && peek(1);
  while (!done() && (in_name(peek()) || peek() == '.')) {
    const bool exponent = !based && (peek() == 'e' || peek() == 'E') && (peek(1) == '+' || peek(1) == '-');
    at_ += exponent ? 2 : 1;
  }
  return make(TokenKind::number, begin, at);
}

/// The length of a string's prefix (r, b, u, f in either case, at most two) if a string begins here, else 0.
std::size_t Tokenizer::string_prefix() const {
  for (std::size_t length = 1; length <= 2; ++length) {
    if (std::string_view("rRbBuUfF").find(peek(length - 1)) == std::string_view::npos || !peek(length - 1))
      return 0;
    if (is_quote(peek(length))) return length;
  }
  return 0;
}

Token Tokenizer::string(std::size_t prefix) {
  const std::size_t begin = at_;
  const Position at = here();
  at_ += prefix;
  const char quote = peek();
  const bool triple = peek(1) == quote && peek(2) == quote;
  at_ += triple ? 3 : 1;
  string_body(quote, triple, at);
  code_begin_ = at_;
  return make(TokenKind::string, begin, at);
}

void Tokenizer::string_body(char quote, bool triple, Position begin) {
  for (; !done(); ++at_) {
    const char c = peek();
    if (c == '\\' && at_ + 1 < text_.size()) ++at_;  // in raw strings too a backslash guards the quote
    if (peek() == '\n') {
      if (!triple && c != '\\') break;
      ++line_;
      line_begin_ = at_ + 1;
    }
    if (c != quote) continue;
    if (triple && (peek(1) != quote || peek(2) != quote)) continue;
    at_ += triple ? 3 : 1;
    return;
  }
  fail(begin, triple ? "three quotes that end this string" : "a quote that ends this string on its line",
       done() ? "the end of the file" : "the end of the line", done() ? "the file seems truncated" : "");
}

Token Tokenizer::op() {
  const std::size_t begin = at_;
  const Position at = here();
  for (std::string_view candidate : kLongOps) {
    if (text_.substr(at_, candidate.size()) != candidate) continue;
    at_ += candidate.size();
    return make(TokenKind::op, begin, at);
  }
  const char c = peek();
  if (c == '\0' || kOps.find(c) == std::string_view::npos)
    fail(at, "Python source", shown(c), "is this an output_code.py?");
  if (c == '(' || c == '[' || c == '{') open(c);
  if (c == ')' || c == ']' || c == '}') close(c);
  ++at_;
  return make(TokenKind::op, begin, at);
}

void Tokenizer::open(char bracket) {
  if (brackets_.size() >= kMostBrackets) fail(here(), "at most 200 nested brackets", "another one");
  brackets_.push_back({bracket, here()});
}

void Tokenizer::close(char bracket) {
  const char want = bracket == ')' ? '(' : bracket == ']' ? '[' : '{';
  if (brackets_.empty()) fail(here(), "a bracket that this one closes", shown(bracket));
  if (brackets_.back().open != want)
    fail(here(), "a bracket that closes the " + shown(brackets_.back().open) + " before it", shown(bracket));
  brackets_.pop_back();
}

}  // namespace bufferproof::model::python
