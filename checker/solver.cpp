#include "checker/solver.hpp"

#include <z3++.h>

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

namespace bufferproof::checker {

using model::Atom;
using model::AtomRef;
using model::Cond;
using model::SymExpr;

namespace {

/// Making a context costs more than deciding most obligations; one per thread serves them all, until a query
/// in it is interrupted: Z3 takes an interrupted context for interrupted ever after.
std::shared_ptr<z3::context>& shared_context() {
  thread_local std::shared_ptr<z3::context> context;
  if (!context) context = std::make_shared<z3::context>();
  return context;
}

}  // namespace

struct Solver::Impl {
  std::shared_ptr<z3::context> owned = shared_context();
  z3::context& context = *owned;
  z3::solver solver;
  std::optional<z3::model> model;
  std::map<std::string, z3::expr> symbols;
  /// Questions about one program share most of their conditions. The copies keep the identities in use.
  std::unordered_map<const void*, std::pair<Cond, z3::expr>> translated;
  std::int64_t queries = 0;

  std::stop_token stop;
  std::stop_callback<std::function<void()>> interrupt;  ///< from another thread, while a query runs

  Impl(std::uint64_t rlimit, const std::stop_token& token)
      : solver(context, z3::solver::simple()),
        stop(token),
        interrupt(token, [this] { context.interrupt(); }) {
    z3::params params(context);
    params.set("rlimit", static_cast<unsigned>(std::min<std::uint64_t>(rlimit, UINT32_MAX)));
    params.set("random_seed", 0U);
    solver.set(params);
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (stop.stop_requested() && shared_context() == owned) shared_context().reset();
  }

  /// An interrupted context throws at whatever it is asked; nobody believes its answers any more.
  template <typename F>
  void unless_stopped(F&& work) {
    if (stop.stop_requested()) return;
    try {
      work();
    } catch (const z3::exception&) {
      if (!stop.stop_requested()) throw;
    }
  }

  z3::expr symbol(const std::string& name) {
    auto found = symbols.find(name);
    if (found == symbols.end()) found = symbols.emplace(name, context.int_const(name.c_str())).first;
    return found->second;
  }

  z3::expr constant(std::int64_t value) { return context.int_val(value); }

  /// Python's floor division: SMT-LIB's div rounds so that the remainder is non-negative, which differs for
  /// negative divisors only.
  z3::expr floordiv(const z3::expr& a, const z3::expr& b) {
    if (b.is_numeral() && b.get_numeral_int64() > 0) return a / b;
    return z3::ite(b > 0, a / b, -a / -b);
  }

  z3::expr translate(const Atom& atom) {
    if (atom.kind == Atom::Kind::symbol) return symbol(atom.name);
    if (atom.kind == Atom::Kind::call)
      return symbol("call:" + SymExpr::call(atom.name, atom.arguments).str());
    z3::expr a = translate(atom.arguments[0]);
    z3::expr b = translate(atom.arguments[1]);
    switch (atom.kind) {
      case Atom::Kind::floordiv:
        return floordiv(a, b);
      case Atom::Kind::mod:
        return b.is_numeral() && b.get_numeral_int64() > 0 ? z3::mod(a, b) : a - floordiv(a, b) * b;
      case Atom::Kind::min:
        return z3::ite(a <= b, a, b);
      default:
        return z3::ite(a <= b, b, a);
    }
  }

  z3::expr translate(const SymExpr& expr) {
    z3::expr sum = constant(expr.constant_part());
    for (const model::Term& term : expr.terms()) {
      z3::expr factor = translate(*term.atoms[0]);
      for (std::size_t i = 1; i < term.atoms.size(); ++i) factor = factor * translate(*term.atoms[i]);
      sum = sum + (term.coefficient == 1 ? factor : constant(term.coefficient) * factor);
    }
    return sum;
  }

  z3::expr translate(const Cond& c) {
    constexpr std::size_t kMostKept = 1U << 18;
    if (c.identity() == nullptr) return context.bool_val(c.is_true());
    if (const auto known = translated.find(c.identity()); known != translated.end())
      return known->second.second;
    if (translated.size() >= kMostKept) translated.clear();
    z3::expr fresh = translate_anew(c);
    translated.emplace(c.identity(), std::pair(c, fresh));
    return fresh;
  }

  z3::expr translate_anew(const Cond& c) {
    switch (c.kind()) {
      case Cond::Kind::le_zero:
        return translate(c.expr()) <= 0;
      case Cond::Kind::eq_zero:
        return translate(c.expr()) == 0;
      default:
        break;
    }
    z3::expr_vector parts(context);
    for (const Cond& part : c.parts()) parts.push_back(translate(part));
    return c.kind() == Cond::Kind::conj ? z3::mk_and(parts) : z3::mk_or(parts);
  }
};

Solver::Solver(std::uint64_t rlimit, const std::stop_token& stop)
    : impl_(std::make_unique<Impl>(rlimit, stop)) {}
Solver::~Solver() = default;

void Solver::push() {
  impl_->unless_stopped([&] { impl_->solver.push(); });
}
void Solver::pop() {
  impl_->unless_stopped([&] { impl_->solver.pop(); });
}
void Solver::add(const Cond& condition) {
  impl_->unless_stopped([&] { impl_->solver.add(impl_->translate(condition)); });
}

Answer Solver::check() {
  ++impl_->queries;
  if (impl_->stop.stop_requested()) return Answer::unknown;
  try {
    switch (impl_->solver.check()) {
      case z3::sat:
        impl_->model = impl_->solver.get_model();
        return Answer::sat;
      case z3::unsat:
        return Answer::unsat;
      default:
        return Answer::unknown;
    }
  } catch (const z3::exception&) {
    return Answer::unknown;  // the resource limit may surface as an exception
  }
}

std::optional<std::int64_t> Solver::value(const SymExpr& expr) const {
  std::optional<std::int64_t> found;
  impl_->unless_stopped([&] {
    z3::expr result = impl_->model->eval(impl_->translate(expr), true);
    std::int64_t out = 0;
    if (result.is_numeral_i64(out)) found = out;
  });
  return found;
}

std::string Solver::smtlib() const {
  std::string out;
  impl_->unless_stopped([&] { out = "(set-logic ALL)\n" + impl_->solver.to_smt2(); });
  return out;
}
bool Solver::stopped() const { return impl_->stop.stop_requested(); }
std::int64_t Solver::queries() const { return impl_->queries; }

}  // namespace bufferproof::checker
