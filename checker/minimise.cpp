#include "checker/minimise.hpp"

#include <algorithm>

namespace bufferproof::checker {
namespace {

using model::Cond;
using model::SymExpr;

class Scope {
 public:
  explicit Scope(Solver& solver) : solver_(solver) { solver_.push(); }
  ~Scope() { solver_.pop(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Solver& solver_;
};

/// The road is one of the kernel's fallbacks.
Cond off_tuned(const Choice& choice) {
  Cond out(false);
  for (std::size_t v = 0; v < choice.names.size(); ++v)
    if (choice.fallback[v])
      out = out || Cond::eq(SymExpr::symbol(choice.symbol), static_cast<std::int64_t>(v));
  return out;
}

class Minimiser {
 public:
  Minimiser(Solver& solver, const model::Program& program, const World& world, const Question& question)
      : solver_(solver), program_(program), world_(world), question_(question) {
    question.wrong.collect_symbols(symbols_);
  }

  Found run(Witness& witness, std::string* proof) {
    Scope scope(solver_);
    solver_.add(question_.wrong && roads(world_, question_.wrong));
    const Answer answer = solver_.check();
    const bool never =
        answer == Answer::unsat || (answer == Answer::sat && question_.running && !still_running());
    if (never && proof) *proof = solver_.smtlib();
    if (never) return Found::none;
    if (answer == Answer::unknown) return Found::unknown;
    if (solver_.check() != Answer::sat) return Found::unknown;
    fewest_fallbacks();
    for (const model::Symbol& symbol : program_.symbols) least(SymExpr::symbol(symbol.name));
    for (const Choice& choice : world_.choices)
      if (symbols_.contains(choice.symbol)) least(SymExpr::symbol(choice.symbol));
    for (const SymExpr& index : question_.element) least(index);
    return fill(witness) ? Found::witness : Found::unknown;
  }

 private:
  /// Joins that no launch has raised before: first what is about the question's own roads, which mostly
  /// settles it.
  bool still_running() {
    const Cond& all = *question_.running;
    const std::vector<Cond> parts = all.kind() == Cond::Kind::conj ? all.parts() : std::vector<Cond>{all};
    for (const Cond& part : parts) {
      std::set<std::string> mentioned;
      part.collect_symbols(mentioned);
      const bool own =
          std::any_of(mentioned.begin(), mentioned.end(), [&](auto& s) { return symbols_.contains(s); });
      if (own) solver_.add(part);
    }
    if (solver_.check() == Answer::unsat) return false;
    all.collect_symbols(symbols_);
    solver_.add(all && roads(world_, all));
    return solver_.check() != Answer::unsat;
  }

  /// at most k for k = 0, 1, 2, ... over the roads the question depends on.
  void fewest_fallbacks() {
    SymExpr count = 0;
    for (const Choice& choice : world_.choices) {
      if (!symbols_.contains(choice.symbol)) continue;
      const SymExpr flag = SymExpr::symbol("off tuned: " + choice.kernel);
      const Cond off = off_tuned(choice);
      solver_.add((off && Cond::eq(flag, 1)) || (!off && Cond::eq(flag, 0)));
      count = count + flag;
    }
    if (!count.is_constant()) least(count);
  }

  bool holds(const Cond& extra) {
    Scope scope(solver_);
    solver_.add(extra);
    return solver_.check() == Answer::sat;
  }

  /// Fixes an expression to its least possible value. The lower end of its range is tried first: it mostly
  /// is.
  void least(const SymExpr& expr) {
    if (expr.is_constant()) return;
    const auto lo = world_.ranges.of(expr).lo;
    if (lo && holds(Cond::eq(expr, *lo))) {
      solver_.add(Cond::eq(expr, *lo));
    } else {
      bisect(expr, lo ? *lo : -(std::int64_t{1} << 40));
    }
  }

  /// Between a value known impossible and one known possible.
  void bisect(const SymExpr& expr, std::int64_t impossible) {
    if (solver_.check() != Answer::sat) return;
    auto possible = solver_.value(expr);
    if (!possible) return;
    while (*possible - impossible > 1) {
      const std::int64_t middle = impossible + (*possible - impossible) / 2;
      if (holds(Cond::le(expr, middle))) {
        possible = middle;
      } else {
        impossible = middle;
      }
    }
    solver_.add(Cond::eq(expr, *possible));
  }

  bool fill(Witness& witness) {
    if (solver_.check() != Answer::sat) return false;
    auto take = [&](const std::string& symbol) {
      witness.values[symbol] = solver_.value(SymExpr::symbol(symbol)).value_or(0);
    };
    for (const model::Symbol& symbol : program_.symbols) take(symbol.name);
    for (const Choice& choice : world_.choices)
      if (symbols_.contains(choice.symbol)) take(choice.symbol);
    for (const std::string& symbol : symbols_) take(symbol);
    for (const SymExpr& index : question_.element)
      witness.element.push_back(solver_.value(index).value_or(0));
    return !solver_.stopped();
  }

  Solver& solver_;
  const model::Program& program_;
  const World& world_;
  const Question& question_;
  std::set<std::string> symbols_;
};

}  // namespace

Cond roads(const World& world, const Cond& condition) {
  std::set<std::string> symbols;
  condition.collect_symbols(symbols);
  Cond out(true);
  for (const Choice& choice : world.choices) {
    if (!symbols.contains(choice.symbol)) continue;
    const SymExpr road = SymExpr::symbol(choice.symbol);
    out = out && Cond::le(0, road) && Cond::lt(road, static_cast<std::int64_t>(choice.names.size()));
  }
  return out;
}

Found smallest(Solver& solver, const model::Program& program, const World& world, const Question& question,
               Witness& witness, std::string* proof) {
  return Minimiser(solver, program, world, question).run(witness, proof);
}

}  // namespace bufferproof::checker
