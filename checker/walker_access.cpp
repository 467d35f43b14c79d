// Elements of handles: reads, stores and their bounds (E1, E2, E8, E9, C5, C7).
#include "checker/cover.hpp"
#include "checker/walker.hpp"

namespace bufferproof::checker {

/// The set on a handle as an access; variables get names of their own.
Access Walker::access(const IndexSet& set, const HandleState& state, const Cond& guard, int clause) {
  Access out;
  out.place = place(clause);
  out.guard = guard;
  out.storage = state.storage;
  out.layout = state.layout;
  out.unit_axis = state.layout && state.scale != 1;
  const bool whole = set.whole || names_all(set, state);
  out.spans_storage = set.whole && (state.spans_storage || spans(state));
  if (!state.layout) {
    anywhere(out, state.storage);
  } else if (whole) {
    out.whole = true;
    out.id = next_variable_++;
  } else {
    explicit_set(out, rename_loops(set));
  }
  return out;
}

/// [0:size] on every axis is the whole handle, though it is written out.
bool Walker::names_all(const IndexSet& set, const HandleState& state) const {
  if (!state.layout || set.index.size() != state.layout->rank() || set.variables.size() != set.index.size() ||
      !set.where.is_true())
    return false;
  for (std::size_t i = 0; i < set.index.size(); ++i) {
    const BoundVariable& variable = set.variables[i];
    const SymExpr& size = state.layout->sizes[i];
    if (set.index[i] != SymExpr::symbol(variable.name) || variable.lo != SymExpr(0) ||
        rename_loops(variable.hi) != size || !world_.ranges.surely_le(0, size))
      return false;
  }
  return true;
}

bool Walker::spans(const HandleState& state) const {
  const auto& size = world_.storages[state.storage].size;
  if (!size || !state.layout) return false;
  const auto dense = dense_interval(*state.layout);
  return dense && dense->first == SymExpr(0) && dense->second == *size;
}

void Walker::anywhere(Access& out, int storage) {
  const std::string variable = fresh_variable();
  const SymExpr end = world_.storages[storage].size.value_or(SymExpr(INT64_MAX));
  out.variables = {{variable, 0, end}};
  out.index = {SymExpr::symbol(variable)};
  out.address = SymExpr::symbol(variable);
  out.whole = true;
}

void Walker::explicit_set(Access& out, const IndexSet& set) {
  Substitution renamed;
  for (const BoundVariable& variable : set.variables) {
    const std::string fresh = fresh_variable();
    out.variables.push_back({fresh, variable.lo.substitute(renamed), variable.hi.substitute(renamed)});
    renamed.insert_or_assign(variable.name, SymExpr::symbol(fresh));
  }
  out.where = set.where.substitute(renamed);
  for (const SymExpr& index : set.index) out.index.push_back(index.substitute(renamed));
  if (out.unit_axis && out.index.size() + 1 == out.layout->rank()) {  // every unit of each element (S1)
    out.variables.push_back({fresh_variable(), 0, out.layout->sizes.back()});
    out.index.push_back(SymExpr::symbol(out.variables.back().name));
  }
  if (out.index.size() != out.layout->rank()) {
    give_up(Verdict::unsupported,
            fmt::format("{} indices into a buffer of rank {}", out.index.size(), out.layout->rank()));
    out.index.resize(out.layout->rank(), SymExpr(0));
  }
  out.address = out.layout->address(out.index);
}

Access Walker::access_all(const HandleState& state, const Cond& guard, int clause) {
  IndexSet all;
  all.whole = true;
  return access(all, state, guard, clause);
}

std::vector<Walker::Use> Walker::uses(const Name& name, const Name& actor) {
  std::vector<Use> out;
  for (const auto& binding : resolve(name, actor))
    for (const auto& state : objects_[binding.value.object].states)
      if (Use use{binding, state, simplified(binding.when && state.when)}; !use.guard.is_false())
        out.push_back(std::move(use));
  return out;
}

Access Walker::ideal_access(const IndexSet& set, const Use& use, const Access& actual, int clause) {
  Access out = access(set, use.binding.value.ideal, use.guard, clause);
  // The same logical elements: share the variables when the shapes agree.
  if (out.whole) {
    out.id = actual.id;
  } else if (out.variables.size() == actual.variables.size()) {
    Substitution same;
    for (std::size_t i = 0; i < out.variables.size(); ++i)
      same.insert_or_assign(out.variables[i].name, SymExpr::symbol(actual.variables[i].name));
    for (SymExpr& index : out.index) index = index.substitute(same);
    out.address = out.address.substitute(same);
    out.where = out.where.substitute(same);
    out.variables = actual.variables;
  }
  return out;
}

void Walker::read(const Name& buffer, const IndexSet& set, const From& from, const Reliance& relies,
                  const Name& reader, int clause, bool may) {
  for (const Use& use : uses(buffer, reader)) {
    const HandleState& state = use.state.value;
    const Cond as_declared = report_mismatch(use, relies, shown(text(buffer)), reader);
    if (as_declared.is_false()) continue;
    Read r;
    r.access = access(set, state, as_declared, clause);
    r.access.running = alive_;
    if (world_.dialect == Dialect::wrapper) r.ideal = ideal_access(set, use, r.access, clause);
    r.from = rename(from);
    r.buffer = shown(text(buffer));
    r.reader = rename_loops(reader);
    r.life = state.life;
    r.where = step_->where;
    r.copy = reader == Name("COPY");
    r.may = may || (!state.layout && !state.spans_storage);  // E1: which elements is not followed
    bounds(r.access, r.buffer, reader);
    world_.reads.push_back(std::move(r));
  }
}

/// C7: the reader relies on what was declared, and the handle is something else.
Cond Walker::report_mismatch(const Use& use, const Reliance& relies, const std::string& buffer,
                             const Name& reader) {
  const HandleState& state = use.state.value;
  if (state.mismatch == Mismatch::none || (state.mismatch == Mismatch::strides && !relies.declared))
    return relies.elements ? report_elements(use, *relies.elements, buffer, reader) : use.guard;
  world_.misuses.push_back({FindingClass::mismatch,
                            use.guard && state.mismatch_when && (alive_ ? *alive_ : Cond(true)), place(0),
                            buffer, rename_loops(reader), "C7",
                            "is not what the file declares: a fallback's result came with another layout",
                            step_->where, objects_[use.binding.value.object].where});
  return use.guard && !state.mismatch_when;
}

/// C7: a raw pointer takes the bytes for elements of its own type, and a library function is refused.
Cond Walker::report_elements(const Use& use, DType loaded, const std::string& buffer, const Name& reader) {
  const HandleObject& object = objects_[use.binding.value.object];
  if (!object.dtype || same_elements(loaded, *object.dtype)) return use.guard;
  world_.misuses.push_back({FindingClass::mismatch, use.guard && (alive_ ? *alive_ : Cond(true)), place(0),
                            buffer, rename_loops(reader), "C7",
                            fmt::format("holds {}, and {} takes it for {}", model::name(*object.dtype),
                                        reader.str(), model::name(loaded)),
                            step_->where, object.where});
  return false;
}

From Walker::rename(const From& from) const {
  From out{from.kind, {}};
  for (const Name& name : from.names) out.names.push_back(name.has_holes() ? rename_loops(name) : name);
  return out;
}

/// Every element of the layout lies inside of `size` elements, by interval arithmetic alone.
bool Walker::ends_inside(const Layout& layout, const SymExpr& size) const {
  const auto forward = [&](const SymExpr& value) { return world_.ranges.surely_le(0, value); };
  return forward(layout.offset) && std::all_of(layout.strides.begin(), layout.strides.end(), forward) &&
         world_.ranges.surely_le(layout.extent(), size);
}

void Walker::bounds(const Access& access, const std::string& buffer, const Name& actor) {
  if (!access.layout || access.spans_storage) return;
  const auto& size = world_.storages[access.storage].size;
  if (access.whole && size && ends_inside(*access.layout, *size)) return;
  world_.bounds.push_back({access, buffer, rename_loops(actor), step_->where});
  world_.bounds.back().access.running = alive_;
}

Event::Kind Walker::event_kind(Clause::Kind kind) const {
  switch (kind) {
    case Clause::Kind::accumulate:
      return Event::Kind::accumulate;
    case Clause::Kind::modify:
      return Event::Kind::modify;
    case Clause::Kind::unknown:
      return Event::Kind::unknown;
    default:
      return Event::Kind::write;
  }
}

void Walker::add_event(Event::Kind kind, const Access& access, const Name& writer, int life) {
  world_.storages[access.storage].events.push_back(Event{kind, access, writer, life, -1});
}

/// E2: the store goes to the base pointer with the kernel's own layout.
HandleState Walker::stored_as(const Layout& compiled, HandleState state) {
  Layout own = in_units(compiled, state.scale);
  own.offset = own.offset + state.layout->offset;
  state.layout = own;
  state.spans_storage = false;
  return state;
}

/// Writes and the like in the actual world; `ideal_too`: also where contracts are kept.
void Walker::store(const Clause& clause, const Name& kernel, const Name& writer, const Cond& guard, int order,
                   bool ideal_too) {
  for (const Use& use : uses(clause.buffer, kernel)) {
    HandleState state = use.state.value;
    if (clause.as_layout && state.layout)
      state = stored_as(rename_loops(*clause.as_layout), std::move(state));
    const Cond when = use.guard && guard;
    if (when.is_false()) continue;
    if (clause.kind == Clause::Kind::write && clause.compiled_for)
      report_elements(use, *clause.compiled_for, shown(text(clause.buffer)), kernel);
    Event::Kind kind = event_kind(clause.kind);
    if (!state.layout && !state.spans_storage) kind = Event::Kind::unknown;
    Access a = access(clause.set, state, when, order);
    if (clause.kind == Clause::Kind::accumulate) {
      a.guard = a.guard && accumulate_reads(clause, use, a, kernel);
    } else {
      bounds(a, shown(text(clause.buffer)), kernel);
    }
    add_event(kind, a, writer, state.life);
    if (ideal_too && world_.dialect == Dialect::wrapper)
      add_event(kind, access(clause.set, use.binding.value.ideal, when, order), writer, -1);
  }
}

/// An accumulation reads what it adds to: it must be there, and of this life. Returns when it takes place:
/// not into a handle that is not as declared (C7).
Cond Walker::accumulate_reads(const Clause& clause, const Use& use, const Access& a, const Name& kernel) {
  const std::string buffer = shown(text(clause.buffer));
  Cond as_declared = report_mismatch(use, reliance(clause), buffer, kernel);
  if (as_declared.is_false()) return as_declared;
  Read r;
  r.access = a;
  r.access.guard = a.guard && as_declared;
  r.access.running = alive_;
  bounds(r.access, buffer, kernel);
  r.buffer = buffer;
  r.reader = rename_loops(kernel);
  r.life = use.state.value.life;
  r.where = step_->where;
  world_.reads.push_back(std::move(r));
  return as_declared;
}

void Walker::on_stream(const Access& access, const Name& stream, StreamAccess::Kind kind, const Name& buffer,
                       const Name& actor) {
  if (!world_.several_streams) return;
  Access running = access;
  running.running = alive_;
  world_.stream_accesses.push_back(
      {running, rename_loops(stream), kind, shown(text(buffer)), rename_loops(actor), step_->where});
}

}  // namespace bufferproof::checker
