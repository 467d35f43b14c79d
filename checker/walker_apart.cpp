// Operands of one launch in the same memory (C4).
#include <algorithm>

#include "checker/cover.hpp"
#include "checker/walker.hpp"

namespace bufferproof::checker {
namespace {

bool both_read(const Clause& a, const Clause& b) {
  return a.kind == Clause::Kind::read && b.kind == Clause::Kind::read;
}

bool ordered(const Clause& a, const Clause& b) {
  return a.within == Within::ordered || b.within == Within::ordered || both_read(a, b);
}

/// Elements of one index are one element of memory.
Cond same_places(const HandleState& loaded, const HandleState& stored) {
  if (!loaded.layout || !stored.layout || loaded.layout->rank() != stored.layout->rank()) return false;
  return Cond::eq(loaded.layout->offset, stored.layout->offset) &&
         same_strides(*stored.layout, *loaded.layout);
}

bool follows(const HandleState& state) { return state.layout || state.spans_storage; }

}  // namespace

/// Where a clause's handle may be; a name without storage is somebody else's finding.
std::vector<Guarded<HandleState>> Walker::stands(const Clause& clause) {
  std::vector<Guarded<HandleState>> out;
  const auto found = bindings_.find(text(clause.buffer));
  if (found == bindings_.end()) return out;
  for (const auto& binding : found->second) {
    if (binding.value.kind != Binding::Kind::handle) continue;
    for (const auto& state : objects_[static_cast<std::size_t>(binding.value.object)].states) {
      const bool elsewhere = clause.as_layout && state.value.layout;
      out.push_back({binding.when && state.when,
                     elsewhere ? stored_as(rename_loops(*clause.as_layout), state.value) : state.value});
    }
  }
  return out;
}

bool Walker::may_meet(const Clause& a, const Clause& b) {
  const auto others = stands(b);
  for (const auto& x : stands(a))
    for (const auto& y : others)
      if (x.value.storage == y.value.storage) return true;
  return false;
}

/// Roads are compared without what changes nothing.
void Walker::forget_order(Variant& variant) {
  std::vector<Clause>& clauses = variant.clauses;
  std::vector<bool> meets(clauses.size(), false);
  for (std::size_t i = 0; i < clauses.size(); ++i)
    for (std::size_t j = i + 1; j < clauses.size(); ++j)
      if (!ordered(clauses[i], clauses[j]) && may_meet(clauses[i], clauses[j])) meets[i] = meets[j] = true;
  for (std::size_t i = 0; i < clauses.size(); ++i)
    if (!meets[i]) clauses[i].within = Within::ordered;
}

void Walker::keep_apart(const Launch& s, const Variant& variant) {
  for (std::size_t i = 0; i < variant.clauses.size(); ++i)
    for (std::size_t j = i + 1; j < variant.clauses.size(); ++j)
      if (const Clause& a = variant.clauses[i], &b = variant.clauses[j]; !ordered(a, b)) {
        const bool turned = a.kind != Clause::Kind::read && text(b.buffer) < text(a.buffer);
        keep_apart(s, turned ? b : a, turned ? a : b);
      }
}

/// A load and a store come in this order; two stores by their names, whatever order the road has them in.
void Walker::keep_apart(const Launch& s, const Clause& a, const Clause& b) {
  const bool loads = a.kind == Clause::Kind::read;
  const auto on_stream = [&](const Clause& clause, const HandleState& state, const Cond& when) {
    Access where = access(clause.set, state, when, 0);
    where.running = alive_;
    return StreamAccess{where,
                        rename_loops(s.stream),
                        StreamAccess::Kind::write,
                        shown(text(clause.buffer)),
                        rename_loops(s.kernel),
                        step_->where};
  };
  for (const auto& x : stands(a))
    for (const auto& y : stands(b)) {
      if (x.value.storage != y.value.storage) continue;
      const Cond same = loads && a.within != Within::unordered ? same_places(x.value, y.value) : Cond(false);
      const Cond when = path() && x.when && y.when;
      const bool may = a.may || !follows(x.value) || !follows(y.value);
      const auto add = [&](const Cond& here, bool perhaps) {
        if (!here.is_false())
          world_.meetings.push_back({on_stream(a, x.value, here), on_stream(b, y.value, here), perhaps});
      };
      if (loads && a.within == Within::unclear)
        add(when, true);
      else
        add(when && !same, may);
    }
}

}  // namespace bufferproof::checker
