// Interval arithmetic over symbol ranges: cheap answers before anyone asks Z3.
//
// An answer "true" is a proof; "false" only means not shown. Tested by tests/checker/ranges_test.cpp.
#pragma once

#include <optional>

#include "model/program.hpp"

namespace bufferproof::checker {

/// lo..hi; an empty side is unbounded.
struct Interval {
  std::optional<std::int64_t> lo;
  std::optional<std::int64_t> hi;
};

class Ranges {
 public:
  void set(const std::string& symbol, Interval interval) { intervals_[symbol] = interval; }
  Interval of(const model::SymExpr& expr) const;
  bool surely_le(const model::SymExpr& a, const model::SymExpr& b) const;  ///< a <= b for all values
  bool surely_lt(const model::SymExpr& a, const model::SymExpr& b) const;
  bool surely(const model::Cond& condition) const;

 private:
  Interval of(const model::Atom& atom) const;
  bool at_least(const model::SymExpr& gap, std::int64_t bound) const;
  bool polynomial_at_least(const model::SymExpr& gap, std::int64_t bound) const;
  std::map<std::string, Interval, std::less<>> intervals_;
};

/// The conditions that hold together where `c` does.
std::vector<model::Cond> conjuncts(const model::Cond& c);
/// Takes from `interval` what `literal` says of this symbol, if it is a bound of this symbol alone: else
/// false.
bool narrow(const std::string& symbol, const model::Cond& literal, Interval& interval);
/// The program's ranges, narrowed by what `assume` says of single symbols.
Ranges symbol_ranges(const model::Program& program, const model::Cond& assume);

}  // namespace bufferproof::checker
