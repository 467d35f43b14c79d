// Copies, streams and the caller (C4, taint).
#include <algorithm>

#include "checker/address.hpp"
#include "checker/walker.hpp"

namespace bufferproof::checker {

// ---- copies, order, return
// ----------------------------------------------------------------------------------

void Walker::visit(const Copy& s) {
  add_sync(Sync::Kind::launch, s.stream, {});
  const Name actor("COPY");
  const bool wrapper = world_.dialect == Dialect::wrapper;
  // Taint: in wrappers a copy moves tags, unwritten ones too, without a finding of its own.
  const auto sources = uses(s.source, actor);
  const auto destinations = uses(s.destination, actor);
  for (const Use& source : sources)
    for (const Use& destination : destinations) {
      const Cond when = source.guard && destination.guard;
      if (when.is_false()) continue;
      Access from = expanded(access(s.source_set, source.state.value, when, 0));
      Access to = expanded(access(s.destination_set, destination.state.value, when, 1));
      const Cond there = inside_storage(from);
      if (!pair_up(from, to)) {
        add_event(Event::Kind::unknown, to, actor, destination.state.value.life);
        continue;
      }
      bounds(from, shown(text(s.source)), actor);
      bounds(to, shown(text(s.destination)), actor);
      on_stream(from, s.stream, StreamAccess::Kind::read, s.source, actor);
      on_stream(to, s.stream, StreamAccess::Kind::write, s.destination, actor);
      if (!wrapper) copy_reads(s, source, from);
      add_copy(from, to, destination.state.value.life, there.is_true());
      if (!wrapper) continue;
      Access ideal_from = expanded(access(s.source_set, source.binding.value.ideal, when, 0));
      Access ideal_to = expanded(access(s.destination_set, destination.binding.value.ideal, when, 1));
      const Cond ideally_there = inside_storage(ideal_from);
      if (pair_up(ideal_from, ideal_to)) add_copy(ideal_from, ideal_to, -1, ideally_there.is_true());
    }
}

void Walker::copy_reads(const Copy& s, const Use& source, const Access& from) {
  Read r;
  r.access = from;
  r.access.running = alive_;
  r.buffer = shown(text(s.source));
  r.reader = "COPY";
  r.life = source.state.value.life;
  r.copy = true;
  r.where = step_->where;
  world_.reads.push_back(std::move(r));
}

/// When the access is within its storage.
Cond Walker::inside_storage(const Access& from) const {
  const auto& size = world_.storages[from.storage].size;
  const auto most = extreme(from.address, from.variables, true);
  const auto least = extreme(from.address, from.variables, false);
  const bool inside =
      size && most && least && world_.ranges.surely_lt(*most, *size) && world_.ranges.surely_le(0, *least);
  return inside || !size ? Cond(true) : Cond::le(0, from.address) && Cond::lt(from.address, *size);
}

/// C5: what would come from beyond the storage is not moved. `inside`: nothing would.
void Walker::add_copy(const Access& from, const Access& to, int life, bool inside) {
  world_.copies.push_back({from});
  Event event{Event::Kind::copy, to, "COPY", life, static_cast<int>(world_.copies.size()) - 1};
  if (!inside) event.access.where = event.access.where && inside_storage(from);
  world_.storages[to.storage].events.push_back(std::move(event));
}

namespace {

/// Writes an access in terms of the variables of another.
void in_terms_of(const Access& to, const Substitution& paired, Access& from) {
  for (SymExpr& index : from.index) index = index.substitute(paired);
  from.address = from.address.substitute(paired);
  from.variables = to.variables;
  from.spans_storage = false;
}

/// How many elements there are, when no range depends on another variable and there is no condition.
std::optional<SymExpr> box_count(const Access& access) {
  if (!access.where.is_true()) return std::nullopt;
  SymExpr out = 1;
  for (const BoundVariable& v : access.variables) {
    std::set<std::string> symbols;
    (v.hi - v.lo).collect_symbols(symbols);
    for (const BoundVariable& other : access.variables)
      if (symbols.contains(other.name)) return std::nullopt;
    out = out * (v.hi - v.lo);
  }
  return out;
}

}  // namespace

/// Boxes of different shape: the source's variables are digits of the element's number.
bool Walker::pair_by_number(Access& from, const Access& to) const {
  const auto count = box_count(from);
  const auto other = box_count(to);
  if (!count || !other || !world_.ranges.surely(Cond::eq(*count, *other))) return false;
  SymExpr number = 0;
  for (const BoundVariable& v : to.variables)
    number = number * (v.hi - v.lo) + SymExpr::symbol(v.name) - v.lo;
  Substitution paired;
  SymExpr stride = 1;
  SymExpr in_order = 0;
  for (std::size_t i = from.variables.size(); i-- > 0;) {
    const BoundVariable& v = from.variables[i];
    const SymExpr digit = floordiv(number, stride);
    paired.insert_or_assign(v.name, v.lo + (i == 0 ? digit : mod(digit, v.hi - v.lo)));
    in_order = in_order + stride * (SymExpr::symbol(v.name) - v.lo);
    stride = stride * (v.hi - v.lo);
  }
  const SymExpr first = from.address - in_order;
  std::set<std::string> left;
  first.collect_symbols(left);
  const bool dense = std::none_of(from.variables.begin(), from.variables.end(),
                                  [&](const BoundVariable& v) { return left.contains(v.name); });
  in_terms_of(to, paired, from);
  if (dense) from.address = first + number;
  return true;
}

/// Writes the source's index in terms of the destination's variables: element by element in order.
bool Walker::pair_up(Access& from, const Access& to) {
  if (from.variables.size() != to.variables.size()) {
    if (pair_by_number(from, to)) return true;
    give_up(Verdict::unsupported, "a copy between element sets of different rank");
    return false;
  }
  Substitution paired;
  for (std::size_t i = 0; i < to.variables.size(); ++i) {
    const BoundVariable& a = from.variables[i];
    const BoundVariable& b = to.variables[i];
    if (!world_.ranges.surely(Cond::eq(a.hi - a.lo, b.hi - b.lo)) &&
        (a.hi - a.lo).substitute(paired) != b.hi - b.lo) {
      if (pair_by_number(from, to)) return true;
      give_up(Verdict::unsupported, "a copy between element sets whose sizes are not the same expression");
      return false;
    }
    paired.insert_or_assign(a.name, SymExpr::symbol(b.name) - b.lo + a.lo.substitute(paired));
  }
  from.where = from.where.substitute(paired);
  if (!(from.where == to.where) && !(from.where.is_true() && to.where.is_true())) {
    give_up(Verdict::unsupported, "a copy between element sets with different conditions");
    return false;
  }
  in_terms_of(to, paired, from);
  return true;
}

void Walker::add_sync(Sync::Kind kind, const Name& stream, const Name& event) {
  if (world_.several_streams)
    world_.syncs.push_back({kind, place(0), path(), rename_loops(stream), rename_loops(event)});
}

void Walker::visit(const Signal& s) { add_sync(Sync::Kind::signal, s.stream, s.event); }

void Walker::visit(const Wait& s) { add_sync(Sync::Kind::wait, s.stream, s.event); }

void Walker::visit(const HostSync& s) { add_sync(Sync::Kind::hostsync, s.stream, {}); }

void Walker::visit(const Return& s) {
  if (!s.after_everything) add_sync(Sync::Kind::launch, s.stream, {});
  for (const Return::Item& item : s.items) {
    const std::size_t first = world_.reads.size();
    read(item.name, item.set, item.from, {}, "result", 0);
    for (std::size_t i = first; i < world_.reads.size(); ++i) {
      if (s.after_everything) {
        world_.reads[i].access.place.at_end = true;
      } else {
        on_stream(world_.reads[i].access, s.stream, StreamAccess::Kind::read, item.name, "result");
      }
    }
  }
}

}  // namespace bufferproof::checker
