#include "checker/address.hpp"

#include <algorithm>

namespace bufferproof::checker {
namespace {

using model::AtomRef;
using model::BoundVariable;
using model::Cond;
using model::SymExpr;
using model::Term;

/// A monomial of size symbols, as an expression, with the digit it multiplies.
struct Digit {
  SymExpr monomial;
  SymExpr value;
};

bool is_variable(const AtomRef& atom, const std::vector<BoundVariable>& variables) {
  std::set<std::string> symbols;
  if (atom->kind == model::Atom::Kind::symbol)
    return std::any_of(variables.begin(), variables.end(), [&](auto& v) { return v.name == atom->name; });
  for (const SymExpr& argument : atom->arguments) argument.collect_symbols(symbols);
  return std::any_of(variables.begin(), variables.end(), [&](auto& v) { return symbols.contains(v.name); });
}

SymExpr of_atoms(const std::vector<AtomRef>& atoms) {
  SymExpr out(1);
  for (const AtomRef& atom : atoms) out = out * from_atom(atom);
  return out;
}

/// Groups terms by their size part. A constant digit joins the group of its own monomial.
std::vector<Digit> digits(const SymExpr& address, const std::vector<BoundVariable>& variables) {
  std::map<SymExpr, SymExpr> groups;
  groups[SymExpr(1)] = address.constant_part();
  for (const Term& term : address.terms()) {
    std::vector<AtomRef> sizes;
    std::vector<AtomRef> indices;
    for (const AtomRef& atom : term.atoms) (is_variable(atom, variables) ? indices : sizes).push_back(atom);
    SymExpr& group = groups[of_atoms(sizes)];
    group = group + of_atoms(indices) * SymExpr(term.coefficient);
  }
  std::vector<Digit> out;
  for (auto& [monomial, value] : groups) out.push_back({monomial, value});
  return out;
}

bool below(const SymExpr& value, const std::vector<BoundVariable>& variables, const SymExpr& limit,
           const Ranges& ranges) {
  const auto most = extreme(value, variables, true);
  const auto least = extreme(value, variables, false);
  return most && least && ranges.surely_lt(*most, limit) && ranges.surely_le(0, *least);
}

/// The part of an address below each monomial of `order`, smallest first, stays below it.
bool no_carry(const std::vector<Digit>& all, const std::vector<SymExpr>& order,
              const std::vector<BoundVariable>& variables, const Ranges& ranges) {
  SymExpr lower = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && !below(lower, variables, order[i], ranges)) return false;
    for (const Digit& digit : all)
      if (digit.monomial == order[i]) lower = lower + digit.value * digit.monomial;
  }
  return true;
}

std::vector<SymExpr> monomials(const std::vector<Digit>& a, const std::vector<Digit>& b) {
  std::set<SymExpr> all;
  for (const Digit& digit : a) all.insert(digit.monomial);
  for (const Digit& digit : b) all.insert(digit.monomial);
  std::vector<SymExpr> out(all.begin(), all.end());
  auto degree = [](const SymExpr& e) { return e.terms().empty() ? 0 : e.terms()[0].atoms.size(); };
  std::stable_sort(out.begin(), out.end(), [&](auto& x, auto& y) { return degree(x) < degree(y); });
  return out;
}

SymExpr digit_of(const std::vector<Digit>& all, const SymExpr& monomial) {
  for (const Digit& digit : all)
    if (digit.monomial == monomial) return digit.value;
  return 0;
}

}  // namespace

std::optional<SymExpr> extreme(const SymExpr& value, const std::vector<BoundVariable>& variables,
                               bool greatest) {
  SymExpr out = value;
  for (auto v = variables.rbegin(); v != variables.rend(); ++v) {
    std::int64_t coefficient = 0;
    for (const Term& term : out.terms())
      for (const AtomRef& atom : term.atoms)
        if (atom->kind == model::Atom::Kind::symbol && atom->name == v->name) {
          if (term.atoms.size() != 1) return std::nullopt;
          coefficient = term.coefficient;
        }
    if (coefficient == 0) continue;
    const bool high = (coefficient > 0) == greatest;
    out = out.substitute({{v->name, high ? v->hi - 1 : v->lo}});
  }
  return out;
}

Cond same_address(const SymExpr& a, const std::vector<BoundVariable>& a_variables, const SymExpr& b,
                  const std::vector<BoundVariable>& b_variables, const Ranges& ranges) {
  std::vector<BoundVariable> variables = a_variables;
  variables.insert(variables.end(), b_variables.begin(), b_variables.end());
  const std::vector<Digit> da = digits(a, variables);
  const std::vector<Digit> db = digits(b, variables);
  const std::vector<SymExpr> order = monomials(da, db);
  const bool by_digit =
      order.size() > 1 && no_carry(da, order, variables, ranges) && no_carry(db, order, variables, ranges);
  if (!by_digit) return Cond::eq(a, b);
  Cond equal(true);
  for (const SymExpr& monomial : order)
    equal = equal && Cond::eq(digit_of(da, monomial), digit_of(db, monomial));
  return equal;
}

}  // namespace bufferproof::checker
