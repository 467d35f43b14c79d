// Roads of a launch: the rebind lemma, choices, deliveries (E4, E11, C1, C3).
#include <algorithm>

#include "checker/cover.hpp"
#include "checker/variants.hpp"
#include "checker/walker.hpp"

namespace bufferproof::checker {

// ---- launches
// -----------------------------------------------------------------------------------------------

void Walker::visit(const Launch& s) {
  const Name writer = writer_identity(s.kernel);
  add_sync(Sync::Kind::launch, s.stream, {});
  const std::vector<Variant> variants = simplify(s);
  const std::vector<Cond> guards = choose(s, variants);
  int order = 0;
  for (std::size_t v = 0; v < variants.size(); ++v)
    if (variants[v].raises.empty() && !guards[v].is_false())
      order = run_variant(s, variants[v], writer, guards[v], order);
  if (world_.dialect == Dialect::wrapper) {
    keep_contract(s, variants, guards, writer, order);
    for (std::size_t v = 0; v < variants.size(); ++v)
      if (!guards[v].is_false() && variants[v].raises.empty()) note_unwritten_outputs(s, variants[v]);
  }
  for (std::size_t v = 0; v < variants.size(); ++v) {
    if (variants[v].raises.empty()) continue;
    // E11: nothing after it runs.
    world_.notes.push_back({"E11", step_->where,
                            fmt::format("{} raises when it runs as {}: {}", s.kernel.str(), variants[v].name,
                                        variants[v].raises)});
    alive_ = std::make_shared<const Cond>((alive_ ? *alive_ : Cond(true)) && !(path_ && guards[v]));
  }
}

/// C1: every road writes every declared output in its own memory. A breach is a note until somebody reads
/// from it.
void Walker::note_unwritten_outputs(const Launch& s, const Variant& variant) {
  for (const Name& output : s.outputs) {
    auto writes_all = [&](const Clause& c) {
      return c.kind == Clause::Kind::write && c.buffer == output && c.set.whole && !c.as_layout;
    };
    if (std::any_of(variant.clauses.begin(), variant.clauses.end(), writes_all)) continue;
    const bool moved = std::any_of(variant.rebinds.begin(), variant.rebinds.end(),
                                   [&](const Rebind& r) { return r.handle == output; });
    world_.notes.push_back(
        {"C1", step_->where,
         fmt::format(
             "{} {} {} of {}", s.kernel.str(), variant.name.empty() ? "" : "as " + variant.name,
             moved ? "moves the handle instead of writing the memory" : "does not write every element",
             shown(output.str()))});
  }
}

Name Walker::writer_identity(const Name& kernel) {
  Name renamed = rename_loops(kernel);
  if (world_.dialect == Dialect::bufprog) return renamed;
  const std::string identity = fmt::format("{}@{}", kernel.str(), step_->id);
  world_.writers.emplace(identity, std::pair{kernel.str(), step_->where});
  return Name(identity);
}

int Walker::run_variant(const Launch& s, const Variant& variant, const Name& writer, const Cond& guard,
                        int order) {
  const Cond outer = path_;
  path_ = path_ && guard;
  keep_apart(s, variant);
  for (const Clause& clause : variant.clauses) {
    if (clause.kind == Clause::Kind::read)
      read(clause.buffer, clause.set, clause.from, reliance(clause), s.kernel, order, clause.may);
    else
      store(clause, s.kernel, writer, true, order, s.outputs.empty());
    stream_access(clause, s, order);
    ++order;
  }
  std::vector<int> storages;
  for (const Rebind& rebind : variant.rebinds)
    storages.push_back(apply(rebind, s.kernel, writer, storages, order++));
  path_ = outer;
  return order;
}

void Walker::stream_access(const Clause& clause, const Launch& s, int order) {
  if (!world_.several_streams) return;
  const auto kind = clause.kind == Clause::Kind::read         ? StreamAccess::Kind::read
                    : clause.kind == Clause::Kind::accumulate ? StreamAccess::Kind::accumulate
                                                              : StreamAccess::Kind::write;
  auto found = bindings_.find(text(clause.buffer));
  if (found == bindings_.end()) return;
  for (const auto& one : found->second) {
    if (one.value.kind != Binding::Kind::handle) continue;
    const auto& held = objects_[one.value.object].dtype;
    const bool ends = kind == StreamAccess::Kind::read && clause.compiled_for && held &&
                      !same_elements(*clause.compiled_for, *held);
    if (ends) continue;  // C7: nothing is loaded
    for (const auto& state : objects_[one.value.object].states) {
      const Cond when = path() && one.when && state.when;
      if (!when.is_false() && state.value.mismatch == Mismatch::none)
        on_stream(access(clause.set, state.value, when, order), s.stream, kind, clause.buffer, s.kernel);
    }
  }
}

/// E4: the handle moves to where the result lives, on every path at once. Returns that storage.
int Walker::apply(const Rebind& rebind, const Name& kernel, const Name& writer,
                  const std::vector<int>& earlier, int order) {
  int storage = -1;
  for (const auto& binding : resolve(rebind.handle, kernel)) {
    const HandleObject& object = objects_[binding.value.object];
    std::optional<Layout> declared = object.declared;
    if (declared) declared->offset = 0;
    std::optional<Layout> result = rebind.result ? std::optional(rename_loops(*rebind.result)) : declared;
    const std::int64_t scale = units_.scale(text(rebind.handle), object.dtype);
    HandleState state;
    compare_with_declared(rebind, object, result, state);
    if (result) result = in_units(*result, scale);
    state.layout = result;
    state.spans_storage = !result;
    state.scale = scale;
    std::vector<Guarded<HandleState>> fresh;
    Cond moves = binding.when;
    if (!rebind.alias_of.empty()) {
      fresh = aliased(rebind, kernel, state, binding.when);
      moves = false;  // where the argument was given up (C6), the handle stays where it is
      for (const auto& one : fresh) moves = moves || one.when;
    } else {
      // Nothing holds the earlier result when its handle is dead: then this one has memory of its own.
      if (storage < 0 && rebind.same_as >= 0) storage = earlier[static_cast<std::size_t>(rebind.same_as)];
      if (storage < 0) storage = result_storage(object.name, result, writer, order);
      state.storage = storage;
      state.spans_storage = true;
      fresh.push_back({binding.when, state});
    }
    move(binding.value.object, moves, fresh);
  }
  return storage;
}

std::vector<Guarded<HandleState>> Walker::aliased(const Rebind& rebind, const Name& kernel,
                                                  const HandleState& state, const Cond& when) {
  std::vector<Guarded<HandleState>> out;
  for (const Use& target : uses(rebind.alias_of, kernel)) {
    HandleState moved = state;
    moved.storage = target.state.value.storage;
    moved.life = target.state.value.life;
    moved.spans_storage = false;
    if (moved.layout && target.state.value.layout)
      moved.layout->offset = moved.layout->offset + target.state.value.layout->offset;
    out.push_back({when && target.guard, moved});
  }
  return out;
}

int Walker::result_storage(const std::string& name, const std::optional<Layout>& result, const Name& writer,
                           int order) {
  const std::optional<SymExpr> size = result ? std::optional(result->extent()) : std::nullopt;
  const int storage = new_storage(name, size, false);
  Event event;
  event.access.place = place(order);
  event.access.guard = path();
  event.access.storage = storage;
  event.access.spans_storage = true;
  event.writer = writer;
  world_.storages[storage].events.push_back(std::move(event));
  return storage;
}

/// C7: shape before strides; a difference of dtype is one of shape.
void Walker::compare_with_declared(const Rebind& rebind, const HandleObject& object,
                                   const std::optional<Layout>& result, HandleState& state) {
  const bool dtype_differs = rebind.dtype && object.dtype && *rebind.dtype != *object.dtype;
  if (dtype_differs) state.mismatch = Mismatch::shape;
  if (dtype_differs || !object.declared || !result) return;
  const Cond shape = !same_sizes(*result, *object.declared);
  const Cond strides = shape.is_false() ? !same_strides(*result, *object.declared) : Cond(false);
  if (shape.is_false() && strides.is_false()) return;
  state.mismatch = shape.is_false() ? Mismatch::strides : Mismatch::shape;
  state.mismatch_when = shape.is_false() ? strides : shape;
  Layout declared = *object.declared;
  declared.offset = 0;
  world_.notes.push_back({"C7", step_->where,
                          fmt::format("{} was declared {} and a fallback gives {}", object.name,
                                      declared.str(), result->str())});
}

/// C1, C3: by contract every declared output is written whole, on every road.
void Walker::keep_contract(const Launch& s, const std::vector<Variant>& variants,
                           const std::vector<Cond>& guards, const Name& writer, int order) {
  for (const Name& output : s.outputs) {
    auto found = bindings_.find(text(output));
    ++order;  // two outputs may be one handle: one store must be the later one
    if (found == bindings_.end()) continue;
    for (const auto& one : found->second) {
      if (one.value.kind != Binding::Kind::handle) continue;
      const Cond views = keep_views(s, variants, guards, output, one, order);
      add_event(Event::Kind::write, access_all(one.value.ideal, path() && one.when && !views, order), writer,
                -1);
    }
  }
}

/// C3: a road that hands over a view of an argument is right as long as the argument's elements are: what is
/// meant there is a copy of them. Returns when such a road is taken.
Cond Walker::keep_views(const Launch& s, const std::vector<Variant>& variants,
                        const std::vector<Cond>& guards, const Name& output, const Guarded<Binding>& handle,
                        int order) {
  Cond views(false);
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Rebind* view = view_handed_over(s, variants[v], output);
    if (view && copy_view(*view, handle, guards[v], order)) views = views || guards[v];
  }
  return views;
}

/// False where the argument or the output is not of a form whose elements pair up.
bool Walker::copy_view(const Rebind& view, const Guarded<Binding>& handle, const Cond& guard, int order) {
  const auto& declared = objects_[handle.value.object].declared;
  const auto argument = bindings_.find(text(view.alias_of));
  if (!declared || argument == bindings_.end()) return false;
  Layout result = *declared;
  result.offset = 0;
  if (view.result) result = rename_loops(*view.result);
  if (declared->sizes != result.sizes) return false;
  for (const auto& source : argument->second) {
    const Cond when = path() && handle.when && source.when && guard;
    if (when.is_false()) continue;
    HandleState from = source.value.ideal;
    if (source.value.kind != Binding::Kind::handle || !from.layout) return false;
    const SymExpr base = from.layout->offset;
    from.layout = in_units(result, from.scale);
    from.layout->offset = from.layout->offset + base;
    from.spans_storage = false;
    Access loaded = expanded(access_all(from, when, order));
    const Access stored = expanded(access_all(handle.value.ideal, when, order));
    const Cond there = inside_storage(loaded);
    if (pair_up(loaded, stored)) add_copy(loaded, stored, -1, there.is_true());
  }
  return true;
}

namespace {
/// A later result is the same tensor: its storage must be one that others reach.
bool is_shared(const std::vector<Rebind>& rebinds, int index) {
  return std::any_of(rebinds.begin(), rebinds.end(), [&](const Rebind& r) { return r.same_as == index; });
}
}  // namespace

/// The rebind lemma, then variants that do the same become one (docs/buffer-contract.md, "How the checker
/// decides").
std::vector<Variant> Walker::simplify(const Launch& s) {
  std::vector<Variant> variants = s.variants;
  for (Variant& variant : variants) {
    rebinds_to_writes(variant);
    forget_what_does_not_matter(variant);
  }
  return variants;
}

void Walker::rebinds_to_writes(Variant& variant) {
  std::vector<Rebind> kept;
  std::vector<int> place(variant.rebinds.size(), -1);  // in `kept`
  for (std::size_t i = 0; i < variant.rebinds.size(); ++i) {
    Rebind& rebind = variant.rebinds[i];
    if (!is_shared(variant.rebinds, static_cast<int>(i)) && rebind_is_write(rebind)) {
      variant.clauses.push_back(whole_write(rebind.handle));
      continue;
    }
    if (rebind.same_as >= 0) rebind.same_as = place[static_cast<std::size_t>(rebind.same_as)];
    place[i] = static_cast<int>(kept.size());
    kept.push_back(std::move(rebind));
  }
  variant.rebinds = std::move(kept);
}

/// Clauses of variants are compared after dropping what changes nothing on handles that are as declared.
void Walker::forget_what_does_not_matter(Variant& variant) {
  for (Clause& clause : variant.clauses) {
    if (clause.compiled_for && holds(clause.buffer, *clause.compiled_for)) clause.compiled_for.reset();
    const HandleState* state = only_state(clause.buffer);
    if (!state || state->mismatch != Mismatch::none) continue;
    clause.relies_on_declared = false;
    if (clause.as_layout && state->layout) {
      Layout own = in_units(*clause.as_layout, state->scale);
      own.offset = own.offset + state->layout->offset;
      if (same_placement(own, *state->layout)) clause.as_layout.reset();
    }
  }
  forget_order(variant);
  sort_clauses(variant);
}

/// Whatever the name means, its elements are of that type, or of one nobody told.
bool Walker::holds(const Name& name, DType elements) {
  const auto found = bindings_.find(text(name));
  return found != bindings_.end() &&
         std::all_of(found->second.begin(), found->second.end(), [&](const Guarded<Binding>& one) {
           if (one.value.object < 0) return true;
           const auto& dtype = objects_[static_cast<std::size_t>(one.value.object)].dtype;
           return !dtype || same_elements(elements, *dtype);
         });
}

const HandleState* Walker::only_state(const Name& name) const {
  if (name.has_holes()) return nullptr;
  auto found = bindings_.find(name.str());
  if (found == bindings_.end() || found->second.size() != 1 || found->second[0].value.object < 0)
    return nullptr;
  const HandleObject& object = objects_[found->second[0].value.object];
  return object.states.size() == 1 ? &object.states[0].value : nullptr;
}

/// No other handle on the storage is named again after this step.
bool Walker::alone(int object, int storage) const {
  const auto& handles = world_.storages[storage].handles;
  return std::none_of(handles.begin(), handles.end(), [&](int other) {
    const HandleObject& o = objects_[other];
    const bool stands_here = std::any_of(o.states.begin(), o.states.end(),
                                         [&](const auto& state) { return state.value.storage == storage; });
    auto named_again = [&](const std::string& name) { return last_use_.after(name, step_->id); };
    return other != object && stands_here && std::any_of(o.names.begin(), o.names.end(), named_again);
  });
}

/// given: a fresh output with a single handle on its storage, result as declared, aliasing nothing
/// because: nobody can reach the old storage, so moving the handle and writing it cannot be told apart.
bool Walker::rebind_is_write(const Rebind& rebind) const {
  if (!rebind.alias_of.empty() || rebind.same_as >= 0 || rebind.handle.has_holes()) return false;
  const HandleState* state = only_state(rebind.handle);
  if (!state || state->mismatch != Mismatch::none) return false;
  auto found = bindings_.find(rebind.handle.str());
  const HandleObject& object = objects_[found->second[0].value.object];
  if (!alone(found->second[0].value.object, state->storage)) return false;
  if (rebind.dtype && object.dtype && *rebind.dtype != *object.dtype) return false;
  if (!rebind.result) return true;
  if (!object.declared) return false;
  Layout declared = *object.declared;
  declared.offset = rebind.result->offset;
  return same_placement(*rebind.result, declared);
}

/// Guard of each variant. Variants that do the same share one guard: the later one becomes unreachable.
std::vector<Cond> Walker::choose(const Launch& s, std::vector<Variant> const& variants) {
  std::vector<std::vector<std::size_t>> groups = group_equal(variants);
  std::vector<Cond> guards(variants.size(), Cond(false));
  if (groups.size() == 1) {
    guards[groups[0][0]] = true;
    return guards;
  }
  const SymExpr choice = choice_symbol(s);
  for (const auto& group : groups)
    for (std::size_t v : group)
      guards[group[0]] = guards[group[0]] || Cond::eq(choice, static_cast<std::int64_t>(v));
  return guards;
}

SymExpr Walker::choice_symbol(const Launch& s) {
  const std::string key = s.choice.empty() ? fmt::format("{}@{}", s.kernel.str(), step_->id) : s.choice;
  const std::string symbol = "road of " + key;
  if (std::none_of(world_.choices.begin(), world_.choices.end(),
                   [&](auto& c) { return c.symbol == symbol; })) {
    Choice choice{key, symbol, {}, {}};
    for (const Variant& variant : s.variants) {
      choice.names.push_back(variant.name);
      choice.fallback.push_back(variant.fallback);
    }
    world_.ranges.set(symbol, {0, static_cast<std::int64_t>(s.variants.size()) - 1});
    world_.choices.push_back(std::move(choice));
  }
  return SymExpr::symbol(symbol);
}

}  // namespace bufferproof::checker
