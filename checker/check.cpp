#include "checker/check.hpp"

#include <algorithm>

#include "checker/pass.hpp"
#include "checker/preconditions.hpp"
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

constexpr std::int64_t kMostSmallSizes = 3;

/// given: undecided for all sizes
/// The least sizes one by one: they cannot prove, but what goes wrong mostly goes wrong there. Sizes that do
/// not fit the assumptions are passed over.
void refute_at_small_sizes(const Program& program, const Options& options, Result& result) {
  if (!result.refutations.empty() || program.symbols.empty() || options.stop.stop_requested()) return;
  for (std::int64_t more = 0; more < kMostSmallSizes && result.refutations.empty(); ++more) {
    Program fixed = program;
    Options at = options;
    at.certificate = false;
    for (const model::Symbol& symbol : program.symbols) {
      const std::int64_t value = std::min(symbol.lo + more, symbol.hi.value_or(INT64_MAX));
      fixed = with_value(fixed, symbol.name, value);
      at.assume = at.assume.substitute({{symbol.name, SymExpr(value)}});
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

/// Symbols with one value in range are that value.
Result decide(const Program& given, const Options& given_options) {
  Program program = given;
  Options options = given_options;
  for (const model::Symbol& symbol : given.symbols) {
    if (symbol.hi != symbol.lo) continue;
    program = with_value(program, symbol.name, symbol.lo);
    options.assume = options.assume.substitute({{symbol.name, SymExpr(symbol.lo)}});
  }
  const Preconditions given_by_all = preconditions(program);
  options.assume = options.assume && given_by_all.hold;
  bool vacuous = false;
  Result result = attempt(program, options, kMostSplits, vacuous);
  if (undecided_by_fragment(result)) refute_at_small_sizes(program, options, result);
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
