#include "checker/check.hpp"

#include <algorithm>
#include <numeric>

#include "checker/pass.hpp"
#include "checker/preconditions.hpp"
#include "checker/ranges.hpp"
#include "checker/repeat.hpp"
#include "model/substitute.hpp"

namespace bufferproof::checker {
namespace {

using model::Program;
using model::SymExpr;

bool has_loop(const model::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const model::Step& step) {
    if (const auto* branch = std::get_if<model::Branch>(&step.node))
      return has_loop(branch->then_block) || has_loop(branch->else_block);
    return std::holds_alternative<model::Loop>(step.node);
  });
}

constexpr std::int64_t kMostSplits = 64;  ///< values a symbol is split into, and program copies that makes

/// The bounded symbol with the fewest values, if that is few enough to try one by one.
const model::Symbol* splittable(const Program& program, std::int64_t left) {
  const model::Symbol* best = nullptr;
  auto values = [](const model::Symbol& s) { return *s.hi - s.lo + 1; };
  for (const model::Symbol& symbol : program.symbols) {
    if (!symbol.hi || *symbol.hi == symbol.lo || *symbol.hi - symbol.lo >= left) continue;
    if (!best || values(symbol) < values(*best)) best = &symbol;
  }
  return best;
}

Program with_value(const Program& program, const std::string& symbol, std::int64_t value) {
  Program out = program;
  for (model::Symbol& s : out.symbols)
    if (s.name == symbol) s.lo = value, s.hi = value, s.value = value;
  for (model::Step& step : out.body) step = substitute(step, {{symbol, SymExpr(value)}});
  return out;
}

void merge(Result& into, Result&& from) {
  for (Refutation& refutation : from.refutations) {
    const auto same = [&](const Refutation& other) { return same_subject(other, refutation); };
    if (std::none_of(into.refutations.begin(), into.refutations.end(), same))
      into.refutations.push_back(std::move(refutation));
  }
  into.undecided.insert(into.undecided.end(), from.undecided.begin(), from.undecided.end());
  into.statistics.obligations += from.statistics.obligations;
  into.statistics.by_algebra += from.statistics.by_algebra;
  into.statistics.by_solver += from.statistics.by_solver;
  into.certificate.proofs.insert(into.certificate.proofs.end(), from.certificate.proofs.begin(),
                                 from.certificate.proofs.end());
  if (into.refutations.empty()) {
    into.verdict = from.verdict == Verdict::proved ? into.verdict : std::max(into.verdict, from.verdict);
  } else {
    into.verdict = Verdict::refuted;
  }
}

bool undecided_by_fragment(const Result& result) {
  return std::any_of(result.undecided.begin(), result.undecided.end(),
                     [](const Undecided& u) { return u.kind == Verdict::budget; });
}

constexpr std::int64_t kSmallSizes = 3;   ///< of each symbol, from its least
constexpr std::size_t kMostCombined = 3;  ///< symbols whose small sizes are tried in every combination

/// Steps above the least sizes, smallest sum first: every combination of few symbols, else all alike.
std::vector<std::vector<std::int64_t>> small_steps(std::size_t symbols) {
  std::vector<std::vector<std::int64_t>> out;
  for (std::int64_t all = 0; symbols > kMostCombined && all < kSmallSizes; ++all)
    out.emplace_back(symbols, all);
  if (!out.empty()) return out;
  out.emplace_back();
  for (std::size_t i = 0; i < symbols; ++i) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& steps : out)
      for (std::int64_t more = 0; more < kSmallSizes; ++more) {
        longer.push_back(steps);
        longer.back().push_back(more);
      }
    out = std::move(longer);
  }
  const auto sum = [](const auto& steps) {
    return std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
  };
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return sum(a) < sum(b); });
  return out;
}

/// The sizes to try: small ones, then those the file gives.
std::vector<std::vector<std::int64_t>> likely_sizes(const Program& program) {
  std::vector<std::vector<std::int64_t>> out;
  const auto add = [&](std::vector<std::int64_t> sizes) {
    if (std::find(out.begin(), out.end(), sizes) == out.end()) out.push_back(std::move(sizes));
  };
  for (std::vector<std::int64_t> sizes : small_steps(program.symbols.size())) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = std::min(program.symbols[i].lo + sizes[i], program.symbols[i].hi.value_or(INT64_MAX));
    add(std::move(sizes));
  }
  std::vector<std::int64_t> given;
  for (const model::Symbol& symbol : program.symbols) given.push_back(symbol.value.value_or(symbol.lo));
  add(std::move(given));
  return out;
}

/// given: undecided for all sizes
/// Likely sizes one by one: they cannot prove, but what goes wrong mostly goes wrong there. Sizes that do not
/// fit the assumptions are passed over.
void refute_at_likely_sizes(const Program& program, const Options& options, Result& result) {
  if (!result.refutations.empty() || program.symbols.empty()) return;
  for (const std::vector<std::int64_t>& sizes : likely_sizes(program)) {
    if (!result.refutations.empty() || options.stop.stop_requested()) break;
    Program fixed = program;
    Options at = options;
    at.certificate = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      fixed = with_value(fixed, program.symbols[i].name, sizes[i]);
      at.assume = at.assume.substitute({{program.symbols[i].name, SymExpr(sizes[i])}});
    }
    if (at.assume.is_false()) continue;
    result.refutations = pass(fixed, at, true).refutations;
  }
  if (!result.refutations.empty()) result.verdict = Verdict::refuted;
}

/// What a summary cannot decide is tried with every loop unrolled, then value by value of a symbol with few
/// values.
Result attempt(const Program& program, const Options& options, std::int64_t splits, bool& vacuous) {
  Result result = pass(program, options, false, &vacuous);
  if (!undecided_by_fragment(result) || options.stop.stop_requested()) return result;
  if (has_loop(program.body)) {
    Result unrolled = pass(program, options, true);
    if (!undecided_by_fragment(unrolled)) return unrolled;
  }
  const model::Symbol* symbol = splittable(program, splits);
  if (!symbol) return result;
  const std::int64_t count = *symbol->hi - symbol->lo + 1;
  Result merged;
  bool first = true;
  for (std::int64_t value = symbol->lo; value <= *symbol->hi; ++value) {
    const Program fixed = with_value(program, symbol->name, value);
    Options at = options;
    at.assume = options.assume.substitute({{symbol->name, SymExpr(value)}});
    if (at.assume.is_false()) continue;
    bool never = false;
    Result one = attempt(fixed, at, splits / count, never);
    if (never) continue;
    if (first) {
      merged = std::move(one);
      first = false;
    } else {
      merge(merged, std::move(one));
    }
  }
  return first ? result : merged;
}

/// With the ranges that --assume leaves.
Program narrowed(Program program, const model::Cond& assume) {
  const Ranges ranges = symbol_ranges(program, assume);
  for (model::Symbol& symbol : program.symbols) {
    const Interval left = ranges.of(SymExpr::symbol(symbol.name));
    if (left.lo && left.hi && *left.lo > *left.hi) continue;  // no run: said elsewhere
    symbol.lo = left.lo.value_or(symbol.lo);
    symbol.hi = left.hi;
  }
  return program;
}

/// Symbols with one value in range are that value.
Result decide(const Program& given, const Options& given_options) {
  Program program = narrowed(given, given_options.assume);
  Options options = given_options;
  for (const model::Symbol& symbol : Program(program).symbols) {
    if (symbol.hi != symbol.lo) continue;
    program = with_value(program, symbol.name, symbol.lo);
    options.assume = options.assume.substitute({{symbol.name, SymExpr(symbol.lo)}});
  }
  const Preconditions given_by_all = preconditions(program);
  options.assume = options.assume && given_by_all.hold;
  bool vacuous = false;
  Result result = attempt(program, options, kMostSplits, vacuous);
  if (undecided_by_fragment(result)) refute_at_likely_sizes(program, options, result);
  for (std::vector<std::string>* list : {&result.assumptions, &result.certificate.assumptions})
    list->insert(list->end(), given_by_all.assumed.begin(), given_by_all.assumed.end());
  return result;
}

/// Proved with symbols of each iteration's own, or refuted with symbols that stay; else not decided.
Result decide_loops(const Program& program, const Options& options, const Finite& finite) {
  Result result = decide(finite.program, options);
  auto& rests_on = result.certificate.assumptions;
  rests_on.insert(rests_on.end(), finite.conclusions.begin(), finite.conclusions.end());
  if (!finite.own_symbols || result.verdict != Verdict::refuted) return result;
  const auto staying = with_finite_loops(program, options, false);
  Result second = decide(staying ? staying->program : program, options);
  if (second.verdict == Verdict::proved)
    second.undecided.push_back({Verdict::budget,
                                {},
                                "what goes wrong needs a loop whose sizes or conditions change "
                                "from one iteration to the next"});
  if (second.verdict == Verdict::proved) second.verdict = Verdict::budget;
  return second;
}

}  // namespace

Result check(const Program& program, const Options& options) {
  model::validate(program);
  if (const auto finite = with_finite_loops(program, options, true))
    return decide_loops(program, options, *finite);
  return decide(program, options);
}

}  // namespace bufferproof::checker
