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

  /// From the first check that finds a model on, the solver's last model satisfies all that is asserted.
  Found run(Witness& witness, std::string* proof) {
    Scope scope(solver_);
    solver_.add(question_.wrong && roads(world_, question_.wrong));
    Answer answer = solver_.check();
    if (answer == Answer::sat && question_.running) answer = still_running();
    if (answer == Answer::unsat && proof) *proof = solver_.smtlib();
    if (answer == Answer::unsat) return Found::none;
    if (answer == Answer::unknown || !fewest_fallbacks()) return Found::unknown;
    for (const model::Symbol& symbol : program_.symbols) least(SymExpr::symbol(symbol.name));
    for (const Choice& choice : world_.choices)
      if (symbols_.contains(choice.symbol)) least(SymExpr::symbol(choice.symbol));
    for (const SymExpr& index : question_.element) least(index);
    fill(witness);
    return solver_.stopped() ? Found::unknown : Found::witness;
  }

 private:
  /// Joins that no launch has raised before: first what is about the question's own roads, which mostly
  /// settles it.
  Answer still_running() {
    const Cond& all = *question_.running;
    const std::vector<Cond> parts = all.kind() == Cond::Kind::conj ? all.parts() : std::vector<Cond>{all};
    for (const Cond& part : parts) {
      std::set<std::string> mentioned;
      part.collect_symbols(mentioned);
      const bool own =
          std::any_of(mentioned.begin(), mentioned.end(), [&](auto& s) { return symbols_.contains(s); });
      if (own) solver_.add(part);
    }
    if (solver_.check() == Answer::unsat) return Answer::unsat;
    all.collect_symbols(symbols_);
    solver_.add(all && roads(world_, all));
    return solver_.check();
  }

  /// As few kernels off their tuned road as can be, among those the question depends on. False: too hard.
  bool fewest_fallbacks() {
    SymExpr count = 0;
    for (const Choice& choice : world_.choices) {
      if (!symbols_.contains(choice.symbol)) continue;
      const SymExpr flag = SymExpr::symbol("off tuned: " + choice.kernel);
      const Cond off = off_tuned(choice);
      solver_.add((off && Cond::eq(flag, 1)) || (!off && Cond::eq(flag, 0)));
      count = count + flag;
    }
    if (count.is_constant()) return true;
    if (solver_.check() != Answer::sat) return false;
    least(count, 0);
    return true;
  }

  bool holds(const Cond& extra) {
    Scope scope(solver_);
    solver_.add(extra);
    return solver_.check() == Answer::sat;
  }

  /// Fixes an expression to its least possible value, coming down from the one it has in the last model.
  void least(const SymExpr& expr) { least(expr, world_.ranges.of(expr).lo); }

  void least(const SymExpr& expr, std::optional<std::int64_t> lowest) {
    auto possible = expr.is_constant() ? std::nullopt : solver_.value(expr);
    if (!possible) return;
    if (!lowest) lowest = lower_end(expr, *possible);
    std::int64_t probe = *lowest;  // it mostly is
    while (*possible > *lowest) {
      if (holds(Cond::le(expr, probe))) {
        possible = solver_.value(expr);
        if (!possible) return;  // asked to stop
      } else {
        lowest = probe + 1;
      }
      probe = *lowest + (*possible - *lowest) / 2;
    }
    solver_.add(Cond::eq(expr, *possible));
  }

  /// A value the expression is not below: 0 mostly, else by steps that double.
  std::int64_t lower_end(const SymExpr& expr, std::int64_t possible) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    std::int64_t end = std::min<std::int64_t>(possible, 0);
    for (std::int64_t step = 1; end > -kFar && holds(Cond::lt(expr, end)); step *= 2) end -= step;
    return end;
  }

  void fill(Witness& witness) {
    auto take = [&](const std::string& symbol) {
      witness.values[symbol] = solver_.value(SymExpr::symbol(symbol)).value_or(0);
    };
    for (const model::Symbol& symbol : program_.symbols) take(symbol.name);
    for (const Choice& choice : world_.choices)
      if (symbols_.contains(choice.symbol)) take(choice.symbol);
    for (const std::string& symbol : symbols_) take(symbol);
    for (const SymExpr& index : question_.element)
      witness.element.push_back(solver_.value(index).value_or(0));
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
