#include "checker/pass.hpp"

#include <algorithm>

#include "checker/certify.hpp"
#include "checker/minimise.hpp"
#include "checker/order.hpp"
#include "checker/report.hpp"
#include "checker/unroll.hpp"
#include "checker/walk.hpp"
#include "model/substitute.hpp"

namespace bufferproof::checker {
namespace {

using model::Cond;
using model::Program;
using model::SymExpr;

/// Fewer roads to force, then smaller sizes.
bool smaller(const model::RunPlan& a, const model::RunPlan& b) {
  return std::pair(a.variants.size(), a.calls) < std::pair(b.variants.size(), b.calls);
}

/// One pass of the pipeline over one program at one unrolling.
class Pass {
 public:
  Pass(const Program& program, const Options& options) : program_(program), options_(options) {}

  Result run(const UnrollPolicy& policy) {
    result_.assumptions = program_.assumptions;
    Ranges ranges = symbol_ranges(program_, options_.assume);
    Unrolled unrolled = unroll(program_, ranges, policy);
    world_ = walk(program_, unrolled.body, ranges);
    result_.undecided = std::move(unrolled.undecided);
    append(result_.undecided, world_.undecided);
    result_.notes = world_.notes;
    if (!satisfiable()) return finish();
    if (!unrolled.within.is_true()) solver().add(unrolled.within);
    judge_all();
    return finish();
  }

  bool vacuous() const { return vacuous_; }

 private:
  template <typename T>
  static void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  /// The solver with ranges and assumptions, made when first needed: most programs need none.
  Solver& solver() {
    if (solver_) return *solver_;
    solver_.emplace(options_.rlimit, options_.stop);
    for (const model::Symbol& symbol : program_.symbols) restrict(symbol.name, symbol.lo, symbol.hi);
    solver_->add(options_.assume);
    return *solver_;
  }

  /// False when no run satisfies the preconditions: a proof would be vacuous. Ranges alone are never empty.
  bool satisfiable() {
    if (options_.assume.is_true()) return true;
    const Answer answer = solver().check();
    if (answer == Answer::sat) return true;
    vacuous_ = answer == Answer::unsat;
    undecided(vacuous_ ? Verdict::unsupported : Verdict::budget, {},
              vacuous_ ? "no run satisfies the ranges and the assumptions together"
                       : "the ranges and assumptions are too hard for the resource limit");
    return false;
  }

  void restrict(const std::string& symbol, std::int64_t lo, std::optional<std::int64_t> hi) {
    solver_->add(Cond::le(lo, SymExpr::symbol(symbol)));
    if (hi) solver_->add(Cond::le(SymExpr::symbol(symbol), *hi));
  }

  void undecided(Verdict kind, const model::SourceLocation& where, const std::string& reason) {
    result_.undecided.push_back({kind, where, reason});
  }

  void judge_all() {
    const Tags tags(world_);
    for (const Misuse& misuse : world_.misuses) ask(question_of(misuse));
    if (stopped()) return;
    for (const Bounds& bounds : world_.bounds) take(judge(world_, bounds), bounds.where, bounds.buffer);
    for (const Read& read : world_.reads) {
      if (stopped()) return;
      const Judged judged = judge(world_, tags, read);
      if (options_.certificate && judged.cover)
        result_.certificate.proofs.push_back(covered(world_, read, *judged.cover, judged.later));
      take(judged, read.where, read.buffer);
    }
    for (const Meeting& meeting : world_.meetings)
      take(judge(world_, meeting), meeting.later.where, meeting.later.buffer);
    if (!world_.several_streams) return;
    if (auto questions = races(world_)) {
      for (const Question& question : *questions) ask(question);
    } else {
      undecided(Verdict::unsupported, {}, "the order of streams whose names depend on symbols");
    }
  }

  /// What is left is not judged; what is refuted stays so.
  bool stopped() {
    if (!options_.stop.stop_requested()) return false;
    undecided(Verdict::budget, {}, "stopped before every obligation was judged");
    return true;
  }

  void take(const Judged& judged, const model::SourceLocation& where, const std::string& buffer) {
    ++result_.statistics.obligations;
    if (judged.by_algebra) {
      ++result_.statistics.by_algebra;
      return;
    }
    ++result_.statistics.by_solver;
    if (!judged.decided) {
      undecided(Verdict::budget, where, "the elements of " + buffer + " are outside the decidable fragment");
      return;
    }
    for (const Question& question : judged.questions) ask(question);
    for (const Question& question : judged.rests_on_unknown) ask_unknown(question);
  }

  void ask(const Question& question) {
    if (question.wrong.is_false() || found_.size() >= options_.most_refutations) return;
    Witness witness;
    std::string smtlib;
    switch (
        smallest(solver(), program_, world_, question, witness, options_.certificate ? &smtlib : nullptr)) {
      case Found::none:
        if (options_.certificate) result_.certificate.proofs.push_back(solved(question, std::move(smtlib)));
        return;
      case Found::unknown:
        undecided(
            Verdict::budget, question.where,
            "whether " + question.buffer + " is right (" + question.rule + ") exceeds the resource limit");
        return;
      case Found::witness:
        if (!reported_before(question, witness))
          add(refutation(program_, world_, question, witness), question.step);
    }
  }

  void ask_unknown(const Question& question) {
    solver().push();
    solver().add(question.wrong && roads(world_, question.wrong));
    if (solver().check() != Answer::unsat)
      undecided(Verdict::unsupported, question.where,
                !question.message.empty()
                    ? question.buffer + " " + question.message + "; how is not followed exactly"
                : question.rule == "E1"
                    ? question.reader.str() + " may read elements of " + question.buffer +
                          " that are not right; which of them matter is not followed exactly"
                    : question.buffer +
                          " holds the result of a call whose effects are not known; give the --schema of a "
                          "library's call, a kernel's text and as many arguments as it takes");
    solver().pop();
  }

  /// Taint: in wrappers an unwritten element is reported once, at its first read. On this run, is that an
  /// earlier one?
  bool reported_before(const Question& question, const Witness& witness) {
    if (world_.dialect != model::Dialect::wrapper || question.kind != model::FindingClass::unwritten)
      return false;
    const bool before = std::any_of(unwritten_.begin(), unwritten_.end(), [&](const Question& earlier) {
      const bool may_be_the_same = earlier.storage == question.storage || has_copy(question.storage);
      return may_be_the_same && earlier.step <= question.step && holds_on(earlier, witness);
    });
    unwritten_.push_back(question);  // on other runs it may be the first
    return before;
  }

  /// A copied element brings along that it was reported where it came from.
  bool has_copy(int storage) const {
    const auto& events = world_.storages[static_cast<std::size_t>(storage)].events;
    return std::any_of(events.begin(), events.end(),
                       [](const Event& e) { return e.kind == Event::Kind::copy; });
  }

  bool holds_on(const Question& question, const Witness& witness) {
    solver().push();
    solver().add(question.wrong);
    std::set<std::string> symbols;
    question.wrong.collect_symbols(symbols);
    for (const model::Symbol& symbol : program_.symbols) fix(symbol.name, witness);
    for (const Choice& choice : world_.choices)
      if (symbols.contains(choice.symbol)) fix(choice.symbol, witness);
    const bool holds = solver().check() == Answer::sat;
    solver().pop();
    return holds;
  }

  void fix(const std::string& symbol, const Witness& witness) {
    auto value = witness.values.find(symbol);
    solver().add(Cond::eq(SymExpr::symbol(symbol), value == witness.values.end() ? 0 : value->second));
  }

  /// One finding per class, buffer and reader: the one with the smallest run.
  void add(Refutation refutation, int step) {
    const auto same = [&](const std::pair<int, Refutation>& other) {
      return same_subject(other.second, refutation);
    };
    auto found = std::find_if(found_.begin(), found_.end(), same);
    if (found == found_.end()) {
      found_.emplace_back(step, std::move(refutation));
    } else if (smaller(refutation.plan, found->second.plan)) {
      found->second = std::move(refutation);
    }
  }

  void fill_certificate() {
    Certificate& c = result_.certificate;
    c.program = program_.file;
    c.assumptions = result_.assumptions;
    for (const model::Symbol& symbol : program_.symbols)
      c.symbols.push_back({symbol.name, symbol.lo, symbol.hi ? std::to_string(*symbol.hi) : ""});
    if (!options_.assume.is_true()) c.assumptions.push_back(options_.assume.str());
  }

  Result finish() {
    if (options_.certificate) fill_certificate();
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second.finding.kind) < std::pair(b.first, b.second.finding.kind);
    });
    for (auto& [step, refutation] : found_) result_.refutations.push_back(std::move(refutation));
    auto any = [&](Verdict kind) {
      return std::any_of(result_.undecided.begin(), result_.undecided.end(),
                         [&](const Undecided& u) { return u.kind == kind; });
    };
    result_.verdict = !result_.refutations.empty() ? Verdict::refuted
                      : any(Verdict::unsupported)  ? Verdict::unsupported
                      : any(Verdict::budget)       ? Verdict::budget
                                                   : Verdict::proved;
    return std::move(result_);
  }

  const Program& program_;
  const Options& options_;
  std::optional<Solver> solver_;
  World world_;
  Result result_;
  bool vacuous_ = false;
  std::vector<std::pair<int, Refutation>> found_;
  std::vector<Question> unwritten_;
};

}  // namespace

bool same_subject(const Refutation& a, const Refutation& b) {
  return a.finding.kind == b.finding.kind && a.finding.buffer == b.finding.buffer &&
         a.finding.reader == b.finding.reader;
}

Result pass(const Program& program, const Options& options, bool everything, bool* vacuous) {
  UnrollPolicy policy;
  policy.budget = options.unroll_budget;
  policy.everything = everything;
  Pass one(program, options);
  Result result = one.run(policy);
  if (vacuous) *vacuous = one.vacuous();
  return result;
}

}  // namespace bufferproof::checker
