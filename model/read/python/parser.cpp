// Building nodes and stepping through tokens; the grammar is in parse_expression.cpp and parse_statement.cpp.
#include <algorithm>

#include "model/read/python/parser_impl.hpp"

namespace bufferproof::model::python {

Expr* Parser::node(ExprKind kind, Position at, std::string_view text) {
  if (++nodes_ > kMostNodes) fail("a program of at most 4 million expressions", "is this an output_code.py?");
  Expr* expr = new (arena_.allocate(sizeof(Expr), alignof(Expr))) Expr;
  expr->kind = kind;
  expr->at = at;
  expr->text = text;
  return expr;
}

const Expr* Parser::node(ExprKind kind, Position at, std::string_view text,
                         std::initializer_list<const Expr*> items) {
  Expr* expr = node(kind, at, text);
  set_items(*expr, {items.begin(), items.size()});
  return expr;
}

const Expr* Parser::node(ExprKind kind, Position at, std::string_view text, const Exprs& items) {
  Expr* expr = node(kind, at, text);
  set_items(*expr, items);
  return expr;
}

void Parser::set_items(Expr& expr, std::span<const Expr* const> items) {
  std::size_t depth = 0;
  for (const Expr* item : items) depth = std::max<std::size_t>(depth, item ? item->depth : 0);
  if (depth >= kMostTreeDepth) fail("an expression of at most 1000 levels", "is this an output_code.py?");
  expr.depth = static_cast<std::uint16_t>(depth + 1);
  expr.items = keep<const Expr*>(items);
}

Stmt* Parser::stmt(StmtKind kind, Position at) {
  if (++nodes_ > kMostNodes) fail("a program of at most 4 million expressions", "is this an output_code.py?");
  Stmt* out = new (arena_.allocate(sizeof(Stmt), alignof(Stmt))) Stmt;
  out->kind = kind;
  out->at = at;
  return out;
}

void Parser::advance() {
  last_end_ = now_.text.data() + now_.text.size();
  now_ = tokens_.next();
}

bool Parser::accept_op(std::string_view text) {
  if (!is_op(text)) return false;
  advance();
  return true;
}

bool Parser::accept_word(std::string_view text) {
  if (!is_word(text)) return false;
  advance();
  return true;
}

void Parser::expect_op(std::string_view text) {
  if (!accept_op(text)) fail("'" + std::string(text) + "'");
}

void Parser::expect_word(std::string_view text) {
  if (!accept_word(text)) fail("'" + std::string(text) + "'");
}

std::string_view Parser::expect_name(const char* what) {
  if (now_.kind != TokenKind::name || is_keyword(now_.text)) fail(what);
  const std::string_view name = now_.text;
  advance();
  return name;
}

void Parser::expect_newline() {
  if (now_.kind == TokenKind::end) return;
  if (now_.kind != TokenKind::newline) fail("the end of the statement");
  advance();
}

std::string Parser::found() const {
  switch (now_.kind) {
    case TokenKind::end:
      return "the end of the file";
    case TokenKind::newline:
      return "the end of the line";
    case TokenKind::indent:
      return "a deeper indentation";
    case TokenKind::dedent:
      return "the end of the block";
    default:
      return "'" + std::string(now_.text.substr(0, 60)) + "'";
  }
}

void Parser::fail(const std::string& expected, const std::string& hint) const {
  const bool truncated = now_.kind == TokenKind::end;
  throw InputError(source_.locate(now_.at), expected, found(),
                   hint.empty() && truncated ? "the file seems truncated" : hint);
}

namespace {

Module new_module(SourceText source) {
  Module module;
  module.source = std::make_shared<const SourceText>(std::move(source));
  module.arena = std::make_shared<std::pmr::monotonic_buffer_resource>();
  return module;
}

}  // namespace

Module parse_module(SourceText source) {
  Module module = new_module(std::move(source));
  Parser parser(*module.source, *module.arena);
  module.body = parser.module();
  module.comments = parser.comments();
  return module;
}

ExpressionModule parse_expression_text(SourceText source) {
  Module module = new_module(std::move(source));
  Parser parser(*module.source, *module.arena);
  const Expr* expr = parser.single_expression();
  return {std::move(module), expr};
}

}  // namespace bufferproof::model::python
