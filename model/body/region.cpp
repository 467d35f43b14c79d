#include "model/body/region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace bufferproof::model {
namespace {

bool nonnegative(const SymExpr& expr);

bool nonnegative_atom(const Atom& atom) {
  switch (atom.kind) {
    case Atom::Kind::symbol:
      return true;
    case Atom::Kind::floordiv:
      return nonnegative(atom.arguments[0]) && atom.arguments[1].constant().value_or(0) > 0;
    case Atom::Kind::mod:
      return atom.arguments[1].constant().value_or(0) > 0;
    case Atom::Kind::min:
      return std::all_of(atom.arguments.begin(), atom.arguments.end(), nonnegative);
    case Atom::Kind::max:
      return std::any_of(atom.arguments.begin(), atom.arguments.end(), nonnegative);
    case Atom::Kind::call:
      return false;
  }
  return false;
}

/// Every symbol already stands for "size minus its lower bound", so signs of coefficients decide.
bool nonnegative(const SymExpr& expr) {
  if (expr.constant_part() < 0) return false;
  for (const Term& term : expr.terms()) {
    if (term.coefficient < 0) return false;
    for (const AtomRef& atom : term.atoms)
      if (!nonnegative_atom(*atom)) return false;
  }
  return true;
}

SymExpr shift_to_bounds(const SymExpr& expr, SizeBounds bounds) {
  if (bounds.lower == 0 || expr.is_constant()) return expr;
  std::set<std::string> symbols;
  expr.collect_symbols(symbols);
  std::map<std::string, SymExpr, std::less<>> by;
  for (const std::string& symbol : symbols) by[symbol] = SymExpr::symbol(symbol) + SymExpr(bounds.lower);
  return expr.substitute(by);
}

const Atom* single_atom(const SymExpr& expr, Atom::Kind kind) {
  if (expr.constant_part() != 0 || expr.terms().size() != 1) return nullptr;
  const Term& term = expr.terms().front();
  if (term.coefficient != 1 || term.atoms.size() != 1 || term.atoms.front()->kind != kind) return nullptr;
  return term.atoms.front().get();
}

bool le(const SymExpr& a, const SymExpr& b, SizeBounds bounds, int depth);

/// a <= min(..) needs every argument, a <= max(..) one; mirrored on the left.
bool le_by_minmax(const SymExpr& a, const SymExpr& b, SizeBounds bounds, int depth) {
  auto every = [&](const Atom& atom, bool left) {
    return std::all_of(atom.arguments.begin(), atom.arguments.end(), [&](const SymExpr& argument) {
      return left ? le(argument, b, bounds, depth) : le(a, argument, bounds, depth);
    });
  };
  auto some = [&](const Atom& atom, bool left) {
    return std::any_of(atom.arguments.begin(), atom.arguments.end(), [&](const SymExpr& argument) {
      return left ? le(argument, b, bounds, depth) : le(a, argument, bounds, depth);
    });
  };
  if (const Atom* atom = single_atom(a, Atom::Kind::max)) return every(*atom, true);
  if (const Atom* atom = single_atom(b, Atom::Kind::min)) return every(*atom, false);
  if (const Atom* atom = single_atom(a, Atom::Kind::min); atom && some(*atom, true)) return true;
  if (const Atom* atom = single_atom(b, Atom::Kind::max)) return some(*atom, false);
  return false;
}

bool le(const SymExpr& a, const SymExpr& b, SizeBounds bounds, int depth) {
  if (depth > 4) return false;
  try {
    if (nonnegative(shift_to_bounds(b - a, bounds))) return true;
  } catch (const OverflowError&) {
    return false;
  }
  return le_by_minmax(a, b, bounds, depth + 1);
}

std::string interval_text(const Interval& interval) {
  std::string text = interval.begin.str() + ":" + interval.end.str();
  return interval.step == 1 ? text : text + fmt::format(":{}", interval.step);
}

}  // namespace

bool provably_le(const SymExpr& a, const SymExpr& b, SizeBounds bounds) { return le(a, b, bounds, 0); }
bool provably_lt(const SymExpr& a, const SymExpr& b, SizeBounds bounds) {
  return provably_le(a + SymExpr(1), b, bounds);
}

SymExpr smaller(const SymExpr& a, const SymExpr& b, SizeBounds bounds) {
  if (provably_le(a, b, bounds)) return a;
  return provably_le(b, a, bounds) ? b : min(a, b);
}

SymExpr larger(const SymExpr& a, const SymExpr& b, SizeBounds bounds) {
  if (provably_le(a, b, bounds)) return b;
  return provably_le(b, a, bounds) ? a : max(a, b);
}

std::string Box::str() const {
  std::string text = "[";
  for (std::size_t i = 0; i < axes.size(); ++i) text += (i ? ", " : "") + interval_text(axes[i]);
  return text + "]";
}

Cond Box::nonempty() const {
  Cond all = true;
  for (const Interval& interval : axes) all = all && Cond::lt(interval.begin, interval.end);
  return all;
}

Box full_box(const std::vector<SymExpr>& shape) {
  Box box;
  for (const SymExpr& size : shape) box.axes.push_back({0, size, 1});
  return box;
}

bool provably_empty(const Interval& interval, SizeBounds bounds) {
  return provably_le(interval.end, interval.begin, bounds);
}

bool provably_empty(const Box& box, SizeBounds bounds) {
  return std::any_of(box.axes.begin(), box.axes.end(),
                     [&](const Interval& interval) { return provably_empty(interval, bounds); });
}

bool covers(const Interval& interval, const SymExpr& size, SizeBounds bounds) {
  return interval.step == 1 && provably_le(interval.begin, 0, bounds) &&
         provably_le(size, interval.end, bounds);
}

Interval clip(const Interval& interval, const SymExpr& begin, const SymExpr& end, SizeBounds bounds,
              bool& exact) {
  Interval out = interval;
  out.end = smaller(interval.end, end, bounds);
  if (provably_le(begin, interval.begin, bounds)) return out;
  out.begin = larger(interval.begin, begin, bounds);
  if (interval.step == 1) return out;
  auto first = interval.begin.constant();
  auto wanted = out.begin.constant();
  if (first && wanted) {
    std::int64_t behind = (*wanted - *first) % interval.step;
    if (behind != 0) out.begin = out.begin + SymExpr(interval.step - behind);
  } else {
    out.step = 1;
    exact = false;
  }
  return out;
}

bool contains(const Box& outer, const Box& inner, SizeBounds bounds) {
  assert(outer.axes.size() == inner.axes.size());
  for (std::size_t i = 0; i < outer.axes.size(); ++i) {
    const Interval& o = outer.axes[i];
    const Interval& n = inner.axes[i];
    if (o == n) continue;
    if (o.step != 1 || !provably_le(o.begin, n.begin, bounds) || !provably_le(n.end, o.end, bounds))
      return false;
  }
  return true;
}

namespace {

/// Peels one axis after another off a box: what lies before the hole, after it, and between its steps. What
/// is left lies inside the hole on the axes done so far.
class Subtraction {
 public:
  Subtraction(const Box& from, SizeBounds bounds) : rest_(from), bounds_(bounds) {}

  void cut_axis(std::size_t axis, const Interval& cut) {
    const Interval whole = rest_.axes[axis];
    if (whole == cut) return;
    push(axis, {whole.begin, smaller(whole.end, cut.begin, bounds_), 1}, exact_);
    push(axis, {larger(whole.begin, cut.end, bounds_), whole.end, 1}, exact_);
    if (cut.step != 1) push_residues(axis, cut);
    bool exact = true;
    rest_.axes[axis] = clip(cut, whole.begin, whole.end, bounds_, exact);
    exact_ = exact_ && exact;
  }

  /// The whole box stays, over-approximated.
  BoxParts give_up() {
    parts_.push_back({rest_, false});
    return std::move(parts_);
  }
  BoxParts take() { return std::move(parts_); }

 private:
  void push(std::size_t axis, Interval piece, bool exact) {
    Box box = rest_;
    box.axes[axis] = std::move(piece);
    if (!provably_empty(box, bounds_)) parts_.push_back({std::move(box), exact});
  }

  void push_residues(std::size_t axis, const Interval& cut) {
    constexpr std::int64_t kMostResidues = 16;
    const Interval whole = rest_.axes[axis];
    if (cut.step > kMostResidues) return push(axis, whole, false);
    for (std::int64_t residue = 1; residue < cut.step; ++residue) {
      bool exact = exact_;
      Interval piece{cut.begin + SymExpr(residue), cut.end, cut.step};
      piece = clip(piece, whole.begin, whole.end, bounds_, exact);
      push(axis, std::move(piece), exact);
    }
  }

  Box rest_;
  SizeBounds bounds_;
  BoxParts parts_;
  bool exact_ = true;
};

}  // namespace

BoxParts subtract(const Box& from, const Box& hole, SizeBounds bounds) {
  assert(from.axes.size() == hole.axes.size());
  if (provably_empty(hole, bounds)) return {{from, true}};
  Subtraction work(from, bounds);
  for (std::size_t axis = 0; axis < from.axes.size(); ++axis) {
    if (from.axes[axis].step != 1 && !(from.axes[axis] == hole.axes[axis])) return work.give_up();
    work.cut_axis(axis, hole.axes[axis]);
  }
  return work.take();
}

void add_part(BoxParts& parts, BoxPart part, const Box& all, SizeBounds bounds, std::size_t most) {
  if (provably_empty(part.box, bounds)) return;
  for (const BoxPart& known : parts)
    if ((known.exact || !part.exact) && contains(known.box, part.box, bounds)) return;
  std::erase_if(parts, [&](const BoxPart& known) {
    return (part.exact || !known.exact) && contains(part.box, known.box, bounds);
  });
  parts.push_back(std::move(part));
  if (parts.size() <= most) return;
  parts.assign(1, BoxPart{all, false});
}

}  // namespace bufferproof::model
