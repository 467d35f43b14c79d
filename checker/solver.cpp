#include "checker/solver.hpp"

#include <z3++.h>

#include <map>

namespace bufferproof::checker {

using model::Atom;
using model::AtomRef;
using model::Cond;
using model::SymExpr;

namespace {

/// Making a context costs more than deciding most obligations; one per thread serves them all.
z3::context& shared_context() {
  thread_local z3::context context;
  return context;
}

}  // namespace

struct Solver::Impl {
  z3::context& context = shared_context();
  z3::solver solver;
  std::optional<z3::model> model;
  std::map<std::string, z3::expr> symbols;
  std::int64_t queries = 0;

  explicit Impl(std::uint64_t rlimit) : solver(context, z3::solver::simple()) {
    z3::params params(context);
    params.set("rlimit", static_cast<unsigned>(std::min<std::uint64_t>(rlimit, UINT32_MAX)));
    params.set("random_seed", 0U);
    solver.set(params);
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
    switch (c.kind()) {
      case Cond::Kind::constant:
        return context.bool_val(c.is_true());
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

Solver::Solver(std::uint64_t rlimit) : impl_(std::make_unique<Impl>(rlimit)) {}
Solver::~Solver() = default;

void Solver::push() { impl_->solver.push(); }
void Solver::pop() { impl_->solver.pop(); }
void Solver::add(const Cond& condition) { impl_->solver.add(impl_->translate(condition)); }

Answer Solver::check() {
  ++impl_->queries;
  impl_->model.reset();
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
  z3::expr result = impl_->model->eval(impl_->translate(expr), true);
  std::int64_t out = 0;
  return result.is_numeral_i64(out) ? std::optional(out) : std::nullopt;
}

std::string Solver::smtlib() const { return "(set-logic ALL)\n" + impl_->solver.to_smt2(); }
std::int64_t Solver::queries() const { return impl_->queries; }

}  // namespace bufferproof::checker
