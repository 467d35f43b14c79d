#include "checker/ranges.hpp"

#include <algorithm>
#include <array>

namespace bufferproof::checker {
namespace {

using model::Atom;
using model::Cond;
using model::SymExpr;
using model::Term;
using Bound = std::optional<std::int64_t>;

Bound add(Bound a, Bound b) { return a && b ? model::checked_add(*a, *b) : std::nullopt; }

/// Product of a bound with a sign-known interval end; unbounded stays unbounded.
Interval multiply(const Interval& a, const Interval& b) {
  if (a.lo && a.hi && b.lo && b.hi) {
    std::array<Bound, 4> ends{model::checked_mul(*a.lo, *b.lo), model::checked_mul(*a.lo, *b.hi),
                              model::checked_mul(*a.hi, *b.lo), model::checked_mul(*a.hi, *b.hi)};
    if (std::all_of(ends.begin(), ends.end(), [](const Bound& e) { return e.has_value(); }))
      return {*std::min_element(ends.begin(), ends.end()), *std::max_element(ends.begin(), ends.end())};
    return {};
  }
  const bool both_positive = a.lo && *a.lo >= 0 && b.lo && *b.lo >= 0;
  if (both_positive)
    return {model::checked_mul(*a.lo, *b.lo), a.hi && b.hi ? model::checked_mul(*a.hi, *b.hi) : std::nullopt};
  return {};
}

Interval scale(const Interval& a, std::int64_t by) {
  auto times = [&](Bound b) { return b ? model::checked_mul(*b, by) : std::nullopt; };
  return by >= 0 ? Interval{times(a.lo), times(a.hi)} : Interval{times(a.hi), times(a.lo)};
}

}  // namespace

Interval Ranges::of(const Atom& atom) const {
  if (atom.kind == Atom::Kind::symbol) {
    auto found = intervals_.find(atom.name);
    return found == intervals_.end() ? Interval{} : found->second;
  }
  if (atom.kind == Atom::Kind::call) return {};
  const Interval a = of(atom.arguments[0]);
  const Interval b = of(atom.arguments[1]);
  switch (atom.kind) {
    case Atom::Kind::floordiv: {
      auto d = atom.arguments[1].constant();
      if (!d || *d <= 0) return {};
      auto divide = [&](Bound x) { return x ? Bound(model::floordiv_value(*x, *d)) : std::nullopt; };
      return {divide(a.lo), divide(a.hi)};
    }
    case Atom::Kind::mod: {
      auto d = atom.arguments[1].constant();
      return d && *d > 0 ? Interval{0, *d - 1} : Interval{};
    }
    case Atom::Kind::min:
      return {a.lo && b.lo ? Bound(std::min(*a.lo, *b.lo)) : std::nullopt,
              a.hi && b.hi ? Bound(std::min(*a.hi, *b.hi)) : (a.hi ? a.hi : b.hi)};
    default:
      return {a.lo && b.lo ? Bound(std::max(*a.lo, *b.lo)) : (a.lo ? a.lo : b.lo),
              a.hi && b.hi ? Bound(std::max(*a.hi, *b.hi)) : std::nullopt};
  }
}

Interval Ranges::of(const SymExpr& expr) const {
  Interval sum{expr.constant_part(), expr.constant_part()};
  for (const model::Term& term : expr.terms()) {
    Interval factor = of(*term.atoms[0]);
    for (std::size_t i = 1; i < term.atoms.size(); ++i) factor = multiply(factor, of(*term.atoms[i]));
    factor = scale(factor, term.coefficient);
    sum = {add(sum.lo, factor.lo), add(sum.hi, factor.hi)};
  }
  return sum;
}

namespace {

constexpr std::size_t kMostTerms = 8;  ///< of an expression that is worth a second look
constexpr int kMostDivisions = 4;

const Term* first_division(const SymExpr& expr) {
  for (const Term& term : expr.terms())
    if (term.atoms.size() == 1 && term.atoms[0]->kind == Atom::Kind::floordiv) {
      const auto divisor = term.atoms[0]->arguments[1].constant();
      if (divisor && *divisor > 0) return &term;
    }
  return nullptr;
}

}  // namespace

bool Ranges::surely_le(const SymExpr& a, const SymExpr& b) const { return at_least(b - a, 0); }
bool Ranges::surely_lt(const SymExpr& a, const SymExpr& b) const { return at_least(b - a, 1); }

/// given: k * (e // d) in the gap
/// because: e - (d - 1) <= d * (e // d) <= e, so d times the gap has a bound without the division; and an
/// integer that is more than bound - 1 is at least the bound.
bool Ranges::at_least(const SymExpr& gap, std::int64_t bound) const {
  const Interval interval = of(gap);
  if (interval.lo && *interval.lo >= bound) return true;
  if (gap.terms().size() < 2 || gap.terms().size() > kMostTerms) return false;
  try {
    SymExpr rest = gap - SymExpr(bound);
    SymExpr scale = 1;
    int divisions = 0;
    for (const Term* term = first_division(rest); term; term = first_division(rest)) {
      if (++divisions > kMostDivisions) return false;
      const SymExpr quotient = from_atom(term->atoms[0]);
      const SymExpr k = term->coefficient;
      const SymExpr e = term->atoms[0]->arguments[0];
      const SymExpr d = term->atoms[0]->arguments[1];
      scale = scale * d;
      rest = (rest - k * quotient) * d + k * (term->coefficient > 0 ? e - d + 1 : e);
    }
    return polynomial_at_least(rest, 1 - *scale.constant());
  } catch (const model::OverflowError&) {
    return false;
  }
}

/// given: symbols with least values
/// because: written in what each symbol exceeds its least value by, a polynomial mostly has no negative
/// coefficients.
bool Ranges::polynomial_at_least(const SymExpr& gap, std::int64_t bound) const {
  std::set<std::string> symbols;
  gap.collect_symbols(symbols);
  Ranges beyond;
  std::map<std::string, SymExpr, std::less<>> shifted;
  for (const std::string& symbol : symbols) {
    Interval range = of(SymExpr::symbol(symbol));
    if (range.lo) {
      shifted.emplace(symbol, SymExpr::symbol(symbol) + SymExpr(*range.lo));
      if (range.hi) range.hi = model::checked_add(*range.hi, -*range.lo);
      range.lo = 0;
    }
    beyond.set(symbol, range);
  }
  const Interval interval = beyond.of(gap.substitute(shifted));
  return interval.lo && *interval.lo >= bound;
}

bool Ranges::surely(const Cond& c) const {
  switch (c.kind()) {
    case Cond::Kind::constant:
      return c.is_true();
    case Cond::Kind::le_zero:
      return surely_le(c.expr(), 0);
    case Cond::Kind::eq_zero:
      return surely_le(c.expr(), 0) && surely_le(0, c.expr());
    case Cond::Kind::conj:
      return std::all_of(c.parts().begin(), c.parts().end(), [&](const Cond& part) { return surely(part); });
    case Cond::Kind::disj:
      return std::any_of(c.parts().begin(), c.parts().end(), [&](const Cond& part) { return surely(part); });
  }
  return false;
}

std::vector<Cond> conjuncts(const Cond& c) {
  return c.kind() == Cond::Kind::conj ? c.parts() : std::vector<Cond>{c};
}

bool narrow(const std::string& symbol, const Cond& literal, Interval& interval) {
  if (!literal.parts().empty() || literal.kind() == Cond::Kind::constant) return false;
  const auto linear = literal.expr().linear();
  if (!linear || linear->size() != 1 || linear->begin()->first != symbol) return false;
  const std::int64_t c = linear->begin()->second;
  const std::int64_t rest = literal.expr().constant_part();
  const bool equal = literal.kind() == Cond::Kind::eq_zero;
  const bool above = c == 1, below = c == -1 && !equal;
  if (above) interval.hi = std::min(interval.hi.value_or(INT64_MAX), -rest);
  if (above && equal) interval.lo = std::max(interval.lo.value_or(INT64_MIN), -rest);
  if (below) interval.lo = std::max(interval.lo.value_or(INT64_MIN), rest);
  return above || below;
}

Ranges symbol_ranges(const model::Program& program, const Cond& assume) {
  Ranges ranges;
  const std::vector<Cond> literals = conjuncts(assume);
  for (const model::Symbol& symbol : program.symbols) {
    Interval interval{symbol.lo, symbol.hi};
    for (const Cond& literal : literals) narrow(symbol.name, literal, interval);
    ranges.set(symbol.name, interval);
  }
  return ranges;
}

}  // namespace bufferproof::checker
