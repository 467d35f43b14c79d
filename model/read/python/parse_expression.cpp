#include <charconv>

#include "model/read/python/parser_impl.hpp"

namespace bufferproof::model::python {
namespace {

constexpr int kOr = 1, kAnd = 2, kNot = 3, kCompare = 4;

/// How strongly an infix operator binds (as Python's grammar orders them); 0 if the token is none.
int strength(const Token& token) {
  const std::string_view t = token.text;
  if (token.kind == TokenKind::name) {
    if (t == "or") return kOr;
    if (t == "and") return kAnd;
    return t == "in" || t == "is" || t == "not" ? kCompare : 0;
  }
  if (token.kind != TokenKind::op) return 0;
  if (t == "<" || t == ">" || t == "==" || t == "!=" || t == "<=" || t == ">=") return kCompare;
  if (t == "|") return 5;
  if (t == "^") return 6;
  if (t == "&") return 7;
  if (t == "<<" || t == ">>") return 8;
  if (t == "+" || t == "-") return 9;
  if (t == "*" || t == "/" || t == "//" || t == "%" || t == "@") return 10;
  return 0;
}

/// 64-bit value of an integer literal in any base, underscores left out; nullopt if it is larger or not an
/// integer.
std::optional<std::int64_t> integer_value(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0') {
    const char c = static_cast<char>(text[1] | 0x20);
    base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
  }
  std::string digits;
  for (char c : text.substr(base == 10 ? 0 : 2))
    if (c != '_') digits += c;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool is_integer_literal(std::string_view text) {
  if (text.size() > 1 && text[0] == '0' && std::string_view("xXoObB").find(text[1]) != std::string_view::npos)
    return true;
  return text.find_first_not_of("0123456789_") == std::string_view::npos;
}

bool is_real_literal(std::string_view text) {
  std::string clean;
  for (char c : text)
    if (c != '_') clean += c;
  if (!clean.empty() && (clean.back() == 'j' || clean.back() == 'J')) clean.pop_back();
  double value = 0;
  const auto [end, error] = std::from_chars(clean.data(), clean.data() + clean.size(), value);
  return error != std::errc::invalid_argument && end == clean.data() + clean.size();
}

}  // namespace

const Expr* Parser::single_expression() {
  const Expr* expr = expression_list();
  if (now_.kind == TokenKind::newline) advance();
  if (now_.kind != TokenKind::end) fail("the end of the expression");
  return expr;
}

const Expr* Parser::expression_list() {
  const Position at = now_.at;
  const Expr* first = element();
  if (!is_op(",")) return first;
  Exprs items{first};
  while (accept_op(",")) {
    const bool ends = now_.kind == TokenKind::newline || now_.kind == TokenKind::end || is_op("=") ||
                      is_op(";") || is_op(")") || is_op("]") || is_op(":") || is_word("in");
    if (ends) break;
    items.push_back(element());
  }
  return node(ExprKind::tuple, at, {}, items);
}

const Expr* Parser::element() {
  const Deeper deeper(*this);
  const Position at = now_.at;
  if (accept_op("*")) return node(ExprKind::starred, at, {}, {operation(5)});
  if (is_word("yield") || is_word("await")) return yield_or_await();
  const Expr* expr = expression();
  if (expr->kind == ExprKind::name && accept_op(":="))
    return node(ExprKind::binary, at, ":=", {expr, expression()});
  return expr;
}

const Expr* Parser::expression() {
  const Deeper deeper(*this);
  if (is_word("lambda")) return lambda();
  const Position at = now_.at;
  const Expr* value = operation(kOr);
  if (!accept_word("if")) return value;
  const Expr* test = operation(kOr);
  expect_word("else");
  return node(ExprKind::conditional, at, {}, {value, test, expression()});
}

const Expr* Parser::lambda() {
  const Position at = now_.at;
  const char* begin = now_.text.data();
  advance();
  parameters(":");
  expect_op(":");
  const Expr* body = expression();
  return node(ExprKind::lambda, at, {begin, static_cast<std::size_t>(last_end_ - begin)}, {body});
}

/// Operators that bind at least as strongly as `weakest`, by precedence climbing.
const Expr* Parser::operation(int weakest) {
  const Deeper deeper(*this);
  const Position at = now_.at;
  const Expr* left = nullptr;
  if (weakest <= kNot && is_word("not")) {
    advance();
    left = node(ExprKind::unary, at, "not", {operation(kNot)});
  } else {
    left = unary();
  }
  for (int level = strength(now_); level >= weakest && level > 0; level = strength(now_)) {
    const std::string_view op = now_.text;
    if (level == kCompare) {
      left = comparison(left, op, at);
      continue;
    }
    advance();
    const Expr* right = operation(level + 1);
    left = node(level <= kAnd ? ExprKind::boolean : ExprKind::binary, at, op, {left, right});
  }
  return left;
}

/// One comparison, or a chain of them: a < b < c means a < b and b < c.
const Expr* Parser::comparison(const Expr* left, std::string_view op, Position at) {
  const Expr* all = nullptr;
  while (strength(now_) == kCompare) {
    op = now_.text;
    advance();
    if (op == "not") {
      expect_word("in");
      op = "not in";
    } else if (op == "is" && accept_word("not")) {
      op = "is not";
    }
    const Expr* right = operation(kCompare + 1);
    const Expr* one = node(ExprKind::compare, at, op, {left, right});
    all = all ? node(ExprKind::boolean, at, "and", {all, one}) : one;
    left = right;
  }
  return all;
}

const Expr* Parser::unary() {
  const Deeper deeper(*this);
  const Position at = now_.at;
  if (!is_op("-") && !is_op("+") && !is_op("~")) return power();
  const std::string_view op = now_.text;
  advance();
  return node(ExprKind::unary, at, op, {unary()});
}

const Expr* Parser::power() {
  const Position at = now_.at;
  const Expr* base = is_word("await") ? yield_or_await() : postfix();
  if (!accept_op("**")) return base;
  return node(ExprKind::binary, at, "**", {base, unary()});
}

const Expr* Parser::postfix() {
  const Position at = now_.at;
  const Expr* base = atom();
  while (now_.kind == TokenKind::op) {
    if (accept_op(".")) {
      const std::string_view name = expect_name("an attribute's name");
      base = node(ExprKind::attribute, at, name, {base});
    } else if (is_op("(")) {
      base = call(base);
    } else if (is_op("[")) {
      base = subscript(base);
    } else {
      break;
    }
  }
  return base;
}

const Expr* Parser::call(const Expr* callee) {
  const char* begin = now_.text.data();
  advance();
  Exprs items{callee};
  while (!is_op(")")) {
    items.push_back(argument());
    if (is_word("for")) {  // f(x for x in y)
      items.back() = comprehension(items.back()->at, begin + 1, false);
      break;
    }
    if (!accept_op(",")) break;
  }
  expect_op(")");
  return node(ExprKind::call, callee->at, {}, items);
}

const Expr* Parser::argument() {
  const Position at = now_.at;
  if (accept_op("**")) return node(ExprKind::keyword, at, {}, {expression()});
  const Expr* value = element();
  if (value->kind != ExprKind::name || !accept_op("=")) return value;
  return node(ExprKind::keyword, at, value->text, {expression()});
}

const Expr* Parser::subscript(const Expr* base) {
  advance();
  const Position at = now_.at;
  Exprs items;
  bool comma = false;
  while (!is_op("]")) {
    items.push_back(subscript_item());
    if (!accept_op(",")) break;
    comma = true;
  }
  if (items.empty()) fail("an index");
  expect_op("]");
  const Expr* index = comma ? node(ExprKind::tuple, at, {}, items) : items[0];
  return node(ExprKind::subscript, base->at, {}, {base, index});
}

const Expr* Parser::subscript_item() {
  const Position at = now_.at;
  const Expr* part[3] = {nullptr, nullptr, nullptr};
  const auto ends = [&] { return is_op(":") || is_op("]") || is_op(","); };
  if (!ends()) part[0] = element();
  if (part[0] && !is_op(":")) return part[0];
  for (int i = 1; i < 3 && accept_op(":"); ++i)
    if (!ends()) part[i] = expression();
  return node(ExprKind::slice, at, {}, {part[0], part[1], part[2]});
}

const Expr* Parser::atom() {
  const Position at = now_.at;
  switch (now_.kind) {
    case TokenKind::number:
      return number();
    case TokenKind::string:
      return strings();
    case TokenKind::name: {
      const std::string_view word = now_.text;
      const bool constant = word == "None" || word == "True" || word == "False";
      if (!constant && is_keyword(word)) fail("an expression");
      advance();
      return node(constant ? ExprKind::constant : ExprKind::name, at, word);
    }
    default:
      break;
  }
  if (is_op("(")) return parenthesis();
  if (is_op("[")) return list();
  if (is_op("{")) return braces();
  if (accept_op("...")) return node(ExprKind::constant, at, "...");
  fail("an expression");
}

const Expr* Parser::strings() {
  Expr* first = node(ExprKind::string, now_.at, now_.text);
  advance();
  Exprs more;
  while (now_.kind == TokenKind::string) {
    more.push_back(node(ExprKind::string, now_.at, now_.text));
    advance();
  }
  set_items(*first, more);
  return first;
}

const Expr* Parser::number() {
  const bool integer = is_integer_literal(now_.text);
  if (!integer && !is_real_literal(now_.text)) fail("a number");
  Expr* expr = node(integer ? ExprKind::integer : ExprKind::real, now_.at, now_.text);
  if (integer) expr->value = integer_value(now_.text);
  advance();
  return expr;
}

const Expr* Parser::parenthesis() {
  const Position at = now_.at;
  const char* begin = now_.text.data();
  advance();
  if (accept_op(")")) return node(ExprKind::tuple, at);
  const Expr* inner = expression_list();
  if (is_word("for")) inner = comprehension(at, begin, true);
  expect_op(")");
  return inner;
}

const Expr* Parser::list() {
  const Position at = now_.at;
  const char* begin = now_.text.data();
  advance();
  Exprs items;
  while (!is_op("]")) {
    items.push_back(element());
    if (is_word("for")) {
      const Expr* opaque = comprehension(at, begin, true);
      expect_op("]");
      return opaque;
    }
    if (!accept_op(",")) break;
  }
  expect_op("]");
  return node(ExprKind::list, at, {}, items);
}

/// A dict, a set, or a comprehension of either.
const Expr* Parser::braces() {
  const Position at = now_.at;
  const char* begin = now_.text.data();
  advance();
  Exprs items;
  bool dict = true;
  while (!is_op("}")) {
    if (accept_op("**")) {
      items.push_back(nullptr);
      items.push_back(operation(5));
    } else {
      items.push_back(element());
      if (items.size() == 1) dict = is_op(":");
      if (dict) {
        expect_op(":");
        items.push_back(expression());
      }
    }
    if (is_word("for")) {
      const Expr* opaque = comprehension(at, begin, true);
      expect_op("}");
      return opaque;
    }
    if (!accept_op(",")) break;
  }
  expect_op("}");
  return node(dict ? ExprKind::dict : ExprKind::set, at, {}, items);
}

/// Skips to the bracket that ends the comprehension, which stays; the text from `begin` is kept, with that
/// bracket or without.
const Expr* Parser::comprehension(Position at, const char* begin, bool with_bracket) {
  for (std::size_t open = 0;; advance()) {
    if (now_.kind == TokenKind::end) fail("the end of the comprehension");
    if (is_op("(") || is_op("[") || is_op("{")) ++open;
    if (is_op(")") || is_op("]") || is_op("}")) {
      if (open == 0) break;
      --open;
    }
  }
  const char* end = with_bracket ? now_.text.data() + 1 : last_end_;
  return node(ExprKind::opaque, at, {begin, static_cast<std::size_t>(end - begin)});
}

const Expr* Parser::yield_or_await() {
  const Deeper deeper(*this);
  const Position at = now_.at;
  const char* begin = now_.text.data();
  advance();
  accept_word("from");
  if (now_.kind != TokenKind::newline && !is_op(")")) expression_list();
  return node(ExprKind::opaque, at, {begin, static_cast<std::size_t>(last_end_ - begin)});
}

}  // namespace bufferproof::model::python
