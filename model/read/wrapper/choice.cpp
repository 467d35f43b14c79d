#include "model/read/wrapper/choice.hpp"

#include <set>

namespace bufferproof::model::wrapper {
namespace {

SymExpr with(const SymExpr& e, const std::string& symbol, const SymExpr& value) {
  return e.substitute({{symbol, value}});
}

/// Each value on its own side of the border, less what the other one adds there.
std::optional<SymExpr> by_border(const SymExpr& leaves, const SymExpr& yes, const SymExpr& no) {
  const auto linear = leaves.linear();
  if (!linear || linear->size() != 1) return std::nullopt;
  const auto& [symbol, step] = *linear->begin();
  if (step != 1 && step != -1) return std::nullopt;
  const SymExpr value = SymExpr::symbol(symbol);
  const bool below = step == 1;  // the test holds up to the border, or from it on
  const SymExpr border = below ? -SymExpr(leaves.constant_part()) : SymExpr(leaves.constant_part());
  const SymExpr beyond = below ? border + 1 : border - 1;
  const SymExpr yes_there = with(yes, symbol, border);
  const SymExpr no_there = with(no, symbol, beyond);
  if (!yes_there.is_constant() || !no_there.is_constant()) return std::nullopt;
  const SymExpr holds = min(1, max(0, SymExpr(1) - leaves));
  return with(yes, symbol, below ? min(value, border) : max(value, border)) +
         with(no, symbol, below ? max(value, beyond) : min(value, beyond)) - holds * no_there -
         (SymExpr(1) - holds) * yes_there;
}

/// `x != 0`, `x == 0` of what is not negative, and `x == 1` of a truth, as comparisons.
Cond as_comparison(const Cond& test, const RangeOf& range_of) {
  std::set<std::string> names;
  test.collect_symbols(names);
  if (names.size() != 1) return test;
  const SymExpr x = SymExpr::symbol(*names.begin());
  const auto [lo, hi] = range_of(*names.begin());
  if (lo < 0) return test;
  if (test == Cond::ne(x, 0) || (hi == 1 && test == Cond::eq(x, 1))) return Cond::le(1, x);
  return test == Cond::eq(x, 0) ? Cond::le(x, 0) : test;
}

}  // namespace

std::optional<SymExpr> choose(const Cond& asked, const SymExpr& yes, const SymExpr& no,
                              const RangeOf& range_of) {
  const Cond test = as_comparison(asked, range_of);
  if (test.kind() != Cond::Kind::le_zero) return std::nullopt;
  const SymExpr& leaves = test.expr();
  for (const SymExpr& slack : {SymExpr(0), SymExpr(1)}) {
    if (leaves == yes - no + slack) return min(yes, no);
    if (leaves == no - yes + slack) return max(yes, no);
  }
  return by_border(leaves, yes, no);
}

}  // namespace bufferproof::model::wrapper
