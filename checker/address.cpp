#include "checker/address.hpp"

#include <algorithm>

#include "model/substitute.hpp"

namespace bufferproof::checker {
namespace {

using model::AtomRef;
using model::BoundVariable;
using model::Cond;
using model::SymExpr;
using model::Term;

/// What a place of the address is worth, and the digit standing there.
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
std::map<SymExpr, SymExpr> by_monomial(const SymExpr& address, const std::vector<BoundVariable>& variables) {
  std::map<SymExpr, SymExpr> groups;
  groups[SymExpr(1)] = address.constant_part();
  for (const Term& term : address.terms()) {
    std::vector<AtomRef> sizes;
    std::vector<AtomRef> indices;
    for (const AtomRef& atom : term.atoms) (is_variable(atom, variables) ? indices : sizes).push_back(atom);
    SymExpr& group = groups[of_atoms(sizes)];
    group = group + of_atoms(indices) * SymExpr(term.coefficient);
  }
  return groups;
}

using Radices = std::map<SymExpr, std::set<std::int64_t, std::greater<>>>;

/// The strides that occur with each monomial, greatest first; 1 always is one.
void add_radices(const std::map<SymExpr, SymExpr>& groups, Radices& radices) {
  for (const auto& [monomial, value] : groups) {
    auto& set = radices[monomial];
    set.insert(1);
    for (const Term& term : value.terms()) set.insert(term.coefficient);
  }
}

bool divide_each_other(const std::set<std::int64_t, std::greater<>>& radices) {
  std::int64_t before = 0;
  for (std::int64_t radix : radices) {
    if (radix <= 0 || (before != 0 && before % radix != 0)) return false;
    before = radix;
  }
  return true;
}

/// Splits a group's value by strides: 802816*x + 112*y + 113 is x, y + 1, 1 at the places 802816, 112, 1.
void split(const SymExpr& monomial, const SymExpr& value,
           const std::set<std::int64_t, std::greater<>>& radices, std::vector<Digit>& out) {
  std::int64_t rest = value.constant_part();
  for (std::int64_t radix : radices) {
    SymExpr digit(radix == 1 ? rest : model::floordiv_value(rest, radix));
    rest -= digit.constant_part() * radix;
    for (const Term& term : value.terms())
      if (term.coefficient == radix) digit = digit + of_atoms(term.atoms);
    out.push_back({monomial * SymExpr(radix), digit});
  }
}

std::vector<Digit> digits(const std::map<SymExpr, SymExpr>& groups, const Radices& radices) {
  std::vector<Digit> out;
  for (const auto& [monomial, value] : groups) {
    const auto& set = radices.at(monomial);
    if (divide_each_other(set)) {
      split(monomial, value, set, out);
    } else {
      out.push_back({monomial, value});
    }
  }
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
  auto weight = [](const SymExpr& e) {
    return e.terms().empty() ? std::pair<std::size_t, std::int64_t>(0, e.constant_part())
                             : std::pair(e.terms()[0].atoms.size(), e.terms()[0].coefficient);
  };
  std::stable_sort(out.begin(), out.end(), [&](auto& x, auto& y) { return weight(x) < weight(y); });
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

namespace {

/// Every symbol as a variable that is what it is: its range is the one of the symbol.
void add_symbols(const SymExpr& expr, std::vector<BoundVariable>& variables) {
  std::set<std::string> symbols;
  expr.collect_symbols(symbols);
  for (const std::string& name : symbols) {
    const bool known =
        std::any_of(variables.begin(), variables.end(), [&](auto& v) { return v.name == name; });
    const SymExpr self = SymExpr::symbol(name);
    if (!known) variables.push_back({name, self, self + 1});
  }
}

/// Digit by digit. nullopt: one place may carry into the next.
std::optional<Cond> same_digits(const SymExpr& a, const SymExpr& b, std::vector<BoundVariable> variables,
                                const Ranges& ranges) {
  // Sizes that are only added are digits like any other; those that multiply an index make places of their
  // own.
  if (a.linear() && b.linear()) add_symbols(a - b, variables);
  const auto ga = by_monomial(a, variables);
  const auto gb = by_monomial(b, variables);
  Radices radices;
  add_radices(ga, radices);
  add_radices(gb, radices);
  const std::vector<Digit> da = digits(ga, radices);
  const std::vector<Digit> db = digits(gb, radices);
  std::vector<SymExpr> order = monomials(da, db);
  const auto empty = [&](const SymExpr& place) {
    return digit_of(da, place) == SymExpr(0) && digit_of(db, place) == SymExpr(0);
  };
  order.erase(std::remove_if(order.begin(), order.end(), empty), order.end());
  if (order.size() < 2 || !no_carry(da, order, variables, ranges) || !no_carry(db, order, variables, ranges))
    return std::nullopt;
  Cond equal(true);
  for (const SymExpr& monomial : order)
    equal = equal && Cond::eq(digit_of(da, monomial), digit_of(db, monomial));
  return equal;
}

/// m of a range [0, m * M) with M a product of sizes; 0: it is none, or has too many pieces.
std::int64_t pieces(const BoundVariable& variable) {
  constexpr std::int64_t kMostPieces = 8;
  const bool product =
      variable.lo == SymExpr(0) && variable.hi.constant_part() == 0 && variable.hi.terms().size() == 1;
  const std::int64_t count = product ? variable.hi.terms()[0].coefficient : 0;
  return count >= 2 && count <= kMostPieces ? count : 0;
}

/// The addresses where `variable` is q * block + a rest below block; nullopt: still not digit by digit.
std::optional<Cond> same_in_piece(const SymExpr& a, const SymExpr& b, std::vector<BoundVariable> variables,
                                  const std::string& variable, const SymExpr& block, std::int64_t q,
                                  const Ranges& ranges) {
  const std::string rest = variable + " in its block";
  for (BoundVariable& one : variables)
    if (one.name == variable) one = {rest, 0, block};
  const SymExpr begin = block * SymExpr(q);
  const model::Substitution apart{{variable, SymExpr::symbol(rest) + begin}};
  const auto equal = same_digits(a.substitute(apart), b.substitute(apart), variables, ranges);
  if (!equal) return std::nullopt;
  const SymExpr self = SymExpr::symbol(variable);
  return Cond::le(begin, self) && Cond::lt(self, begin + block) && equal->substitute({{rest, self - begin}});
}

/// A variable that runs over several blocks of one size, as a row over blocks of columns: block by block.
std::optional<Cond> same_in_pieces(const SymExpr& a, const SymExpr& b,
                                   const std::vector<BoundVariable>& variables, const Ranges& ranges) {
  for (const BoundVariable& variable : variables) {
    std::optional<Cond> any = Cond(false);
    const std::int64_t count = pieces(variable);
    for (std::int64_t q = 0; q < count && any; ++q) {
      const SymExpr block = of_atoms(variable.hi.terms()[0].atoms);
      const auto here = same_in_piece(a, b, variables, variable.name, block, q, ranges);
      any = here ? std::optional(*any || *here) : std::nullopt;
    }
    if (count > 0 && any) return any;
  }
  return std::nullopt;
}

}  // namespace

Cond same_address(const SymExpr& a, const std::vector<BoundVariable>& a_variables, const SymExpr& b,
                  const std::vector<BoundVariable>& b_variables, const Ranges& ranges) {
  std::vector<BoundVariable> variables = a_variables;
  variables.insert(variables.end(), b_variables.begin(), b_variables.end());
  if (const auto equal = same_digits(a, b, variables, ranges)) return *equal;
  if (a.linear() && b.linear()) return Cond::eq(a, b);
  return same_in_pieces(a, b, variables, ranges).value_or(Cond::eq(a, b));
}

std::optional<SymExpr> quotient(const Term& term, const SymExpr& divisor) {
  if (divisor.is_constant() ? divisor.constant_part() == 0
                            : divisor.terms().size() > 1 || divisor.constant_part() != 0)
    return std::nullopt;
  const std::int64_t by = divisor.is_constant() ? divisor.constant_part() : divisor.terms()[0].coefficient;
  if (term.coefficient % by != 0) return std::nullopt;
  std::vector<AtomRef> left = term.atoms;
  if (!divisor.is_constant())
    for (const AtomRef& atom : divisor.terms()[0].atoms) {
      const auto same = std::find_if(left.begin(), left.end(), [&](const AtomRef& other) {
        return from_atom(other) == from_atom(atom);
      });
      if (same == left.end()) return std::nullopt;
      left.erase(same);
    }
  SymExpr out = term.coefficient / by;
  for (const AtomRef& atom : left) out = out * from_atom(atom);
  return out;
}

}  // namespace bufferproof::checker
