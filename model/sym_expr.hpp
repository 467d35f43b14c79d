// Integer expressions over named symbols, in one normal form.
//
// An expression is a polynomial: a constant plus integer coefficients times products of atoms. An atom is a
// symbol, or floordiv / mod / min / max / an opaque call over normalised expressions. Constants fold while
// building, terms are sorted, so equal polynomials compare equal; two expressions that differ as text but
// agree in value may still compare unequal when they hide behind atoms (the checker then asks Z3). Arithmetic
// is checked: a coefficient outside int64 raises OverflowError. Tested by tests/model/sym_expr_test.cpp.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace bufferproof::model {

/// Values for symbols. Integer results outside int64 are "no value".
using Valuation = std::map<std::string, std::int64_t, std::less<>>;

class OverflowError : public std::overflow_error {
 public:
  using std::overflow_error::overflow_error;
};

class SymExpr;
struct Atom;
using AtomRef = std::shared_ptr<const Atom>;

/// coefficient * product of atoms (sorted, repeated for powers; never empty).
struct Term {
  std::int64_t coefficient = 0;
  std::vector<AtomRef> atoms;
};

class SymExpr {
 public:
  SymExpr(std::int64_t constant = 0) : constant_(constant) {}  // NOLINT: implicit, integers are expressions
  static SymExpr symbol(const std::string& name);
  /// An operation this class gives no meaning to (math.trunc, IntTrueDiv, ...): equal only to itself.
  static SymExpr call(const std::string& function, std::vector<SymExpr> arguments);

  bool is_constant() const { return terms_.empty(); }
  std::optional<std::int64_t> constant() const;
  /// The symbol's name when the expression is exactly one symbol.
  std::optional<std::string> as_symbol() const;
  std::int64_t constant_part() const { return constant_; }
  const std::vector<Term>& terms() const { return terms_; }

  /// nullopt: a symbol has no value, division by zero, overflow, or an opaque call.
  std::optional<std::int64_t> evaluate(const Valuation& values) const;
  SymExpr substitute(const std::map<std::string, SymExpr, std::less<>>& by) const;
  void collect_symbols(std::set<std::string>& into) const;
  /// Degree at most one, all atoms symbols: coefficient per symbol. nullopt otherwise.
  std::optional<std::map<std::string, std::int64_t>> linear() const;
  /// Python spelling: "8*s0 + 1", "(s0 + 1) // 2".
  std::string str() const;

  SymExpr operator-() const;
  friend SymExpr operator+(const SymExpr& a, const SymExpr& b);
  friend SymExpr operator-(const SymExpr& a, const SymExpr& b);
  friend SymExpr operator*(const SymExpr& a, const SymExpr& b);
  friend bool operator==(const SymExpr& a, const SymExpr& b) { return (a <=> b) == 0; }
  /// Structural order, for sorted containers; says nothing about values.
  friend std::strong_ordering operator<=>(const SymExpr& a, const SymExpr& b);

 private:
  friend SymExpr from_atom(AtomRef atom);
  std::int64_t constant_ = 0;
  std::vector<Term> terms_;
};

/// The expression that is just this atom.
SymExpr from_atom(AtomRef atom);

struct Atom {
  enum class Kind : std::uint8_t { symbol, floordiv, mod, min, max, call };
  Kind kind = Kind::symbol;
  std::string name;  ///< of a symbol or call
  std::vector<SymExpr> arguments;
};

/// Python's floor division and modulo (sign of the divisor). A constant zero divisor raises OverflowError.
SymExpr floordiv(const SymExpr& a, const SymExpr& b);
SymExpr mod(const SymExpr& a, const SymExpr& b);
SymExpr min(const SymExpr& a, const SymExpr& b);
SymExpr max(const SymExpr& a, const SymExpr& b);
/// base**exponent for a small constant exponent (0..16); OverflowError beyond.
SymExpr power(const SymExpr& base, std::int64_t exponent);
/// Product of sizes; 1 for none.
SymExpr product(const std::vector<SymExpr>& factors);

/// Checked int64 arithmetic; nullopt on overflow.
std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b);
std::int64_t floordiv_value(std::int64_t a, std::int64_t b);

/// A condition over integer expressions.
class Cond {
 public:
  enum class Kind : std::uint8_t {
    constant,
    le_zero,
    eq_zero,
    conj,
    disj
  };  ///< negation is pushed to the leaves

  Cond(bool value = true) : value_(value) {}           // NOLINT: implicit, truth values are conditions
  static Cond le(const SymExpr& a, const SymExpr& b);  ///< a <= b
  static Cond lt(const SymExpr& a, const SymExpr& b);
  static Cond eq(const SymExpr& a, const SymExpr& b);
  static Cond ne(const SymExpr& a, const SymExpr& b);

  Kind kind() const { return kind_; }
  bool is_true() const { return kind_ == Kind::constant && value_; }
  bool is_false() const { return kind_ == Kind::constant && !value_; }
  const SymExpr& expr() const;             ///< of le_zero, eq_zero
  const std::vector<Cond>& parts() const;  ///< of conj, disj
  std::optional<bool> evaluate(const Valuation& values) const;
  Cond substitute(const std::map<std::string, SymExpr, std::less<>>& by) const;
  void collect_symbols(std::set<std::string>& into) const;
  std::string str() const;
  /// The same for copies of one condition; null for constants. Lives as long as one of them.
  const void* identity() const { return node_.get(); }

  Cond operator!() const;
  friend Cond operator&&(const Cond& a, const Cond& b);
  friend Cond operator||(const Cond& a, const Cond& b);
  friend bool operator==(const Cond& a, const Cond& b);

 private:
  struct Node;
  Cond(Kind kind, SymExpr expr, std::vector<Cond> parts);
  static Cond leaf(Kind kind, SymExpr expr);
  static Cond join(Kind kind, const Cond& a, const Cond& b);
  Kind kind_ = Kind::constant;
  bool value_ = true;
  std::shared_ptr<const Node>
      node_;  ///< null for constants; shared, so that copies of large conditions are cheap
};

}  // namespace bufferproof::model
