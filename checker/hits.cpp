#include "checker/hits.hpp"

#include <algorithm>
#include <numeric>

#include "checker/address.hpp"
#include "checker/cover.hpp"
#include "checker/eliminate.hpp"
#include "model/substitute.hpp"

namespace bufferproof::checker {
namespace {

using model::BoundVariable;
using model::Cond;
using model::SymExpr;

/// The event with loop and set variables renamed apart from everybody else's.
Event primed(const Event& event) {
  Event out = event;
  const model::Substitution by = rename_apart(out.access);
  if (out.writer.has_holes()) out.writer = out.writer.substitute(by);
  return out;
}

std::vector<std::string> names(const std::vector<BoundVariable>& variables, std::size_t from = 0) {
  std::vector<std::string> out;
  for (std::size_t i = from; i < variables.size(); ++i) out.push_back(variables[i].name);
  return out;
}

/// How many outer loops an event shares with a moment.
std::size_t shared_loops(const Place& place, const Moment& moment) {
  if (moment.at_end) return 0;
  std::size_t shared = 0;
  while (shared < place.loops.size() && shared < moment.loops.size() &&
         place.loops[shared].loop == moment.loops[shared].first)
    ++shared;
  return shared;
}

int position(const Place& place, std::size_t depth) {
  return depth < place.loops.size() ? place.loops[depth].loop : place.step;
}

int position(const Moment& moment, std::size_t depth) {
  return depth < moment.loops.size() ? moment.loops[depth].first : moment.step;
}

/// Order of an event and a moment in the same iteration of their `shared` common loops.
bool statically_before(const Place& place, const Moment& moment, std::size_t shared) {
  if (moment.at_end) return true;
  const int a = position(place, shared);
  const int b = position(moment, shared);
  return a != b ? a < b : place.clause < moment.clause;
}

/// Conditions on the event's loop variables: one per way of being earlier, the most recent way first.
std::vector<Cond> ways_before(const Place& place, const Moment& moment) {
  const std::size_t shared = shared_loops(place, moment);
  std::vector<Cond> equal_up_to{true};
  for (std::size_t i = 0; i < shared; ++i)
    equal_up_to.push_back(equal_up_to.back() &&
                          Cond::eq(SymExpr::symbol(place.loops[i].variable), moment.loops[i].second));
  std::vector<Cond> ways;
  if (statically_before(place, moment, shared)) ways.push_back(equal_up_to[shared]);
  for (std::size_t i = shared; i-- > 0;)
    ways.push_back(equal_up_to[i] &&
                   Cond::lt(SymExpr::symbol(place.loops[i].variable), moment.loops[i].second));
  return ways;
}

/// Variables from the outermost in: each takes the greatest value for which the rest still exists. Loops must
/// be determined, set variables only when `all`.
std::optional<Hit> latest(const Event& event, const Cond& condition, bool all) {
  Hit hit{nullptr, true, {}, event.writer, {}};
  const std::vector<BoundVariable> variables = variables_of(event.access);
  const std::size_t determined = all ? variables.size() : event.access.place.loops.size();
  Cond rest = condition;
  for (std::size_t i = 0; i < determined; ++i) {
    auto projected = exists(names(variables, i + 1), rest);
    if (!projected) return std::nullopt;
    auto last = greatest(variables[i].name, *projected);
    if (!last) return std::nullopt;
    if (i == 0) hit.exists = last->exists;
    hit.values.insert_or_assign(variables[i].name, last->last);
    rest = rest.substitute({{variables[i].name, last->last}});
  }
  if (determined == 0) {
    auto projected = exists(names(variables), rest);
    if (!projected) return std::nullopt;
    hit.exists = *projected;
  }
  return hit;
}

Moment moment_at(const Place& place, const model::Substitution& values) {
  Moment out{{}, place.step, place.clause, place.at_end};
  for (const LoopFrame& loop : place.loops)
    out.loops.emplace_back(loop.loop, SymExpr::symbol(loop.variable).substitute(values));
  return out;
}

/// given: every element of a handle that lies densely
/// because: then its addresses are an interval, and nothing has to be eliminated.
std::optional<std::pair<Access, Cond>> as_interval(const Event& mine, const Access& whole,
                                                   const SymExpr& address) {
  if (mine.kind == Event::Kind::copy || !whole.whole || !whole.layout) return std::nullopt;
  const auto dense = dense_interval(*whole.layout);
  if (!dense) return std::nullopt;
  Access out = mine.access;
  out.variables.clear();
  model::Substitution by;
  for (const LoopFrame& loop : whole.place.loops)
    by.insert_or_assign(loop.variable, SymExpr::symbol(loop.variable + "'"));
  const SymExpr begin = by.empty() ? dense->first : dense->first.substitute(by);
  const SymExpr end = by.empty() ? dense->second : dense->second.substitute(by);
  return std::pair(std::move(out), Cond::le(begin, address) && Cond::lt(address, end));
}

}  // namespace

model::Substitution rename_apart(Access& access) {
  access = expanded(access);
  model::Substitution by;
  for (const BoundVariable& v : variables_of(access))
    by.insert_or_assign(v.name, SymExpr::symbol(v.name + "'"));
  if (by.empty()) return by;
  for (LoopFrame& loop : access.place.loops)
    loop = {loop.loop, loop.variable + "'", loop.count.substitute(by)};
  for (BoundVariable& v : access.variables) v = {v.name + "'", v.lo.substitute(by), v.hi.substitute(by)};
  access.guard = access.guard.substitute(by);
  access.where = access.where.substitute(by);
  for (SymExpr& index : access.index) index = index.substitute(by);
  access.address = access.address.substitute(by);
  return by;
}

Moment moment_of(const Place& place) { return moment_at(place, {}); }

std::vector<BoundVariable> variables_of(const Access& access) {
  std::vector<BoundVariable> out;
  for (const LoopFrame& loop : access.place.loops) out.push_back({loop.variable, 0, loop.count});
  out.insert(out.end(), access.variables.begin(), access.variables.end());
  return out;
}

Cond instance_condition(const Access& access) {
  Cond out = access.guard && access.where;
  for (const BoundVariable& variable : variables_of(access)) {
    const SymExpr value = SymExpr::symbol(variable.name);
    out = out && Cond::le(variable.lo, value) && Cond::lt(value, variable.hi);
  }
  return out;
}

namespace {

bool depends_on(const SymExpr& e, const std::vector<BoundVariable>& variables) {
  std::set<std::string> symbols;
  e.collect_symbols(symbols);
  return std::any_of(variables.begin(), variables.end(), [&](auto& v) { return symbols.contains(v.name); });
}

/// The offset in steps of the axes, each part in steps of the first axis that measures it.
std::optional<std::vector<SymExpr>> offset_digits(const model::Layout& layout) {
  std::vector<SymExpr> out(layout.rank(), SymExpr(0));
  std::int64_t rest = layout.offset.constant_part();
  for (std::size_t i = 0; i < layout.rank() && rest > 0; ++i) {
    const auto stride = layout.strides[i].constant();
    if (!stride || *stride <= 0) continue;
    out[i] = SymExpr(rest / *stride);
    rest %= *stride;
  }
  if (rest != 0) return std::nullopt;
  for (const model::Term& term : layout.offset.terms()) {
    bool measured = false;
    for (std::size_t i = 0; i < layout.rank() && !measured; ++i)
      if (const auto steps = quotient(term, layout.strides[i])) {
        out[i] = out[i] + *steps;
        measured = true;
      }
    if (!measured) return std::nullopt;
  }
  return out;
}

/// a / b without remainder, term by term.
std::optional<SymExpr> exactly(const SymExpr& a, const SymExpr& b) {
  const auto by = b.constant();
  if (a.constant_part() != 0 && (!by || *by == 0 || a.constant_part() % *by != 0)) return std::nullopt;
  SymExpr out = a.constant_part() == 0 ? 0 : a.constant_part() / *by;
  for (const model::Term& term : a.terms()) {
    const auto steps = quotient(term, b);
    if (!steps) return std::nullopt;
    out = out + *steps;
  }
  return out;
}

/// Ways to write the offset in steps of the axes: part by part, or all of it along one axis.
std::vector<std::vector<SymExpr>> offsets(const model::Layout& layout) {
  std::vector<std::vector<SymExpr>> out;
  if (const auto parts = offset_digits(layout)) out.push_back(*parts);
  if (layout.offset == SymExpr(0)) return out;
  for (std::size_t i = 0; i < layout.rank(); ++i)
    if (const auto steps = exactly(layout.offset, layout.strides[i])) {
      out.emplace_back(layout.rank(), SymExpr(0));
      out.back()[i] = *steps;
    }
  return out;
}

/// The axes from the largest stride to the least, as far as their shape tells.
std::vector<std::size_t> by_stride(const std::vector<SymExpr>& strides) {
  std::vector<std::size_t> order(strides.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto weight = [&](std::size_t axis) {
    const SymExpr& stride = strides[axis];
    return stride.terms().empty() ? std::pair<std::size_t, std::int64_t>(0, stride.constant_part())
                                  : std::pair(stride.terms()[0].atoms.size(), stride.terms()[0].coefficient);
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weight(a) > weight(b); });
  return order;
}

/// a <= b because of the ranges of the variables, or because a condition says just that.
bool surely_le(const SymExpr& a, const SymExpr& b, const Access& access,
               const std::vector<BoundVariable>& variables, const Ranges& ranges) {
  if (const auto most = extreme(a - b, variables, true); most && ranges.surely_le(*most, 0)) return true;
  const Cond wanted = Cond::le(a, b);
  const auto says = [&](const Cond& c) {
    return c == wanted || (c.kind() == Cond::Kind::conj &&
                           std::find(c.parts().begin(), c.parts().end(), wanted) != c.parts().end());
  };
  return says(access.where) || says(access.guard);
}

/// end steps of this stride take no more than `room`.
bool fit(const SymExpr& end, const SymExpr& stride, const SymExpr& room, const Ranges& ranges) {
  const auto steps = exactly(room, stride);
  return (steps && ranges.surely_le(end, *steps) && ranges.surely_le(0, stride)) ||
         ranges.surely_le(end * stride, room);
}

/// What is below a digit always stays below it, with this way to write the offset.
bool no_carry(const Access& access, const std::vector<SymExpr>& offset, const std::vector<SymExpr>& values,
              const Ranges& ranges) {
  const model::Layout& layout = *access.layout;
  const std::vector<BoundVariable> variables = variables_of(access);
  const std::vector<std::size_t> order = by_stride(layout.strides);
  if (!ranges.surely_le(1, layout.strides[order.back()])) return false;
  for (std::size_t place = 1; place < order.size(); ++place) {
    const std::size_t i = order[place];
    const SymExpr& room = layout.strides[order[place - 1]];
    if (!surely_le(0, values[i], access, variables, ranges)) return false;
    const bool unit = layout.strides[i] == SymExpr(1);
    if (unit && surely_le(values[i] + 1, room, access, variables, ranges)) continue;
    const SymExpr end = layout.sizes[i] + offset[i];
    if (!fit(end, layout.strides[i], room, ranges) ||
        !surely_le(values[i] + 1, end, access, variables, ranges))
      return false;
  }
  return true;
}

}  // namespace

Digits digits_of(const Access& access, const Ranges& ranges) {
  if (!access.layout || access.unit_axis || access.layout->rank() < 2 ||
      access.index.size() != access.layout->rank())
    return {};
  const model::Layout& layout = *access.layout;
  const std::vector<BoundVariable> variables = variables_of(access);
  for (std::size_t i = 0; i < layout.rank(); ++i)
    if (depends_on(layout.sizes[i], variables) || depends_on(layout.strides[i], variables)) return {};
  if (depends_on(layout.offset, variables)) return {};
  for (const std::vector<SymExpr>& offset : offsets(layout)) {
    Digits out{layout.strides, access.index};
    for (std::size_t i = 0; i < layout.rank(); ++i) out.values[i] = out.values[i] + offset[i];
    if (no_carry(access, offset, out.values, ranges)) return out;
  }
  return {};
}

Cond before(const Moment& a, const Moment& b) {
  if (a.at_end || b.at_end) return b.at_end && !a.at_end;
  Cond out(false);
  Cond equal(true);
  std::size_t depth = 0;
  for (; depth < a.loops.size() && depth < b.loops.size() && a.loops[depth].first == b.loops[depth].first;
       ++depth) {
    out = out || (equal && Cond::lt(a.loops[depth].second, b.loops[depth].second));
    equal = equal && Cond::eq(a.loops[depth].second, b.loops[depth].second);
  }
  const int x = position(a, depth);
  const int y = position(b, depth);
  const bool earlier = x != y ? x < y : a.clause < b.clause;
  return out || (equal && Cond(earlier));
}

namespace {

/// One hit per way of being earlier in which the event touches the element; nullopt: outside the fragment.
std::optional<std::vector<Hit>> hits_of(const Event& event, const Event& mine, const Cond& touches,
                                        const Query& query) {
  const Access& a = mine.access;
  std::vector<Hit> hits;
  for (const Cond& way : ways_before(a.place, query.moment)) {
    const Cond condition = touches && way;
    if (condition.is_false()) continue;
    auto hit = latest(mine, condition, event.kind == Event::Kind::copy);
    if (!hit) return std::nullopt;
    if (hit->exists.is_false()) continue;
    hit->event = &event;
    hit->moment = moment_at(a.place, hit->values);
    if (hit->writer.has_holes()) hit->writer = hit->writer.substitute(hit->values);
    hits.push_back(std::move(*hit));
  }
  return hits;
}

/// The access is at the element asked for.
Cond meets(const Access& a, const Query& query, const Ranges& ranges) {
  const Digits mine = query.digits.strides.empty() || !a.layout || a.layout->strides != query.digits.strides
                          ? Digits{}
                          : digits_of(a, ranges);
  if (mine.strides.empty())
    return same_address(a.address, variables_of(a), query.address, query.variables, ranges);
  Cond out(true);
  for (std::size_t i = 0; i < mine.values.size(); ++i)
    out = out && Cond::eq(mine.values[i], query.digits.values[i]);
  return out;
}

}  // namespace

std::optional<std::vector<Hit>> last_hits(const Event& event, const Query& query, const Ranges& ranges,
                                          const std::function<Cond(const Event&)>& only) {
  const Event mine = primed(event);
  const Access& a = mine.access;
  Cond touches = instance_condition(a);
  if (only) touches = touches && only(mine);
  // Which element a copy takes from its source depends on the element asked for.
  if (!a.spans_storage || event.kind == Event::Kind::copy) touches = touches && meets(a, query, ranges);
  if (auto hits = hits_of(event, mine, touches, query)) return hits;
  auto interval = as_interval(mine, event.access, query.address);
  if (!interval) return std::nullopt;
  Event dense = mine;
  dense.access = std::move(interval->first);
  touches = instance_condition(dense.access) && interval->second;
  if (only) touches = touches && only(dense);
  return hits_of(event, dense, touches, query);
}

}  // namespace bufferproof::checker
