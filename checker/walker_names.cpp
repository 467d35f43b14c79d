// What names mean: allocations, views, renames, rebinding, release (S1 to S4, C6).
#include "checker/walker.hpp"

namespace bufferproof::checker {

// ---- names and handles
// --------------------------------------------------------------------------------------

std::string Walker::text(const Name& name) {
  const Name renamed = name.has_holes() ? rename_loops(name) : name;
  if (renamed.has_holes()) {
    bool constant = std::all_of(renamed.holes().begin(), renamed.holes().end(),
                                [](const SymExpr& hole) { return hole.is_constant(); });
    if (!constant)
      give_up(Verdict::unsupported, fmt::format("the buffer name {} depends on a symbol", name.str()));
    else
      return renamed.resolve({});
  }
  return renamed.str();
}

void Walker::give_up(Verdict kind, const std::string& reason) {
  world_.undecided.push_back({kind, step_->where, reason});
}

int Walker::new_storage(const std::string& name, std::optional<SymExpr> size, bool ideal) {
  StorageInfo info;
  info.name = shown(name);
  info.where = step_->where;
  info.size = std::move(size);
  info.ideal = ideal;
  world_.storages.push_back(std::move(info));
  return static_cast<int>(world_.storages.size()) - 1;
}

int Walker::new_object(const std::string& name, std::vector<Guarded<HandleState>> states,
                       std::optional<Layout> declared, std::optional<DType> dtype) {
  for (const auto& state : states) world_.storages[state.value.storage].handles.push_back(next_object());
  objects_.push_back({std::move(states), std::move(declared), dtype, shown(name), step_->where, {}});
  return static_cast<int>(objects_.size()) - 1;
}

void Walker::bind(const std::string& name, const Cond& when, const std::vector<Guarded<Binding>>& fresh) {
  auto& alternatives = bindings_[name];
  if (alternatives.empty()) alternatives.push_back({true, Binding{Binding::Kind::no_storage}});
  for (const auto& one : fresh)
    if (one.value.object >= 0) objects_[one.value.object].names.push_back(name);
  assign(alternatives, when, fresh, [&](const Cond& c) { return simplified(c); });
}

/// Every meaning of a name on the current path; unusable ones are reported as misuse by `actor` (C6).
std::vector<Guarded<Binding>> Walker::resolve(const Name& name, const Name& actor) {
  const std::string key = text(name);
  auto found = bindings_.find(key);
  std::vector<Guarded<Binding>> usable;
  if (found == bindings_.end()) {
    if (key.find('{') != std::string::npos) return usable;  // which buffer is not known: given up
    misuse(FindingClass::noalloc, path(), shown(key), actor);
    return usable;
  }
  for (const auto& one : found->second) {
    const Cond when = path() && one.when;
    if (when.is_false()) continue;
    if (one.value.kind == Binding::Kind::handle) {
      usable.push_back({when, one.value});
    } else {
      misuse(one.value.kind == Binding::Kind::given_up ? FindingClass::dead : FindingClass::noalloc, when,
             shown(key), actor);
    }
  }
  return usable;
}

/// C6: no use of a name without storage, or after its release.
void Walker::misuse(FindingClass kind, const Cond& when, const std::string& buffer, const Name& actor) {
  world_.misuses.push_back(
      {kind,
       when,
       place(0),
       buffer,
       actor,
       "C6",
       kind == FindingClass::dead ? "is used after it was given up" : "has no storage here",
       step_->where,
       {}});
}

// ---- statements about names
// ---------------------------------------------------------------------------------

void Walker::visit(const Alloc& s) {
  const std::string name = text(s.name);
  const std::optional<Layout> declared = s.layout ? std::optional(rename_loops(*s.layout)) : std::nullopt;
  const std::int64_t scale = units_.scale(name, s.dtype);
  const std::optional<Layout> layout = declared ? std::optional(in_units(*declared, scale)) : std::nullopt;
  const std::optional<SymExpr> size = layout ? std::optional(layout->extent()) : std::nullopt;
  HandleState actual{new_storage(name, size, false), layout, true, scale, -1, Mismatch::none};
  HandleState ideal = actual;
  if (world_.dialect == Dialect::wrapper) ideal.storage = new_storage(name, size, true);
  const int object = new_object(name, {{true, actual}}, declared, s.dtype);
  Binding binding{Binding::Kind::handle, object, ideal};
  bind(name, path(), {{path(), binding}});
  // S5: what nobody wrote may hold anything, so no tag is given; a read of it is UNWRITTEN.
  if (s.init == Init::uninit) return;
  static const std::map<Init, std::string> kTags{
      {Init::zero, "zero"}, {Init::input, "in"}, {Init::filled, "fill"}};
  initialise(actual.storage, kTags.at(s.init));
  if (ideal.storage != actual.storage) initialise(ideal.storage, kTags.at(s.init));
}

void Walker::initialise(int storage, const std::string& tag) {
  Event event;
  event.access.place = place(0);
  event.access.guard = path();
  event.access.storage = storage;
  event.access.spans_storage = true;
  event.writer = tag;
  world_.storages[storage].events.push_back(std::move(event));
  world_.writers.emplace(tag, std::pair{tag, step_->where});
}

/// Offset added to the base's, or absolute; the base's window when no layout is given. In units of the
/// storage.
std::optional<Layout> Walker::window(const View& s, const std::optional<Layout>& wanted,
                                     const HandleState& base, std::int64_t scale) {
  if (s.unknown_layout || (!wanted && scale != base.scale)) return std::nullopt;
  if (!wanted) return base.layout;
  Layout out = in_units(*wanted, scale);
  if (s.absolute_offset) return out;
  if (!base.layout) return base.spans_storage ? std::optional(out) : std::nullopt;
  out.offset = out.offset + base.layout->offset;
  return out;
}

HandleState Walker::view_state(const View& s, const std::optional<Layout>& wanted, const HandleState& base,
                               std::int64_t scale) const {
  HandleState out = base;
  out.layout = window(s, wanted, base, scale);
  out.scale = scale;
  out.spans_storage = !out.layout && (base.spans_storage || spans(base)) && !s.unknown_layout && !wanted;
  if (base.mismatch != Mismatch::none && wanted) out.mismatch = Mismatch::shape;
  return out;
}

void Walker::visit(const View& s) {
  const std::string name = text(s.name);
  const std::optional<Layout> wanted = s.layout ? std::optional(rename_loops(*s.layout)) : std::nullopt;
  std::vector<Guarded<Binding>> fresh;
  for (const auto& base : resolve(s.base, "plan")) {
    const std::optional<Layout> declared = wanted ? wanted : objects_[base.value.object].declared;
    const std::optional<DType> dtype = s.dtype ? s.dtype : objects_[base.value.object].dtype;
    const std::int64_t scale = units_.scale(name, dtype);
    std::vector<Guarded<HandleState>> states;
    for (const auto& state : objects_[base.value.object].states)
      states.push_back({state.when, view_state(s, wanted, state.value, scale)});
    Binding binding{Binding::Kind::handle, -1, view_state(s, wanted, base.value.ideal, scale)};
    binding.ideal.mismatch = Mismatch::none;
    if (s.pool_slice) binding.ideal.storage = own_ideal(binding.ideal.storage, name);
    binding.object = new_object(name, states, declared, dtype);
    fresh.push_back({base.when, binding});
  }
  bind_or_nothing(name, fresh);
}

/// On paths where the source had no storage the new name has none either.
void Walker::bind_or_nothing(const std::string& name, const std::vector<Guarded<Binding>>& fresh) {
  std::vector<Guarded<Binding>> all = fresh;
  Cond rest = path();
  for (const auto& one : fresh) rest = rest && !one.when;
  if (!rest.is_false() && !(fresh.size() == 1 && fresh[0].when == path()))
    all.push_back({rest, Binding{Binding::Kind::no_storage}});
  bind(name, path(), all);
}

void Walker::visit(const Bind& s) {
  const auto sources = resolve(s.source, "plan");
  std::vector<Guarded<Binding>> fresh;
  for (const auto& source : sources) fresh.push_back({source.when, bound(s, source)});
  bind_or_nothing(text(s.name), fresh);
  if (s.kind == Bind::Kind::rename && text(s.source) != text(s.name)) give_up_name(text(s.source));
}

Binding Walker::bound(const Bind& s, const Guarded<Binding>& source) {
  Binding out = source.value;
  switch (s.kind) {
    case Bind::Kind::alias:
      break;
    case Bind::Kind::new_handle:
      out.object = second_handle(text(s.name), source.value.object, false, source.when);
      break;
    case Bind::Kind::take:
      out.object = second_handle(text(s.name), source.value.object, true, source.when);
      break;
    case Bind::Kind::rename:
    case Bind::Kind::reuse:
      out.ideal.storage = fork_ideal(source.value.ideal.storage, text(s.name));
      break;
  }
  return out;
}

int Walker::second_handle(const std::string& name, int object, bool take, const Cond& when) {
  auto states = objects_[object].states;
  if (take)
    for (auto& state : states) {
      // S4: a take starts a generation; what is in memory belongs to an earlier one.
      world_.storages[state.value.storage].takes.push_back({place(0), when && state.when});
      state.value.life = step_->id;
    }
  return new_object(name, std::move(states), objects_[object].declared, objects_[object].dtype);
}

/// C3: after a rename the new name's contents are its own; the ancestor's views keep what they had.
int Walker::fork_ideal(int parent, const std::string& name) {
  if (world_.dialect != Dialect::wrapper) return parent;
  const int fork = new_storage(name, world_.storages[parent].size, true);
  world_.storages[fork].parent = parent;
  world_.storages[fork].forked = place(0);
  return fork;
}

/// C3: what a planner cut from a pool is memory of its own, whatever lies there now. As large as the pool, so
/// that offsets from the storage mean the same.
int Walker::own_ideal(int pool, const std::string& name) {
  if (world_.dialect != Dialect::wrapper) return pool;
  return new_storage(name, world_.storages[pool].size, true);
}

void Walker::visit(const Point& s) {
  const auto handles = resolve(s.handle, "plan");
  const auto targets = resolve(s.target, "plan");
  for (const auto& handle : handles) {
    std::vector<Guarded<HandleState>> fresh;
    for (const auto& target : targets)
      for (const auto& state : objects_[target.value.object].states)
        fresh.push_back({handle.when && target.when && state.when, state.value});
    move(handle.value.object, handle.when, fresh);
  }
}

/// S3: the object moves; no memory is written.
void Walker::move(int object, const Cond& when, const std::vector<Guarded<HandleState>>& fresh) {
  auto& states = objects_[object].states;
  for (const auto& state : fresh) world_.storages[state.value.storage].handles.push_back(object);
  assign(states, when, fresh, [&](const Cond& c) { return simplified(c); });
}

void Walker::visit(const Free& s) {
  for (const Name& name : s.names) {
    resolve(name, "plan");  // given up twice is a use as well
    give_up_name(text(name));
  }
}

/// A name without storage stays one.
void Walker::give_up_name(const std::string& name) {
  const auto found = bindings_.find(name);
  if (found == bindings_.end()) return;
  Cond nothing(false);
  for (const auto& one : found->second)
    if (one.value.kind == Binding::Kind::no_storage) nothing = nothing || one.when;
  const Cond when = nothing.is_false() ? path() : simplified(path() && !nothing);
  if (!when.is_false()) bind(name, when, {{when, Binding{Binding::Kind::given_up}}});
}

}  // namespace bufferproof::checker
