#include "checker/eliminate.hpp"

#include <algorithm>
#include <map>

namespace bufferproof::checker {
namespace {

using model::Cond;
using model::SymExpr;
using model::Term;

bool mentions(const Cond& c, const std::string& variable) {
  std::set<std::string> symbols;
  c.collect_symbols(symbols);
  return symbols.contains(variable);
}

/// expr = coefficient * variable + rest. nullopt when the variable occurs in any other way.
std::optional<std::pair<std::int64_t, SymExpr>> split_linear(const SymExpr& expr,
                                                             const std::string& variable) {
  std::int64_t coefficient = 0;
  for (const Term& term : expr.terms())
    if (term.atoms.size() == 1 && term.atoms[0]->kind == model::Atom::Kind::symbol &&
        term.atoms[0]->name == variable)
      coefficient = term.coefficient;
  SymExpr rest = expr - SymExpr::symbol(variable) * coefficient;
  std::set<std::string> symbols;
  rest.collect_symbols(symbols);
  if (symbols.contains(variable)) return std::nullopt;
  return std::pair{coefficient, rest};
}

std::vector<Cond> literals(const Cond& c) {
  return c.kind() == Cond::Kind::conj ? c.parts() : std::vector<Cond>{c};
}

SymExpr ceildiv(const SymExpr& a, std::int64_t b) { return -floordiv(-a, b); }

/// What a conjunction says about one variable.
struct Bounds {
  Cond rest = true;             ///< literals without the variable, and divisibility conditions
  std::vector<SymExpr> equals;  ///< the variable has this value
  std::vector<SymExpr> lower;
  std::vector<SymExpr> upper;
};

void add_equality(Bounds& bounds, std::int64_t coefficient, const SymExpr& rest) {
  const SymExpr target = coefficient > 0 ? -rest : rest;
  const std::int64_t c = coefficient > 0 ? coefficient : -coefficient;
  bounds.rest = bounds.rest && Cond::eq(mod(target, c), 0);
  bounds.equals.push_back(floordiv(target, c));
}

void add_inequality(Bounds& bounds, std::int64_t coefficient, const SymExpr& rest) {
  if (coefficient > 0) {
    bounds.upper.push_back(floordiv(-rest, coefficient));
  } else {
    bounds.lower.push_back(ceildiv(rest, -coefficient));
  }
}

std::optional<Bounds> bounds_of(const std::string& variable, const Cond& conjunction) {
  Bounds bounds;
  for (const Cond& literal : literals(conjunction)) {
    if (!mentions(literal, variable)) {
      bounds.rest = bounds.rest && literal;
      continue;
    }
    if (!literal.parts().empty()) return std::nullopt;
    auto parts = split_linear(literal.expr(), variable);
    if (!parts || parts->first == INT64_MIN) return std::nullopt;
    if (literal.kind() == Cond::Kind::eq_zero) {
      add_equality(bounds, parts->first, parts->second);
    } else {
      add_inequality(bounds, parts->first, parts->second);
    }
  }
  return bounds;
}

std::optional<Greatest> from_bounds(const Bounds& bounds, bool need_last) {
  if (bounds.equals.empty() && bounds.upper.empty() && need_last) return std::nullopt;
  Greatest out{bounds.rest, 0};
  if (!bounds.equals.empty()) {
    out.last = bounds.equals.front();
    for (const SymExpr& other : bounds.equals) out.exists = out.exists && Cond::eq(out.last, other);
    for (const SymExpr& lo : bounds.lower) out.exists = out.exists && Cond::le(lo, out.last);
    for (const SymExpr& hi : bounds.upper) out.exists = out.exists && Cond::le(out.last, hi);
    return out;
  }
  for (const SymExpr& lo : bounds.lower)
    for (const SymExpr& hi : bounds.upper) out.exists = out.exists && Cond::le(lo, hi);
  for (std::size_t i = 0; i < bounds.upper.size(); ++i)
    out.last = i == 0 ? bounds.upper[0] : min(out.last, bounds.upper[i]);
  return out;
}

/// An equality that determines the variable is put in everywhere, inside disjunctions too.
std::optional<Greatest> from_equality(const std::string& variable, const Cond& conjunction) {
  for (const Cond& literal : literals(conjunction)) {
    if (literal.kind() != Cond::Kind::eq_zero) continue;
    const auto parts = split_linear(literal.expr(), variable);
    if (!parts || (parts->first != 1 && parts->first != -1)) continue;
    const SymExpr value = parts->first == 1 ? -parts->second : parts->second;
    return Greatest{conjunction.substitute({{variable, value}}), value};
  }
  return std::nullopt;
}

constexpr std::size_t kMostDisjuncts = 64;
constexpr std::int64_t kMostTried = 256;  ///< values of variables that no rule eliminates

/// Disjunctive normal form as far as disjunctions mention the variables; nullopt when it grows too large.
std::optional<std::vector<Cond>> disjuncts(const Cond& c, const std::vector<std::string>& variables) {
  auto touched = [&](const Cond& part) {
    return std::any_of(variables.begin(), variables.end(), [&](auto& v) { return mentions(part, v); });
  };
  std::vector<Cond> out{true};
  for (const Cond& literal : literals(c)) {
    std::vector<Cond> choices{literal};
    if (literal.kind() == Cond::Kind::disj && touched(literal)) {
      choices.clear();
      for (const Cond& part : literal.parts()) {
        auto inner = disjuncts(part, variables);
        if (!inner) return std::nullopt;
        choices.insert(choices.end(), inner->begin(), inner->end());
      }
    }
    std::vector<Cond> next;
    for (const Cond& so_far : out)
      for (const Cond& choice : choices) next.push_back(so_far && choice);
    if (next.size() > kMostDisjuncts) return std::nullopt;
    out = std::move(next);
  }
  return out;
}

/// Which variable to eliminate first: one an equality determines with coefficient 1, then any equality, then
/// any whose elimination succeeds.
int cost(const std::string& variable, const Cond& conjunction) {
  int best = 3;
  for (const Cond& literal : literals(conjunction)) {
    if (!literal.parts().empty() || literal.kind() != Cond::Kind::eq_zero) continue;
    auto parts = split_linear(literal.expr(), variable);
    if (!parts || parts->first == 0) continue;
    best = std::min(best, parts->first == 1 || parts->first == -1 ? 0 : 2);
  }
  return best;
}

/// The values that literals about this variable alone leave it, [first, last].
std::optional<std::pair<std::int64_t, std::int64_t>> few_values(const std::string& variable,
                                                                const Cond& conjunction) {
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  for (const Cond& literal : literals(conjunction)) {
    if (!literal.parts().empty() || literal.kind() != Cond::Kind::le_zero) continue;
    const auto parts = split_linear(literal.expr(), variable);
    if (!parts || !parts->second.constant()) continue;
    const std::int64_t rest = *parts->second.constant();
    if (parts->first == 1) last = last ? std::min(*last, -rest) : -rest;
    if (parts->first == -1) first = first ? std::max(*first, rest) : rest;
  }
  constexpr std::int64_t far = std::int64_t{1} << 40;  // differences stay within 64 bits
  if (!first || !last || *first < -far || *last > far) return std::nullopt;
  return std::pair{*first, *last};
}

std::optional<Cond> exists_in_conjunction(std::vector<std::string> variables, Cond conjunction,
                                          std::int64_t tries);

/// What no rule eliminates is tried value by value, if there are few.
std::optional<Cond> exists_by_trial(const std::vector<std::string>& variables, const Cond& conjunction,
                                    std::int64_t tries) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto values = few_values(variables[i], conjunction);
    if (!values || values->second - values->first >= tries) continue;
    std::vector<std::string> others = variables;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    Cond out(false);
    for (std::int64_t value = values->first; value <= values->second; ++value) {
      const Cond at = conjunction.substitute({{variables[i], SymExpr(value)}});
      const auto one = exists_in_conjunction(others, at, tries / (values->second - values->first + 1));
      if (!one) return std::nullopt;
      out = out || *one;
    }
    return out;
  }
  return std::nullopt;
}

std::optional<Cond> exists_in_conjunction(std::vector<std::string> variables, Cond conjunction,
                                          std::int64_t tries) {
  while (!variables.empty()) {
    std::stable_sort(variables.begin(), variables.end(), [&](const std::string& a, const std::string& b) {
      return cost(a, conjunction) < cost(b, conjunction);
    });
    bool progress = false;
    for (std::size_t i = 0; i < variables.size() && !progress; ++i) {
      auto bounds = bounds_of(variables[i], conjunction);
      if (!bounds) continue;
      conjunction = from_bounds(*bounds, false)->exists;
      // An equality leaves its value in other literals only through the bounds above; the rest is free of it.
      variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(i));
      progress = true;
    }
    if (!progress) return exists_by_trial(variables, conjunction, tries);
  }
  return conjunction;
}

}  // namespace

std::optional<Greatest> greatest(const std::string& variable, const Cond& conjunction) {
  if (auto fixed = from_equality(variable, conjunction)) return fixed;
  auto bounds = bounds_of(variable, conjunction);
  return bounds ? from_bounds(*bounds, true) : std::nullopt;
}

std::optional<Cond> exists(const std::vector<std::string>& variables, Cond condition) {
  if (variables.empty()) return condition;
  auto cases = disjuncts(condition, variables);
  if (!cases) return std::nullopt;
  Cond out(false);
  for (const Cond& one : *cases) {
    auto eliminated = exists_in_conjunction(variables, one, kMostTried);
    if (!eliminated) return std::nullopt;
    out = out || *eliminated;
  }
  return out;
}

}  // namespace bufferproof::checker
