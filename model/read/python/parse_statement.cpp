#include <algorithm>
#include <array>

#include "model/read/python/parser_impl.hpp"

namespace bufferproof::model::python {
namespace {

constexpr std::array<std::string_view, 33> kKeywords = {
    "False", "None",   "True", "and",   "as",     "assert",   "break", "class", "continue",
    "def",   "del",    "elif", "else",  "except", "finally",  "for",   "from",  "global",
    "if",    "import", "in",   "is",    "lambda", "nonlocal", "not",   "or",    "pass",
    "raise", "return", "try",  "while", "with",   "yield"};

constexpr std::array<std::string_view, 13> kAugmented = {
    "+=", "-=", "*=", "/=", "//=", "%=", "@=", "**=", ">>=", "<<=", "&=", "|=", "^="};

template <typename Array>
bool contains(const Array& array, std::string_view word) {
  return std::find(array.begin(), array.end(), word) != array.end();
}

}  // namespace

bool is_keyword(std::string_view word) { return contains(kKeywords, word); }

Parser::Parser(const SourceText& source, std::pmr::memory_resource& arena)
    : source_(source), arena_(arena), tokens_(source), now_(tokens_.next()) {}

std::span<const Stmt* const> Parser::module() {
  Stmts body;
  while (now_.kind != TokenKind::end) statement(body);
  return keep<const Stmt*>(body);
}

void Parser::statement(Stmts& out) {
  if (now_.kind == TokenKind::newline) return advance();
  if (now_.kind == TokenKind::indent)
    fail("a statement indented as the one before it",
         "remove the blanks before it, or indent the whole block");
  if (is_op("@")) return out.push_back(decorated());
  if (const Stmt* block = compound({})) return out.push_back(block);
  simple_line(out);
}

void Parser::simple_line(Stmts& out) {
  do {
    if (now_.kind == TokenKind::newline) break;  // a `;` may end the line
    out.push_back(simple());
  } while (accept_op(";"));
  expect_newline();
}

/// A compound statement if one begins here, else null.
const Stmt* Parser::compound(const Exprs& decorators) {
  if (now_.kind != TokenKind::name) return nullptr;
  const std::string_view word = now_.text;
  if (word == "def") return def(decorators);
  if (word == "class") return class_def(decorators);
  if (word == "if") return if_statement();
  if (word == "while") return while_statement();
  if (word == "for") return for_statement();
  if (word == "with") return with_statement();
  if (word == "try") return try_statement();
  return nullptr;
}

const Stmt* Parser::decorated() {
  Exprs decorators;
  while (accept_op("@")) {
    decorators.push_back(element());
    expect_newline();
  }
  if (is_word("def")) return def(decorators);
  if (is_word("class")) return class_def(decorators);
  fail("the function or class that is decorated");
}

const Stmt* Parser::simple() {
  if (now_.kind == TokenKind::name) {
    const std::string_view word = now_.text;
    if (word == "return") return value_statement(StmtKind::return_);
    if (word == "raise") return value_statement(StmtKind::raise);
    if (word == "pass") return value_statement(StmtKind::pass);
    if (word == "break") return value_statement(StmtKind::break_);
    if (word == "continue") return value_statement(StmtKind::continue_);
    if (word == "del") return del_statement();
    if (word == "assert") return assert_statement();
    if (word == "import") return import_statement();
    if (word == "from") return from_statement();
    if (word == "global" || word == "nonlocal") return global_statement();
  }
  return expression_statement();
}

const Stmt* Parser::expression_statement() {
  const Position at = now_.at;
  const Expr* first = expression_list();
  if (is_op("=")) return assignment(first, at);
  if (now_.kind == TokenKind::op && contains(kAugmented, now_.text)) {
    Stmt* out = stmt(StmtKind::augmented, at);
    out->text = now_.text;
    advance();
    out->targets = keep<const Expr*>(Exprs{first});
    out->value = expression_list();
    return out;
  }
  Stmt* out = stmt(is_op(":") ? StmtKind::annotated : StmtKind::expr, at);
  if (!accept_op(":")) {
    out->value = first;
    return out;
  }
  out->targets = keep<const Expr*>(Exprs{first});
  out->extra = expression();
  if (accept_op("=")) out->value = expression_list();
  return out;
}

const Stmt* Parser::assignment(const Expr* first, Position at) {
  Exprs parts{first};
  while (accept_op("=")) parts.push_back(expression_list());
  Stmt* out = stmt(StmtKind::assign, at);
  out->value = parts.back();
  parts.pop_back();
  out->targets = keep<const Expr*>(parts);
  return out;
}

const Stmt* Parser::value_statement(StmtKind kind) {
  Stmt* out = stmt(kind, now_.at);
  advance();
  const bool takes = kind == StmtKind::return_ || kind == StmtKind::raise;
  if (takes && now_.kind != TokenKind::newline && !is_op(";")) out->value = expression_list();
  if (kind == StmtKind::raise && accept_word("from")) out->extra = expression();
  return out;
}

const Stmt* Parser::del_statement() {
  Stmt* out = stmt(StmtKind::del, now_.at);
  advance();
  const Expr* what = expression_list();
  out->targets = what->kind == ExprKind::tuple ? what->items : keep<const Expr*>(Exprs{what});
  return out;
}

const Stmt* Parser::assert_statement() {
  Stmt* out = stmt(StmtKind::assert_, now_.at);
  advance();
  out->value = expression();
  if (accept_op(",")) out->extra = expression();
  return out;
}

const Stmt* Parser::global_statement() {
  Stmt* out = stmt(StmtKind::global, now_.at);
  advance();
  std::vector<ImportName> names;
  do {
    names.push_back({expect_name("a name"), {}});
  } while (accept_op(","));
  out->names = keep<ImportName>(names);
  return out;
}

std::string_view Parser::dotted() {
  const char* begin = now_.text.data();
  while (accept_op(".") || accept_op("...")) {
  }
  if (!is_word("import")) expect_name("a module's name");
  while (accept_op(".")) expect_name("a module's name");
  return {begin, static_cast<std::size_t>(last_end_ - begin)};
}

ImportName Parser::import_name() {
  ImportName name;
  name.text = dotted();
  if (accept_word("as")) name.alias = expect_name("a name");
  return name;
}

const Stmt* Parser::import_statement() {
  Stmt* out = stmt(StmtKind::import, now_.at);
  advance();
  std::vector<ImportName> names;
  do {
    names.push_back(import_name());
  } while (accept_op(","));
  out->names = keep<ImportName>(names);
  return out;
}

const Stmt* Parser::from_statement() {
  Stmt* out = stmt(StmtKind::from, now_.at);
  advance();
  out->text = dotted();
  expect_word("import");
  std::vector<ImportName> names;
  if (accept_op("*")) {
    names.push_back({"*", {}});
  } else {
    const bool bracket = accept_op("(");
    do {
      if (is_op(")")) break;
      names.push_back(import_name());
    } while (accept_op(","));
    if (bracket) expect_op(")");
  }
  out->names = keep<ImportName>(names);
  return out;
}

std::span<const Stmt* const> Parser::block() {
  const Deeper deeper(*this);
  expect_op(":");
  Stmts body;
  if (now_.kind != TokenKind::newline) {
    simple_line(body);
    return keep<const Stmt*>(body);
  }
  advance();
  if (now_.kind != TokenKind::indent) fail("an indented block");
  advance();
  while (now_.kind != TokenKind::dedent && now_.kind != TokenKind::end) statement(body);
  if (now_.kind == TokenKind::dedent) advance();
  return keep<const Stmt*>(body);
}

std::span<const Stmt* const> Parser::else_block() {
  if (!accept_word("else")) return {};
  return block();
}

const Stmt* Parser::if_statement() {
  const Deeper deeper(*this);
  Stmt* out = stmt(StmtKind::if_, now_.at);
  advance();
  out->value = element();
  out->body = block();
  out->orelse = is_word("elif") ? keep<const Stmt*>(Stmts{if_statement()}) : else_block();
  return out;
}

const Stmt* Parser::while_statement() {
  Stmt* out = stmt(StmtKind::while_, now_.at);
  advance();
  out->value = element();
  out->body = block();
  out->orelse = else_block();
  return out;
}

/// Not a whole expression: `in` ends the targets.
const Expr* Parser::for_target() {
  const Position at = now_.at;
  Exprs targets;
  bool comma = false;
  do {
    if (is_word("in") && comma) break;
    targets.push_back(postfix());
    comma |= is_op(",");
  } while (accept_op(","));
  return comma ? node(ExprKind::tuple, at, {}, targets) : targets[0];
}

const Stmt* Parser::for_statement() {
  Stmt* out = stmt(StmtKind::for_, now_.at);
  advance();
  out->targets = keep<const Expr*>(Exprs{for_target()});
  expect_word("in");
  out->value = expression_list();
  out->body = block();
  out->orelse = else_block();
  return out;
}

const Stmt* Parser::with_statement() {
  Stmt* out = stmt(StmtKind::with, now_.at);
  advance();
  Exprs contexts;
  do {
    contexts.push_back(expression());
    if (accept_word("as")) postfix();
  } while (accept_op(","));
  out->targets = keep<const Expr*>(contexts);
  out->body = block();
  return out;
}

const Stmt* Parser::try_statement() {
  Stmt* out = stmt(StmtKind::try_, now_.at);
  advance();
  out->body = block();
  Stmts rest;
  while (is_word("except") || is_word("else") || is_word("finally")) {
    const bool except = is_word("except");
    advance();
    if (except && !is_op(":")) {
      accept_op("*");
      expression_list();
      if (accept_word("as")) expect_name("a name");
    }
    const auto body = block();
    rest.insert(rest.end(), body.begin(), body.end());
  }
  out->orelse = keep<const Stmt*>(rest);
  return out;
}

const Stmt* Parser::def(const Exprs& decorators) {
  Stmt* out = stmt(StmtKind::def, now_.at);
  advance();
  out->text = expect_name("a function's name");
  expect_op("(");
  out->params = keep<Param>(parameters(")"));
  expect_op(")");
  if (accept_op("->")) out->extra = expression();
  out->decorators = keep<const Expr*>(decorators);
  out->body = block();
  return out;
}

/// Parameters up to `end`, which stays: ")" of a def, ":" of a lambda (whose parameters have no annotations).
std::vector<Param> Parser::parameters(std::string_view end) {
  std::vector<Param> params;
  while (!is_op(end)) {
    params.push_back(parameter(end == ")"));
    if (!accept_op(",")) break;
  }
  return params;
}

Param Parser::parameter(bool annotated) {
  Param param;
  param.at = now_.at;
  const char* begin = now_.text.data();
  const bool star = accept_op("*");
  const bool marker = (star && (is_op(",") || is_op(")") || is_op(":"))) || accept_op("/");
  if (!marker) {
    if (!star) accept_op("**");
    expect_name("a parameter's name");
  }
  param.name = {begin, static_cast<std::size_t>(last_end_ - begin)};
  if (annotated && accept_op(":")) param.annotation = expression();
  if (accept_op("=")) param.fallback = expression();
  return param;
}

const Stmt* Parser::class_def(const Exprs& decorators) {
  Stmt* out = stmt(StmtKind::class_, now_.at);
  advance();
  out->text = expect_name("a class's name");
  Exprs bases;
  if (accept_op("(")) {
    while (!is_op(")")) {
      bases.push_back(argument());
      if (!accept_op(",")) break;
    }
    expect_op(")");
  }
  out->targets = keep<const Expr*>(bases);
  out->decorators = keep<const Expr*>(decorators);
  out->body = block();
  return out;
}

}  // namespace bufferproof::model::python
