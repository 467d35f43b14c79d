#include "model/read/bufprog/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

namespace bufferproof::model::bufprog {
namespace {

constexpr std::array<std::string_view, 7> kReserved{"True", "False", "and", "or", "not", "min", "max"};
constexpr std::array<std::string_view, 6> kComparisons{"==", "!=", "<=", ">=", "<", ">"};
constexpr std::array<std::string_view, 6> kArithmetic{"+", "-", "*", "//", "%", "/"};

template <std::size_t n>
bool one_of(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Counts atoms of the expanded tree, stopping once there are more than `most`.
std::size_t weight(const SymExpr& e, std::size_t most) {
  std::size_t total = 1;
  for (const Term& term : e.terms())
    for (const AtomRef& atom : term.atoms) {
      ++total;
      for (const SymExpr& argument : atom->arguments) {
        if (total > most) return total;
        total += weight(argument, most - total);
      }
      if (total > most) return total;
    }
  return total;
}

[[noreturn]] void too_large(const Cursor& cursor, const Token& at) {
  throw InputError(cursor.where(at), "an expression of at most 500 parts after multiplying out",
                   "a larger one");
}

SymExpr guarded(const Cursor& cursor, const Token& at, const std::function<SymExpr()>& build) {
  SymExpr out;
  try {
    out = build();
  } catch (const OverflowError& error) {
    throw InputError(cursor.where(at), "an integer expression of 64 bits", error.what());
  }
  if (weight(out, kLargestExpression) > kLargestExpression) too_large(cursor, at);
  return out;
}

class Parser {
 public:
  Parser(Cursor& cursor, const Scope& scope) : cursor_(cursor), scope_(scope) {}

  SymExpr sum() {
    SymExpr left = term();
    while (cursor_.at("+") || cursor_.at("-")) {
      const Token op = cursor_.next();
      const SymExpr right = term();
      left = guarded(op, [&] { return op.text == "+" ? left + right : left - right; });
    }
    return left;
  }

  Cond disjunction() {
    Cond left = conjunction();
    while (cursor_.accept("or")) left = left || conjunction();
    return left;
  }

 private:
  /// One level of nesting of the text, given back at the end of the block.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestExpression)
        parser_.cursor_.fail("at most 100 nested brackets", "name parts of the expression with `param`");
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  SymExpr guarded(const Token& at, const std::function<SymExpr()>& build) const {
    return bufprog::guarded(cursor_, at, build);
  }

  SymExpr term() {
    SymExpr left = unary();
    while (cursor_.at("*") || cursor_.at("//") || cursor_.at("%") || cursor_.at("/")) {
      const Token op = cursor_.next();
      if (op.text == "/")
        throw InputError(cursor_.where(op), "an integer operator", "'/'", "write // for floor division");
      const SymExpr right = unary();
      left = guarded(op, [&] { return apply(op, left, right); });
    }
    return left;
  }

  SymExpr apply(const Token& op, const SymExpr& left, const SymExpr& right) const {
    if (op.text == "//") return floordiv(left, right);
    return op.text == "%" ? mod(left, right) : bounded_product(cursor_, op, left, right);
  }

  SymExpr unary() {
    if (!cursor_.at("-")) return primary();
    const Token op = cursor_.next();
    const Level level(*this);
    const SymExpr operand = unary();
    return guarded(op, [&] { return -operand; });
  }

  SymExpr primary() {
    if (cursor_.peek().kind == TokenKind::number) {
      const Token token = cursor_.next();
      return {number_value(cursor_, token)};
    }
    if (cursor_.at("(")) {
      const Level level(*this);
      cursor_.next();
      SymExpr inner = sum();
      cursor_.expect(")");
      return inner;
    }
    if (!cursor_.at_name()) cursor_.fail("a number, a name or '('");
    return cursor_.peek(1).text == "(" ? call() : symbol();
  }

  SymExpr call() {
    if (!cursor_.at("min") && !cursor_.at("max"))
      cursor_.fail("min(..) or max(..)", "the notation has no other functions");
    const Level level(*this);
    const Token name = cursor_.next();
    cursor_.expect("(");
    SymExpr value = sum();
    while (cursor_.accept(",")) {
      const SymExpr other = sum();
      value = guarded(name, [&] { return name.text == "min" ? min(value, other) : max(value, other); });
    }
    cursor_.expect(")");
    return value;
  }

  SymExpr symbol() {
    const std::string name(cursor_.peek().text);
    if (is_reserved_word(name)) cursor_.fail("a number, a name or '('");
    const SymExpr* meaning = scope_.find(name);
    if (!meaning && !scope_.open())
      cursor_.fail("a param or loop variable", "declare it before this line: param " + name + " = 1 in 1..8");
    cursor_.next();
    return meaning ? *meaning : SymExpr::symbol(name);
  }

  Cond conjunction() {
    Cond left = negation();
    while (cursor_.accept("and")) left = left && negation();
    return left;
  }

  Cond negation() {
    const Level level(*this);
    if (cursor_.accept("not")) return !negation();
    if (cursor_.accept("True")) return {true};
    if (cursor_.accept("False")) return {false};
    return cursor_.at("(") && !bracket_is_arithmetic() ? bracketed() : comparison();
  }

  /// "(a + b) < c" against "(a < b) and c": what follows the closing bracket tells.
  bool bracket_is_arithmetic() const {
    const std::size_t behind = cursor_.peek().match + 1 - cursor_.position();
    const std::string_view next = cursor_.peek(behind).text;
    return one_of(kComparisons, next) || one_of(kArithmetic, next);
  }

  Cond bracketed() {
    cursor_.expect("(");
    Cond inner = disjunction();
    cursor_.expect(")");
    return inner;
  }

  Cond comparison() {
    if (++comparisons_ > kMostComparisons) cursor_.fail("at most 200 comparisons in a condition");
    const SymExpr left = sum();
    if (!one_of(kComparisons, cursor_.peek().text))
      cursor_.fail("a comparison: == != < <= > >=", cursor_.at("=") ? "write == to compare" : "");
    const Token op = cursor_.next();
    const SymExpr right = sum();
    if (one_of(kComparisons, cursor_.peek().text))
      cursor_.fail("one comparison", "join two comparisons with `and`");
    try {
      return compare(op.text, left, right);
    } catch (const OverflowError& error) {
      throw InputError(cursor_.where(op), "a comparison within 64 bits", error.what());
    }
  }

  static Cond compare(std::string_view op, const SymExpr& a, const SymExpr& b) {
    if (op == "==") return Cond::eq(a, b);
    if (op == "!=") return Cond::ne(a, b);
    if (op == "<=") return Cond::le(a, b);
    if (op == "<") return Cond::lt(a, b);
    return op == ">=" ? Cond::le(b, a) : Cond::lt(b, a);
  }

  Cursor& cursor_;
  const Scope& scope_;
  int depth_ = 0;
  int comparisons_ = 0;
};

}  // namespace

SymExpr parse_expression(Cursor& cursor, const Scope& scope) { return Parser(cursor, scope).sum(); }

Cond parse_condition(Cursor& cursor, const Scope& scope) { return Parser(cursor, scope).disjunction(); }

/// Looks at the factors first: the product is what gets large.
SymExpr bounded_product(const Cursor& cursor, const Token& at, const SymExpr& a, const SymExpr& b) {
  if ((a.terms().size() + 1) * (b.terms().size() + 1) > 4 * kLargestExpression) too_large(cursor, at);
  return guarded(cursor, at, [&] { return a * b; });
}

std::int64_t number_value(const Cursor& cursor, const Token& token) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (error != std::errc())
    throw InputError(cursor.where(token), "a number below 2^63", "'" + std::string(token.text) + "'");
  return value;
}

bool is_reserved_word(std::string_view word) { return one_of(kReserved, word); }

}  // namespace bufferproof::model::bufprog
