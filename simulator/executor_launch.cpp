// Launches and copies: clauses in order, in both worlds, then what the road does to handles (E1..E11).
#include <fmt/format.h>

#include <algorithm>

#include "simulator/evaluate.hpp"
#include "simulator/executor.hpp"
#include "simulator/plan_check.hpp"
#include "simulator/values/value_hooks.hpp"

namespace bufferproof::simulator {

using model::Clause;
using model::Launch;
using model::Step;
using model::Variant;

namespace {

model::IndexSet whole_set() {
  model::IndexSet set;
  set.whole = true;
  return set;
}

AccessKind access_kind(Clause::Kind kind) {
  if (kind == Clause::Kind::read) return AccessKind::read;
  return kind == Clause::Kind::accumulate ? AccessKind::accumulate : AccessKind::write;
}

}  // namespace

void Executor::exec(const Launch& s, const Step& at) {
  const Variant& variant = chosen_variant(s, state_.plan, at.where);
  const std::string kernel = text(s.kernel, at);
  if (!variant.raises.empty()) {  // E11
    stopped_ = true;
    state_.trace.raised = fmt::format("{} raises: {}", kernel, variant.raises);
    state_.trace.raised_where = at.where;
    return;
  }
  Actor launch = actor(kernel, at);
  launch.epoch = state_.clocks.issue(text(s.stream, at));
  if (state_.hooks) state_.hooks->launched(s, variant, state_, launch);
  remember_launch(s, variant, launch);
  tune(s, variant, launch);
  keep_apart(variant, launch);
  int writes = 0;
  for (const Clause& c : variant.clauses) {
    clause(s, c, launch, writes);
    if (c.kind == Clause::Kind::write) ++writes;
    if (c.kind == Clause::Kind::unknown)
      state_.unsupported(at.where, fmt::format("effects of {} are not known", kernel));
  }
  ideal_outputs(s, variant, launch);
  rebind(variant, launch);
  if (state_.hooks) state_.hooks->launch_over(state_, launch);
}

namespace {

/// Elements of one index are one element of memory.
bool same_places(const Handle& loaded, const Handle& stored) {
  const std::vector<std::int64_t>& sizes = stored.shape.sizes;
  if (!loaded.known_layout || !stored.known_layout || loaded.base() != stored.base() ||
      loaded.span() != stored.span() || loaded.shape.sizes.size() != sizes.size())
    return false;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != 1 && loaded.shape.strides[i] != stored.shape.strides[i]) return false;
  return true;
}

}  // namespace

// C4
void Executor::keep_apart(const Variant& variant, const Actor& actor) {
  using model::Within;
  for (std::size_t i = 0; i < variant.clauses.size(); ++i)
    for (std::size_t j = i + 1; j < variant.clauses.size(); ++j) {
      const Clause& a = variant.clauses[i];
      const Clause& b = variant.clauses[j];
      const bool reads = a.kind == Clause::Kind::read && b.kind == Clause::Kind::read;
      if (!reads && a.within != Within::ordered && b.within != Within::ordered) keep_apart(a, b, actor);
    }
}

/// C4: a load and a store, or two stores, in no order. An iteration that stores where it loads is one step.
void Executor::keep_apart(const Clause& a, const Clause& b, const Actor& actor) {
  const auto stand = [&](const Clause& c) -> std::optional<AccessPoint> {
    const std::string name = state_.text(c.buffer, actor.where);
    const auto found = state_.names.find(name);
    if (found == state_.names.end() || !found->second.actual) return std::nullopt;
    return access(name, accessed_handle(c, found->second, actor), c.set, actor.where);
  };
  auto one = stand(a);
  auto other = stand(b);
  // Two stores are reported by the later name, as they come in no order.
  if (one && other && a.kind != Clause::Kind::read && other->buffer < one->buffer) std::swap(one, other);
  if (!one || !other || one->handle->storage != other->handle->storage) return;
  const bool loads = a.kind == Clause::Kind::read;
  if (loads && a.within == model::Within::in_place && same_places(*one->handle, *other->handle)) return;
  const bool unclear = loads && a.within == model::Within::unclear;
  other->uncertain = unclear || one->uncertain || other->uncertain || a.may;  // E1
  memory_.check_apart(*one, *other, actor);
}

/// E10: a candidate before this one stored the outputs as it does, those it also reads excepted: of mutated
/// arguments candidates get copies. A fault is the chosen candidate's, so what it leaves out shows the
/// other's.
void Executor::tune(const Launch& launch, const Variant& variant, const Actor& actor) {
  if (!state_.plan.tuning || !variant.tunes || !state_.tuned) return;
  if (!state_.tuned->insert(launch.choice.empty() ? actor.reader : launch.choice).second) return;
  for (const Clause& c : variant.clauses) {
    const bool mutated = std::any_of(
        variant.clauses.begin(), variant.clauses.end(),
        [&](const Clause& other) { return other.kind == Clause::Kind::read && other.buffer == c.buffer; });
    if (c.kind != Clause::Kind::write || mutated) continue;
    const std::string name = state_.text(c.buffer, actor.where);
    const auto found = state_.names.find(name);
    if (found == state_.names.end() || !found->second.actual) continue;
    const AccessPoint at = access(name, accessed_handle(c, found->second, actor), c.set, actor.where);
    memory_.write(at, actor);
    remember(Provenance::Kind::write, at);
    if (state_.hooks) state_.hooks->written(at, {}, actor);
  }
}

/// E2: through the base pointer, with the layout compiled in.
std::shared_ptr<Handle> Executor::accessed_handle(const Clause& c, const Binding& binding,
                                                  const Actor& actor) const {
  if (!c.as_layout) return binding.actual;
  auto handle = std::make_shared<Handle>(*binding.actual);
  handle->shape = evaluate_shape(*c.as_layout, state_.values, actor.where);
  handle->offset = add_checked(handle->offset,
                               mul_checked(evaluate(c.as_layout->offset, state_.values, actor.where),
                                           handle->element_size, actor.where),
                               actor.where);
  handle->mismatch = Mismatch::none;
  return handle;
}

void Executor::clause(const Launch& launch, const Clause& c, const Actor& actor, int write_index) {
  const std::string name = state_.text(c.buffer, actor.where);
  const Binding* found = use(name, actor.reader, actor.where);
  if (!found) return;
  const Binding binding = *found;
  const std::shared_ptr<Handle> handle = accessed_handle(c, binding, actor);
  std::vector<const model::Fault*> faults;
  if (c.kind == Clause::Kind::write)
    for (const model::Fault& fault : state_.plan.faults)
      if (fault.kernel == actor.reader && fault.output == write_index) faults.push_back(&fault);
  AccessPoint at = access(name, handle, c.set, actor.where);
  at.uncertain = at.uncertain || c.may;  // E1
  actual_clause(c, at, binding, actor, faults);
  const bool declared =
      std::any_of(launch.outputs.begin(), launch.outputs.end(),
                  [&](const model::Name& output) { return state_.text(output, actor.where) == name; });
  if (c.kind == Clause::Kind::write && declared) ideal_output(name, actor);
  if (launch.outputs.empty()) ideal_clause(c, binding, actor);
}

void Executor::actual_clause(const Clause& c, const AccessPoint& at, const Binding& binding,
                             const Actor& actor, const std::vector<const model::Fault*>& faults) {
  const bool reads = c.kind == Clause::Kind::read || c.kind == Clause::Kind::accumulate;
  if (reads && mismatched(at, actor, c.relies_on_declared, c.compiled_for)) return;
  memory_.check_bounds(at, actor);
  memory_.check_order(at, actor, access_kind(c.kind));
  switch (c.kind) {
    case Clause::Kind::read:
      remember(Provenance::Kind::read, at);
      return judged_read(at, binding, actor, c.from, c.set);
    case Clause::Kind::write:
      if (c.compiled_for) mismatched(at, actor, false, c.compiled_for);
      return write_with_faults(at, actor, faults);
    case Clause::Kind::accumulate:
      remember(Provenance::Kind::read, at);
      remember(Provenance::Kind::may_write, at);
      return memory_.accumulate(at, actor, true);
    case Clause::Kind::modify:
      remember(Provenance::Kind::may_write, at);
      return memory_.modify(at, actor);
    case Clause::Kind::unknown:
      remember(Provenance::Kind::unknown, at);
      return memory_.make_unknown(at, actor);
  }
}

/// An extern call does in the meant world what it does in the actual one.
void Executor::ideal_clause(const Clause& c, const Binding& binding, const Actor& actor) {
  if (!binding.ideal || c.kind == Clause::Kind::read) return;
  const AccessPoint at = access(state_.text(c.buffer, actor.where), binding.ideal, c.set, actor.where);
  if (c.kind == Clause::Kind::write) memory_.write(at, actor);
  if (c.kind == Clause::Kind::accumulate) memory_.accumulate(at, actor, false);
  if (c.kind == Clause::Kind::modify) memory_.modify(at, actor);
  if (c.kind == Clause::Kind::unknown) memory_.make_unknown(at, actor);
}

// C1, C3: by contract every declared output is written whole, on every road.
void Executor::ideal_output(const std::string& name, const Actor& actor) {
  const auto found = state_.names.find(name);
  if (found == state_.names.end() || !found->second.ideal) return;
  memory_.write(access(name, found->second.ideal, whole_set(), actor.where), actor);
}

void Executor::ideal_outputs(const Launch& launch, const Variant& road, const Actor& actor) {
  for (const model::Name& output : launch.outputs) {
    const model::Rebind* view = view_handed_over(launch, road, output);
    if (!view || !ideal_view(*view, actor)) ideal_output(state_.text(output, actor.where), actor);
  }
}

/// C3: a view of an argument that is handed over is right as long as the argument's elements are: what is
/// meant is a copy of them. False where the output is not declared like that.
bool Executor::ideal_view(const model::Rebind& view, const Actor& actor) {
  const std::string name = state_.text(view.handle, actor.where);
  const std::string argument = state_.text(view.alias_of, actor.where);
  const auto to = state_.names.find(name);
  const auto from = state_.names.find(argument);
  if (to == state_.names.end() || from == state_.names.end() || !to->second.ideal || !from->second.ideal)
    return false;
  auto source = std::make_shared<Handle>(*from->second.ideal);
  source->shape =
      view.result ? evaluate_shape(*view.result, state_.values, actor.where) : to->second.ideal->shape;
  if (!source->known_layout || !to->second.ideal->known_layout ||
      source->shape.sizes != to->second.ideal->shape.sizes)
    return false;
  const std::int64_t elements = view.result ? evaluate(view.result->offset, state_.values, actor.where) : 0;
  source->offset =
      add_checked(source->offset, mul_checked(elements, source->element_size, actor.where), actor.where);
  memory_.copy(access(argument, source, whole_set(), actor.where),
               access(name, to->second.ideal, whole_set(), actor.where), actor);
  return true;
}

/// A fault leaves its region as it was before the write.
void Executor::write_with_faults(const AccessPoint& at, const Actor& actor,
                                 const std::vector<const model::Fault*>& faults) {
  struct Kept {
    std::int64_t lo;
    std::int64_t hi;
    TagId tag;
  };
  std::vector<AccessPoint> regions;
  std::vector<Kept> kept;
  RangeMap& tags = at.handle->storage->tags;
  for (const model::Fault* fault : faults) {
    const AccessPoint region =
        access(at.buffer, at.handle, fault_region(*fault, at.handle->shape, actor.where), actor.where);
    for_each_run(region.selection, [&](std::int64_t lo, std::int64_t hi) {
      tags.for_each(lo, hi, [&](std::int64_t from, std::int64_t to, TagId tag) {
        kept.push_back({from, to, tag});
      });
    });
    regions.push_back(region);
  }
  memory_.write(at, actor);
  std::vector<Selection> left_out;
  for (const AccessPoint& region : regions) left_out.push_back(region.selection);
  remember(at.uncertain ? Provenance::Kind::may_write : Provenance::Kind::write, at, std::move(left_out));
  if (state_.hooks) state_.hooks->written(at, regions, actor);
  for (const Kept& piece : kept) tags.assign(piece.lo, piece.hi, piece.tag);
}

// ---- rebinds
// --------------------------------------------------------------------------------------------------

// E4
void Executor::rebind(const Variant& variant, const Actor& actor) {
  std::vector<std::shared_ptr<Storage>> results;
  for (const model::Rebind& r : variant.rebinds) results.push_back(rebind_one(r, results, actor));
}

std::shared_ptr<Storage> Executor::rebind_one(const model::Rebind& r,
                                              const std::vector<std::shared_ptr<Storage>>& earlier,
                                              const Actor& actor) {
  const Binding* binding = use(state_.text(r.handle, actor.where), actor.reader, actor.where);
  if (!binding) return nullptr;
  Handle moved = *binding->actual;
  moved.dtype = r.dtype ? r.dtype : moved.declared_dtype;
  moved.element_size = moved.dtype ? model::size_in_bytes(*moved.dtype) : moved.element_size;
  moved.shape = r.result ? evaluate_shape(*r.result, state_.values, actor.where) : moved.declared;
  moved.known_layout |= r.result.has_value();
  const std::int64_t elements = r.result ? evaluate(r.result->offset, state_.values, actor.where) : 0;
  moved.offset = mul_checked(elements, moved.element_size, actor.where);
  moved.known_window = true;
  if (!r.alias_of.empty()) {
    const Binding* argument = use(state_.text(r.alias_of, actor.where), actor.reader, actor.where);
    if (!argument) return nullptr;
    moved.storage = argument->actual->storage;
    moved.storage->refine(moved.element_size);
    moved.offset = add_checked(moved.offset, argument->actual->offset, actor.where);
  } else if (r.same_as >= 0 && r.same_as < static_cast<int>(earlier.size()) &&
             earlier[static_cast<std::size_t>(r.same_as)]) {
    moved.storage = earlier[static_cast<std::size_t>(r.same_as)];
    moved.storage->refine(moved.element_size);
  } else {
    const std::int64_t size = moved.known_layout ? extent(moved.shape, elements, actor.where) : kUnknownSize;
    moved.storage = std::make_shared<Storage>(size, moved.element_size);
    moved.storage->name = state_.text(r.handle, actor.where);
    moved.storage->where = actor.where;
  }
  moved.life = moved.storage->life;
  moved.mismatch = compare_shapes(moved.declared, moved.shape, moved.dtype == moved.declared_dtype);  // C7
  *binding->actual = moved;
  if (state_.hooks) state_.hooks->rebound(r, *binding->actual, actor);
  if (r.alias_of.empty() && r.same_as < 0) {
    const AccessPoint result = access(moved.storage->name, binding->actual, whole_set(), actor.where);
    memory_.write(result, actor);
    remember(Provenance::Kind::write, result);
  }
  return moved.storage;
}

// ---- copies
// ---------------------------------------------------------------------------------------------------

void Executor::exec(const model::Copy& s, const Step& at) {
  Actor copier = actor("COPY", at);
  copier.epoch = state_.clocks.issue(text(s.stream, at));
  const std::string from_name = text(s.source, at);
  const std::string to_name = text(s.destination, at);
  const Binding* from = use(from_name, copier.reader, at.where);
  const Binding* to = use(to_name, copier.reader, at.where);
  if (!from || !to) return;
  const AccessPoint source = access(from_name, from->actual, s.source_set, at.where);
  const AccessPoint destination = access(to_name, to->actual, s.destination_set, at.where);
  if (mismatched(source, copier, false)) return;
  remember_step(copier);
  const std::size_t read = remember(Provenance::Kind::read, source);
  memory_.check_bounds(source, copier);
  memory_.check_order(source, copier, AccessKind::read);
  if (!state_.wrapper()) memory_.read(source, copier, model::From{});
  memory_.check_bounds(destination, copier);
  memory_.check_order(destination, copier, AccessKind::write);
  memory_.copy(source, destination, copier);
  remember(Provenance::Kind::copy, destination, {}, read);
  if (state_.hooks) state_.hooks->copied(source, destination, at.where);
  if (from->ideal && to->ideal)
    memory_.copy(access(from_name, from->ideal, s.source_set, at.where),
                 access(to_name, to->ideal, s.destination_set, at.where), copier);
}

}  // namespace bufferproof::simulator
