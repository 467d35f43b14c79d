#include "model/sym_expr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace bufferproof::model {
namespace {

std::strong_ordering compare(const AtomRef& a, const AtomRef& b) {
  if (a == b) return std::strong_ordering::equal;
  if (auto c = a->kind <=> b->kind; c != 0) return c;
  if (auto c = a->name <=> b->name; c != 0) return c;
  if (auto c = a->arguments.size() <=> b->arguments.size(); c != 0) return c;
  for (std::size_t i = 0; i < a->arguments.size(); ++i)
    if (auto c = a->arguments[i] <=> b->arguments[i]; c != 0) return c;
  return std::strong_ordering::equal;
}

std::strong_ordering compare(const std::vector<AtomRef>& a, const std::vector<AtomRef>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (auto c = compare(a[i], b[i]); c != 0) return c;
  return a.size() <=> b.size();
}

std::int64_t add_or_throw(std::int64_t a, std::int64_t b) {
  if (auto sum = checked_add(a, b)) return *sum;
  throw OverflowError("integer expression exceeds 64 bits");
}

std::int64_t mul_or_throw(std::int64_t a, std::int64_t b) {
  if (auto product = checked_mul(a, b)) return *product;
  throw OverflowError("integer expression exceeds 64 bits");
}

/// Merges two sorted term lists, dropping what cancels.
std::vector<Term> merge(const std::vector<Term>& a, const std::vector<Term>& b) {
  std::vector<Term> out;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    const bool only_a = j == b.end() || (i != a.end() && compare(i->atoms, j->atoms) < 0);
    const bool only_b = !only_a && (i == a.end() || compare(j->atoms, i->atoms) < 0);
    if (only_a) {
      out.push_back(*i++);
    } else if (only_b) {
      out.push_back(*j++);
    } else {
      Term sum{add_or_throw(i->coefficient, j->coefficient), i->atoms};
      if (sum.coefficient != 0) out.push_back(std::move(sum));
      ++i, ++j;
    }
  }
  return out;
}

std::optional<std::int64_t> fold(Atom::Kind kind, const std::vector<std::int64_t>& v) {
  switch (kind) {
    case Atom::Kind::floordiv:
    case Atom::Kind::mod:
      if (v[1] == 0 || (v[0] == INT64_MIN && v[1] == -1)) return std::nullopt;
      return kind == Atom::Kind::floordiv ? floordiv_value(v[0], v[1])
                                          : v[0] - floordiv_value(v[0], v[1]) * v[1];
    case Atom::Kind::min:
      return std::min(v[0], v[1]);
    case Atom::Kind::max:
      return std::max(v[0], v[1]);
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> evaluate(const Atom& atom, const Valuation& values) {
  if (atom.kind == Atom::Kind::symbol) {
    auto found = values.find(atom.name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::int64_t> arguments;
  for (const SymExpr& argument : atom.arguments) {
    auto value = argument.evaluate(values);
    if (!value) return std::nullopt;
    arguments.push_back(*value);
  }
  return fold(atom.kind, arguments);
}

std::string spelling(const Atom& atom) {
  std::vector<std::string> arguments;
  for (const SymExpr& argument : atom.arguments) arguments.push_back(argument.str());
  switch (atom.kind) {
    case Atom::Kind::symbol:
      return atom.name;
    case Atom::Kind::floordiv:
      return fmt::format("(({}) // ({}))", arguments[0], arguments[1]);
    case Atom::Kind::mod:
      return fmt::format("(({}) % ({}))", arguments[0], arguments[1]);
    case Atom::Kind::min:
    case Atom::Kind::max:
      return fmt::format("{}({}, {})", atom.kind == Atom::Kind::min ? "min" : "max", arguments[0],
                         arguments[1]);
    case Atom::Kind::call:
      return fmt::format("{}({})", atom.name, fmt::join(arguments, ", "));
  }
  return {};
}

std::string spelling(const Term& term) {
  std::string text;
  if (term.coefficient == -1) text = "-";
  if (term.coefficient != 1 && term.coefficient != -1) text = fmt::format("{}*", term.coefficient);
  for (std::size_t i = 0; i < term.atoms.size(); ++i) text += (i ? "*" : "") + spelling(*term.atoms[i]);
  return text;
}

SymExpr binary_atom(Atom::Kind kind, const SymExpr& a, const SymExpr& b);

}  // namespace

std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

std::int64_t floordiv_value(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? quotient - 1 : quotient;
}

SymExpr from_atom(AtomRef atom) {
  SymExpr out;
  out.terms_.push_back({1, {std::move(atom)}});
  return out;
}

namespace {
SymExpr binary_atom(Atom::Kind kind, const SymExpr& a, const SymExpr& b) {
  return from_atom(std::make_shared<const Atom>(Atom{kind, "", {a, b}}));
}
}  // namespace

SymExpr SymExpr::symbol(const std::string& name) {
  return from_atom(std::make_shared<const Atom>(Atom{Atom::Kind::symbol, name, {}}));
}

SymExpr SymExpr::call(const std::string& function, std::vector<SymExpr> arguments) {
  return from_atom(std::make_shared<const Atom>(Atom{Atom::Kind::call, function, std::move(arguments)}));
}

std::optional<std::int64_t> SymExpr::constant() const {
  return is_constant() ? std::optional(constant_) : std::nullopt;
}

std::optional<std::string> SymExpr::as_symbol() const {
  if (constant_ != 0 || terms_.size() != 1) return std::nullopt;
  const Term& term = terms_.front();
  if (term.coefficient != 1 || term.atoms.size() != 1) return std::nullopt;
  if (term.atoms[0]->kind != Atom::Kind::symbol) return std::nullopt;
  return term.atoms[0]->name;
}

std::optional<std::int64_t> SymExpr::evaluate(const Valuation& values) const {
  std::optional<std::int64_t> sum = constant_;
  for (const Term& term : terms_) {
    std::optional<std::int64_t> factor = term.coefficient;
    for (const AtomRef& atom : term.atoms) {
      auto value = model::evaluate(*atom, values);
      if (!value || !factor) return std::nullopt;
      factor = checked_mul(*factor, *value);
    }
    if (!factor) return std::nullopt;
    sum = checked_add(*sum, *factor);
    if (!sum) return std::nullopt;
  }
  return sum;
}

SymExpr SymExpr::substitute(const std::map<std::string, SymExpr, std::less<>>& by) const {
  if (terms_.empty() || by.empty()) return *this;
  auto replace = [&](const AtomRef& atom) -> SymExpr {
    if (atom->kind == Atom::Kind::symbol) {
      auto found = by.find(atom->name);
      return found == by.end() ? from_atom(atom) : found->second;
    }
    std::vector<SymExpr> arguments;
    for (const SymExpr& argument : atom->arguments) arguments.push_back(argument.substitute(by));
    switch (atom->kind) {
      case Atom::Kind::floordiv:
        return floordiv(arguments[0], arguments[1]);
      case Atom::Kind::mod:
        return mod(arguments[0], arguments[1]);
      case Atom::Kind::min:
        return min(arguments[0], arguments[1]);
      case Atom::Kind::max:
        return max(arguments[0], arguments[1]);
      default:
        return call(atom->name, std::move(arguments));
    }
  };
  SymExpr out(constant_);
  for (const Term& term : terms_) {
    SymExpr factor(term.coefficient);
    for (const AtomRef& atom : term.atoms) factor = factor * replace(atom);
    out = out + factor;
  }
  return out;
}

void SymExpr::collect_symbols(std::set<std::string>& into) const {
  for (const Term& term : terms_)
    for (const AtomRef& atom : term.atoms) {
      if (atom->kind == Atom::Kind::symbol) into.insert(atom->name);
      for (const SymExpr& argument : atom->arguments) argument.collect_symbols(into);
    }
}

std::optional<std::map<std::string, std::int64_t>> SymExpr::linear() const {
  std::map<std::string, std::int64_t> out;
  for (const Term& term : terms_) {
    if (term.atoms.size() != 1 || term.atoms[0]->kind != Atom::Kind::symbol) return std::nullopt;
    out[term.atoms[0]->name] = term.coefficient;
  }
  return out;
}

std::string SymExpr::str() const {
  std::string text;
  for (const Term& term : terms_) {
    const std::string part = spelling(term);
    if (text.empty()) {
      text = part;
    } else {
      text += part[0] == '-' ? " - " + part.substr(1) : " + " + part;
    }
  }
  if (text.empty()) return std::to_string(constant_);
  if (constant_ > 0) text += fmt::format(" + {}", constant_);
  if (constant_ < 0) text += fmt::format(" - {}", fmt::format("{}", constant_).substr(1));
  return text;
}

SymExpr SymExpr::operator-() const { return *this * SymExpr(-1); }

SymExpr operator+(const SymExpr& a, const SymExpr& b) {
  SymExpr out(add_or_throw(a.constant_, b.constant_));
  if (a.terms_.empty() || b.terms_.empty()) {
    out.terms_ = a.terms_.empty() ? b.terms_ : a.terms_;
  } else {
    out.terms_ = merge(a.terms_, b.terms_);
  }
  return out;
}

SymExpr operator-(const SymExpr& a, const SymExpr& b) { return a + (-b); }

SymExpr operator*(const SymExpr& a, const SymExpr& b) {
  if (a.is_constant() && b.is_constant()) return {mul_or_throw(a.constant_, b.constant_)};
  auto scaled = [](const SymExpr& e, std::int64_t by) {
    if (by == 0) return SymExpr(0);
    SymExpr out = e;
    out.constant_ = mul_or_throw(out.constant_, by);
    for (Term& term : out.terms_) term.coefficient = mul_or_throw(term.coefficient, by);
    return out;
  };
  if (b.is_constant()) return scaled(a, b.constant_);
  if (a.is_constant()) return scaled(b, a.constant_);
  SymExpr out = scaled(b, a.constant_);
  for (const Term& left : a.terms_) {
    SymExpr row;
    for (const Term& right : b.terms_) {
      Term term{mul_or_throw(left.coefficient, right.coefficient), left.atoms};
      term.atoms.insert(term.atoms.end(), right.atoms.begin(), right.atoms.end());
      std::sort(term.atoms.begin(), term.atoms.end(), [](auto& x, auto& y) { return compare(x, y) < 0; });
      SymExpr single;
      single.terms_.push_back(std::move(term));
      row = row + single;
    }
    SymExpr lone;
    if (b.constant_ != 0) lone.terms_.push_back({mul_or_throw(left.coefficient, b.constant_), left.atoms});
    out = out + row + lone;
  }
  return out;
}

std::strong_ordering operator<=>(const SymExpr& a, const SymExpr& b) {
  if (auto c = a.terms_.size() <=> b.terms_.size(); c != 0) return c;
  for (std::size_t i = 0; i < a.terms_.size(); ++i) {
    if (auto c = compare(a.terms_[i].atoms, b.terms_[i].atoms); c != 0) return c;
    if (auto c = a.terms_[i].coefficient <=> b.terms_[i].coefficient; c != 0) return c;
  }
  return a.constant_ <=> b.constant_;
}

namespace {

/// Splits e into (quotient, rest) with e = quotient * d + rest and no coefficient of rest divisible by d:
/// floordiv and mod by a positive constant then distribute, and equal expressions meet in one normal form.
std::pair<SymExpr, SymExpr> split(const SymExpr& e, std::int64_t d) {
  SymExpr quotient(floordiv_value(e.constant_part(), d));
  SymExpr rest(e.constant_part() - floordiv_value(e.constant_part(), d) * d);
  for (const Term& term : e.terms()) {
    SymExpr factor(1);
    for (const AtomRef& atom : term.atoms) factor = factor * from_atom(atom);
    if (term.coefficient % d == 0) {
      quotient = quotient + factor * SymExpr(term.coefficient / d);
    } else {
      rest = rest + factor * SymExpr(term.coefficient);
    }
  }
  return {quotient, rest};
}

}  // namespace

SymExpr floordiv(const SymExpr& a, const SymExpr& b) {
  const auto d = b.constant();
  if (d && *d == 0) throw OverflowError("division by zero in an integer expression");
  if (d && *d > 0) {
    auto [quotient, rest] = split(a, *d);
    if (rest.is_constant()) return quotient;
    return quotient + binary_atom(Atom::Kind::floordiv, rest, b);
  }
  if (d && a.is_constant() && *a.constant() != INT64_MIN) return {floordiv_value(*a.constant(), *d)};
  if (a == b) return {1};
  return binary_atom(Atom::Kind::floordiv, a, b);
}

SymExpr mod(const SymExpr& a, const SymExpr& b) {
  const auto d = b.constant();
  if (d && *d == 0) throw OverflowError("modulo by zero in an integer expression");
  if (d && *d > 0) {
    auto rest = split(a, *d).second;
    return rest.is_constant() ? rest : binary_atom(Atom::Kind::mod, rest, b);
  }
  if (d && a.is_constant() && *a.constant() != INT64_MIN)
    return {*a.constant() - floordiv_value(*a.constant(), *d) * *d};
  if (a == b) return {0};
  return binary_atom(Atom::Kind::mod, a, b);
}

SymExpr min(const SymExpr& a, const SymExpr& b) {
  if (auto gap = (a - b).constant()) return *gap <= 0 ? a : b;
  return a < b ? binary_atom(Atom::Kind::min, a, b) : binary_atom(Atom::Kind::min, b, a);
}

SymExpr max(const SymExpr& a, const SymExpr& b) {
  if (auto gap = (a - b).constant()) return *gap >= 0 ? a : b;
  return a < b ? binary_atom(Atom::Kind::max, a, b) : binary_atom(Atom::Kind::max, b, a);
}

SymExpr power(const SymExpr& base, std::int64_t exponent) {
  if (exponent < 0 || exponent > 16) throw OverflowError("exponent outside 0..16 in an integer expression");
  SymExpr out(1);
  for (std::int64_t i = 0; i < exponent; ++i) out = out * base;
  return out;
}

SymExpr product(const std::vector<SymExpr>& factors) {
  SymExpr out(1);
  for (const SymExpr& factor : factors) out = out * factor;
  return out;
}

// ---- conditions
// -----------------------------------------------------------------------------------------------

struct Cond::Node {
  SymExpr expr;
  std::vector<Cond> parts;
};

Cond::Cond(Kind kind, SymExpr expr, std::vector<Cond> parts)
    : kind_(kind), node_(std::make_shared<const Node>(Node{std::move(expr), std::move(parts)})) {}

const SymExpr& Cond::expr() const {
  static const SymExpr none;
  return node_ ? node_->expr : none;
}

const std::vector<Cond>& Cond::parts() const {
  static const std::vector<Cond> none;
  return node_ ? node_->parts : none;
}

Cond Cond::leaf(Kind kind, SymExpr expr) {
  if (auto value = expr.constant()) return {kind == Kind::le_zero ? *value <= 0 : *value == 0};
  if (kind == Kind::eq_zero && expr.terms().front().coefficient < 0) expr = -expr;
  return {kind, std::move(expr), {}};
}

Cond Cond::le(const SymExpr& a, const SymExpr& b) { return leaf(Kind::le_zero, a - b); }
Cond Cond::lt(const SymExpr& a, const SymExpr& b) { return leaf(Kind::le_zero, a - b + SymExpr(1)); }
Cond Cond::eq(const SymExpr& a, const SymExpr& b) { return leaf(Kind::eq_zero, a - b); }
Cond Cond::ne(const SymExpr& a, const SymExpr& b) { return lt(a, b) || lt(b, a); }

Cond Cond::join(Kind kind, const Cond& a, const Cond& b) {
  const bool absorbing = kind == Kind::disj;  // true absorbs a disjunction, false a conjunction
  for (const Cond* side : {&a, &b})
    if (side->kind_ == Kind::constant)
      return side->value_ == absorbing ? Cond(absorbing) : (side == &a ? b : a);
  if (a == b) return a;
  std::vector<Cond> parts;
  for (const Cond* side : {&a, &b}) {
    if (side->kind_ == kind) {
      parts.insert(parts.end(), side->parts().begin(), side->parts().end());
    } else {
      parts.push_back(*side);
    }
  }
  return {kind, {}, std::move(parts)};
}

Cond operator&&(const Cond& a, const Cond& b) { return Cond::join(Cond::Kind::conj, a, b); }
Cond operator||(const Cond& a, const Cond& b) { return Cond::join(Cond::Kind::disj, a, b); }

Cond Cond::operator!() const {
  switch (kind_) {
    case Kind::constant:
      return {!value_};
    case Kind::le_zero:
      return lt(0, expr());
    case Kind::eq_zero:
      return ne(expr(), 0);
    case Kind::conj:
    case Kind::disj:
      break;
  }
  Cond out(kind_ == Kind::disj);
  for (const Cond& part : parts())
    out = kind_ == Kind::conj ? (&part == &parts()[0] ? !part : out || !part)
                              : (&part == &parts()[0] ? !part : out && !part);
  return out;
}

std::optional<bool> Cond::evaluate(const Valuation& values) const {
  if (kind_ == Kind::constant) return value_;
  if (kind_ == Kind::le_zero || kind_ == Kind::eq_zero) {
    auto value = expr().evaluate(values);
    if (!value) return std::nullopt;
    return kind_ == Kind::le_zero ? *value <= 0 : *value == 0;
  }
  const bool absorbing = kind_ == Kind::disj;
  bool unknown = false;
  for (const Cond& part : parts()) {
    auto value = part.evaluate(values);
    if (value && *value == absorbing) return absorbing;
    unknown |= !value;
  }
  return unknown ? std::nullopt : std::optional(!absorbing);
}

Cond Cond::substitute(const std::map<std::string, SymExpr, std::less<>>& by) const {
  if (kind_ == Kind::constant || by.empty()) return *this;
  if (kind_ == Kind::le_zero || kind_ == Kind::eq_zero) return leaf(kind_, expr().substitute(by));
  Cond out(kind_ == Kind::conj);
  for (const Cond& part : parts())
    out = kind_ == Kind::conj ? out && part.substitute(by) : out || part.substitute(by);
  return out;
}

void Cond::collect_symbols(std::set<std::string>& into) const {
  expr().collect_symbols(into);
  for (const Cond& part : parts()) part.collect_symbols(into);
}

std::string Cond::str() const {
  if (kind_ == Kind::constant) return value_ ? "True" : "False";
  if (kind_ == Kind::le_zero) return expr().str() + " <= 0";
  if (kind_ == Kind::eq_zero) return expr().str() + " == 0";
  std::vector<std::string> texts;
  for (const Cond& part : parts())
    texts.push_back(part.parts().empty() ? part.str() : "(" + part.str() + ")");
  return fmt::format("{}", fmt::join(texts, kind_ == Kind::conj ? " and " : " or "));
}

bool operator==(const Cond& a, const Cond& b) {
  if (a.kind_ != b.kind_ || a.value_ != b.value_) return false;
  return a.node_ == b.node_ || (a.expr() == b.expr() && a.parts() == b.parts());
}

}  // namespace bufferproof::model
