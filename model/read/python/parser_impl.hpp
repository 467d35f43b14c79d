// The recursive-descent parser behind parser.hpp: one class, expressions in parse_expression.cpp, statements
// in parse_statement.cpp. One token of look-ahead. Private to this folder.
#pragma once

#include <initializer_list>

#include "model/read/python/parser.hpp"

namespace bufferproof::model::python {

class Parser {
 public:
  static constexpr std::size_t kMostDepth = 200;       ///< of nested expressions: recursion of this parser
  static constexpr std::size_t kMostTreeDepth = 1000;  ///< of any tree: a + b + c + ... is deep to the left
  static constexpr std::size_t kMostNodes = std::size_t{1} << 22;

  Parser(const SourceText& source, std::pmr::memory_resource& arena);
  std::span<const Stmt* const> module();
  const Expr* single_expression();
  const std::vector<Comment>& comments() const { return tokens_.comments(); }

 private:
  using Exprs = std::vector<const Expr*>;
  using Stmts = std::vector<const Stmt*>;

  // Expressions, weakest binding first.
  const Expr* expression_list();  ///< a, *b, c: a tuple where there is a comma
  const Expr* element();          ///< an expression, a starred one, or a named one (`:=`)
  const Expr* expression();       ///< lambda and the conditional
  const Expr* lambda();
  const Expr* operation(int weakest);
  const Expr* comparison(const Expr* left, std::string_view op, Position at);
  const Expr* unary();
  const Expr* power();
  const Expr* postfix();
  const Expr* call(const Expr* callee);
  const Expr* argument();
  const Expr* subscript(const Expr* base);
  const Expr* subscript_item();
  const Expr* atom();
  const Expr* strings();
  const Expr* number();
  const Expr* parenthesis();
  const Expr* list();
  const Expr* braces();
  const Expr* comprehension(Position at, const char* begin, bool with_bracket);
  const Expr* yield_or_await();

  // Statements.
  void statement(Stmts& out);
  void simple_line(Stmts& out);
  const Stmt* simple();
  const Stmt* expression_statement();
  const Stmt* assignment(const Expr* first, Position at);
  const Stmt* compound(const Exprs& decorators);
  const Stmt* decorated();
  const Stmt* def(const Exprs& decorators);
  const Stmt* class_def(const Exprs& decorators);
  const Stmt* if_statement();
  const Stmt* while_statement();
  const Stmt* for_statement();
  const Expr* for_target();
  const Stmt* with_statement();
  const Stmt* try_statement();
  const Stmt* import_statement();
  const Stmt* from_statement();
  const Stmt* value_statement(StmtKind kind);
  const Stmt* del_statement();
  const Stmt* assert_statement();
  const Stmt* global_statement();
  std::span<const Stmt* const> block();
  std::span<const Stmt* const> else_block();
  std::vector<Param> parameters(std::string_view end);
  Param parameter(bool annotated);
  ImportName import_name();
  std::string_view dotted();

  // Building.
  Expr* node(ExprKind kind, Position at, std::string_view text = {});
  const Expr* node(ExprKind kind, Position at, std::string_view text,
                   std::initializer_list<const Expr*> items);
  const Expr* node(ExprKind kind, Position at, std::string_view text, const Exprs& items);
  Stmt* stmt(StmtKind kind, Position at);
  void set_items(Expr& expr, std::span<const Expr* const> items);
  template <typename T>
  std::span<const T> keep(std::span<const T> items);

  // Tokens.
  void advance();
  bool is_op(std::string_view text) const { return now_.kind == TokenKind::op && now_.text == text; }
  bool is_word(std::string_view text) const { return now_.kind == TokenKind::name && now_.text == text; }
  bool accept_op(std::string_view text);
  bool accept_word(std::string_view text);
  void expect_op(std::string_view text);
  void expect_word(std::string_view text);
  std::string_view expect_name(const char* what);
  void expect_newline();
  [[noreturn]] void fail(const std::string& expected, const std::string& hint = "") const;
  std::string found() const;

  class Deeper;
  const SourceText& source_;
  std::pmr::memory_resource& arena_;
  Tokenizer tokens_;
  Token now_;
  const char* last_end_ = nullptr;  ///< the end of the token before `now_`
  std::size_t depth_ = 0;
  std::size_t nodes_ = 0;
};

/// Counts one level of recursion of the parser while it lives.
class Parser::Deeper {
 public:
  explicit Deeper(Parser& parser) : parser_(parser) {
    if (++parser_.depth_ > kMostDepth)
      parser_.fail("at most 200 levels of nesting", "is this an output_code.py?");
  }
  ~Deeper() { --parser_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  Parser& parser_;
};

bool is_keyword(std::string_view word);

template <typename T>
std::span<const T> Parser::keep(std::span<const T> items) {
  if (items.empty()) return {};
  T* to = static_cast<T*>(arena_.allocate(items.size_bytes(), alignof(T)));
  std::uninitialized_copy(items.begin(), items.end(), to);
  return {to, items.size()};
}

}  // namespace bufferproof::model::python
