#include "model/read/bufprog/cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bufferproof::model::bufprog {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Longest first: "//" before "/".
constexpr std::array<std::string_view, 26> kOperators{"..", "->", "==", "!=", "<=", ">=", "//", "[", "]",
                                                      "(",  ")",  "{",  "}",  ":",  ";",  ",",  "|", "&",
                                                      "=",  "<",  ">",  "+",  "-",  "*",  "%",  "/"};

std::string_view operator_at(std::string_view rest) {
  for (std::string_view op : kOperators)
    if (rest.substr(0, op.size()) == op) return op;
  return {};
}

std::size_t word_length(std::string_view rest) {
  std::size_t n = 0;
  while (n < rest.size() && (is_letter(rest[n]) || is_digit(rest[n]))) ++n;
  return n;
}

std::size_t number_length(std::string_view rest) {
  std::size_t n = 0;
  while (n < rest.size() && is_digit(rest[n])) ++n;
  return n;
}

char closing(std::string_view open) {
  if (open == "(") return ')';
  if (open == "[") return ']';
  return open == "{" ? '}' : '\0';
}

bool is_closing(std::string_view text) { return text == ")" || text == "]" || text == "}"; }

}  // namespace

Cursor::Cursor(std::string_view line, LinePlace place) : place_(std::move(place)) {
  split(line);
  match_brackets();
}

void Cursor::split(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size()) {
    const std::string_view rest = line.substr(at);
    const int column = place_.first_column + static_cast<int>(at);
    if (rest[0] == ' ') {
      ++at;
      continue;
    }
    Token token{TokenKind::op, operator_at(rest), column, 0};
    if (is_letter(rest[0])) token = {TokenKind::name, rest.substr(0, word_length(rest)), column, 0};
    if (is_digit(rest[0])) token = {TokenKind::number, rest.substr(0, number_length(rest)), column, 0};
    if (token.text.empty())
      throw InputError(where(token), "a statement of the notation",
                       fmt::format("the character 0x{:02x}", static_cast<unsigned char>(rest[0])),
                       "names are letters, digits and '_'; indent with blanks");
    tokens_.push_back(token);
    at += token.text.size();
  }
  tokens_.push_back({TokenKind::end, "", place_.first_column + static_cast<int>(line.size()), 0});
}

void Cursor::match_brackets() {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != TokenKind::op) continue;
    if (closing(tokens_[i].text) != '\0') open.push_back(i);
    if (!is_closing(tokens_[i].text)) continue;
    if (open.empty() || closing(tokens_[open.back()].text) != tokens_[i].text[0])
      throw InputError(where(tokens_[i]), "an opening bracket before it",
                       "'" + std::string(tokens_[i].text) + "'");
    tokens_[open.back()].match = i;
    open.pop_back();
  }
  if (!open.empty())
    throw InputError(where(tokens_[open.back()]), "a closing bracket on the same line",
                     "'" + std::string(tokens_[open.back()].text) + "' that stays open");
}

const Token& Cursor::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

Token Cursor::next() {
  const Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Cursor::accept(std::string_view text) {
  if (!at(text)) return false;
  next();
  return true;
}

Token Cursor::expect(std::string_view text, const std::string& hint) {
  if (!at(text)) fail("'" + std::string(text) + "'", hint);
  return next();
}

Token Cursor::expect_name(const std::string& what) {
  if (!at_name()) fail(what);
  return next();
}

void Cursor::expect_end() {
  if (!done()) fail("the end of the statement");
}

bool Cursor::adjacent() const {
  if (at_ == 0) return false;
  const Token& before = tokens_[at_ - 1];
  return before.column + static_cast<int>(before.text.size()) == peek().column;
}

std::size_t Cursor::find(std::string_view text, std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens_[i].text == text) return i;
    if (tokens_[i].match > i) i = tokens_[i].match;
  }
  return end;
}

void Cursor::fail(const std::string& expected, const std::string& hint) const {
  throw InputError(here(), expected, done() ? "the end of the line" : "'" + std::string(peek().text) + "'",
                   hint);
}

}  // namespace bufferproof::model::bufprog
