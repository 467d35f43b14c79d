#include "checker/walk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checker/bindings.hpp"
#include "checker/cover.hpp"
#include "checker/variants.hpp"
#include "model/substitute.hpp"

namespace bufferproof::checker {
namespace {

using namespace model;

void collect_streams(const Block& block, std::set<std::string>& into) {
  for (const Step& step : block) {
    if (const auto* launch = std::get_if<Launch>(&step.node)) into.insert(launch->stream.str());
    if (const auto* copy = std::get_if<Copy>(&step.node)) into.insert(copy->stream.str());
    if (const auto* loop = std::get_if<Loop>(&step.node)) collect_streams(loop->body, into);
    if (const auto* branch = std::get_if<Branch>(&step.node)) {
      collect_streams(branch->then_block, into);
      collect_streams(branch->else_block, into);
    }
  }
}

bool several(const std::set<std::string>& streams) {
  return streams.size() > 1 || (!streams.empty() && streams.begin()->find('{') != std::string::npos);
}

class Walker {
 public:
  Walker(const Program& program, const Ranges& ranges) : program_(program) {
    world_.dialect = program.dialect;
    world_.ranges = ranges;
  }

  World run(const Block& body) {
    std::set<std::string> streams;
    collect_streams(body, streams);
    world_.several_streams = several(streams);
    walk(body);
    return std::move(world_);
  }

 private:
  // ---- walking
  // ------------------------------------------------------------------------------------------------

  void walk(const Block& block) {
    for (const Step& step : block) {
      step_ = &step;
      std::visit([&](const auto& node) { visit(node); }, step.node);
    }
  }

  Cond path() const { return path_ && alive_; }

  Place place(int clause) const { return {loops_, step_->id, clause}; }

  void visit(const Branch& s) {
    const Cond outer = path_;
    const Cond condition = rename_loops(s.condition);
    path_ = outer && condition;
    if (!path_.is_false()) walk(s.then_block);
    path_ = outer && !condition;
    if (!path_.is_false()) walk(s.else_block);
    path_ = outer;
  }

  /// A summarised loop: its body is walked once, for an arbitrary iteration. Names it binds keep, afterwards,
  /// what the last iteration gave them.
  void visit(const Loop& s) {
    const std::string variable = fmt::format("{}#{}", s.variable, step_->id);
    const SymExpr count = rename_loops(s.count);
    const auto outer_name = loop_names_.find(s.variable);
    const std::optional<SymExpr> shadowed =
        outer_name == loop_names_.end() ? std::nullopt : std::optional(outer_name->second);
    loops_.push_back({step_->id, variable, count});
    loop_names_.insert_or_assign(s.variable, SymExpr::symbol(variable));
    world_.ranges.set(variable, {0, upper(count)});
    const Bindings before = bindings_;
    walk(s.body);
    after_loop(before, variable, count);
    loops_.pop_back();
    loop_names_.erase(s.variable);
    if (shadowed) loop_names_.insert_or_assign(s.variable, *shadowed);
  }

  std::optional<std::int64_t> upper(const SymExpr& count) const {
    const auto hi = world_.ranges.of(count).hi;
    return hi ? std::optional(std::max<std::int64_t>(*hi - 1, 0)) : std::nullopt;
  }

  void after_loop(const Bindings& before, const std::string& variable, const SymExpr& count) {
    const Cond ran = Cond::lt(0, count);
    const Substitution last{{variable, count - 1}};
    for (auto& [name, alternatives] : bindings_) {
      auto old = before.find(name);
      std::vector<Guarded<Binding>> merged;
      if (!ran.is_true() && old != before.end())
        for (const auto& one : old->second) merged.push_back({one.when && !ran, one.value});
      else if (!ran.is_true())
        merged.push_back({!ran, Binding{Binding::Kind::no_storage}});
      bool bound_inside = false;
      for (const auto& one : alternatives) {
        Guarded<Binding> copy{one.when.substitute(last) && ran, one.value};
        if (one.value.object >= 0 && mentions_variable(one.value.object, variable)) {
          copy.value.object = copy_object(one.value.object, last);
          bound_inside = true;
        }
        merged.push_back(std::move(copy));
      }
      if (bound_inside || old == before.end()) alternatives = std::move(merged);
    }
  }

  bool mentions_variable(int object, const std::string& variable) const {
    std::set<std::string> symbols;
    for (const auto& state : objects_[object].states) {
      state.when.collect_symbols(symbols);
      if (!state.value.layout) continue;
      state.value.layout->offset.collect_symbols(symbols);
      for (const SymExpr& e : state.value.layout->sizes) e.collect_symbols(symbols);
      for (const SymExpr& e : state.value.layout->strides) e.collect_symbols(symbols);
    }
    return symbols.contains(variable);
  }

  int copy_object(int object, const Substitution& by) {
    HandleObject copy = objects_[object];
    for (auto& state : copy.states) {
      state.when = state.when.substitute(by);
      if (state.value.layout) state.value.layout = substitute(*state.value.layout, by);
    }
    objects_.push_back(std::move(copy));
    return static_cast<int>(objects_.size()) - 1;
  }

  template <typename T>
  T rename_loops(const T& value) const {
    return loop_names_.empty() ? value : value.substitute(loop_names_);
  }
  IndexSet rename_loops(const IndexSet& set) const {
    return loop_names_.empty() ? set : substitute(set, loop_names_);
  }
  Layout rename_loops(const Layout& layout) const {
    return loop_names_.empty() ? layout : substitute(layout, loop_names_);
  }

  // ---- names and handles
  // --------------------------------------------------------------------------------------

  std::string text(const Name& name) {
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

  void give_up(Verdict kind, const std::string& reason) {
    world_.undecided.push_back({kind, step_->where, reason});
  }

  /// The name as reports show it: readers mark handles that stand inline in an argument list with
  /// "@line:column".
  static std::string shown(const std::string& name) { return name.substr(0, name.find('@')); }

  int new_storage(const std::string& name, std::optional<SymExpr> size, bool ideal) {
    StorageInfo info;
    info.name = shown(name);
    info.where = step_->where;
    info.size = std::move(size);
    info.ideal = ideal;
    world_.storages.push_back(std::move(info));
    return static_cast<int>(world_.storages.size()) - 1;
  }

  int new_object(const std::string& name, std::vector<Guarded<HandleState>> states,
                 std::optional<Layout> declared, std::optional<DType> dtype, bool derived) {
    for (const auto& state : states) ++world_.storages[state.value.storage].live_handles;
    objects_.push_back(
        {std::move(states), std::move(declared), dtype, shown(name), step_->where, 0, derived});
    return static_cast<int>(objects_.size()) - 1;
  }

  void bind(const std::string& name, const Cond& when, std::vector<Guarded<Binding>> fresh) {
    auto& alternatives = bindings_[name];
    if (alternatives.empty()) alternatives.push_back({true, Binding{Binding::Kind::no_storage}});
    for (const auto& old : alternatives) release(old, when);
    for (const auto& one : fresh)
      if (one.value.object >= 0) ++objects_[one.value.object].names;
    assign(alternatives, when, fresh);
  }

  /// A name that stops meaning its object on every path frees the object's claim on the storage.
  void release(const Guarded<Binding>& old, const Cond& when) {
    if (!when.is_true() || old.value.object < 0) return;
    HandleObject& object = objects_[old.value.object];
    if (--object.names > 0) return;
    for (const auto& state : object.states) --world_.storages[state.value.storage].live_handles;
  }

  /// Every meaning of a name on the current path; unusable ones are reported as misuse by `actor` (C6).
  std::vector<Guarded<Binding>> resolve(const Name& name, const Name& actor) {
    const std::string key = text(name);
    auto found = bindings_.find(key);
    std::vector<Guarded<Binding>> usable;
    if (found == bindings_.end()) {
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
  void misuse(FindingClass kind, const Cond& when, const std::string& buffer, const Name& actor) {
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

  void visit(const Alloc& s) {
    const std::string name = text(s.name);
    std::optional<Layout> layout = s.layout ? std::optional(rename_loops(*s.layout)) : std::nullopt;
    const std::optional<SymExpr> size = layout ? std::optional(layout->extent()) : std::nullopt;
    HandleState actual{new_storage(name, size, false), layout, true, -1, Mismatch::none};
    HandleState ideal = actual;
    if (world_.dialect == Dialect::wrapper) ideal.storage = new_storage(name, size, true);
    const int object = new_object(name, {{true, actual}}, layout, s.dtype, false);
    Binding binding{Binding::Kind::handle, object, ideal};
    bind(name, path(), {{path(), binding}});
    if (s.init == Init::uninit) return;
    static const std::map<Init, std::string> kTags{
        {Init::zero, "zero"}, {Init::input, "in"}, {Init::filled, "fill"}};
    initialise(actual.storage, kTags.at(s.init));
    if (ideal.storage != actual.storage) initialise(ideal.storage, kTags.at(s.init));
  }

  void initialise(int storage, const std::string& tag) {
    Event event;
    event.access.place = place(0);
    event.access.guard = path();
    event.access.storage = storage;
    event.access.spans_storage = true;
    event.writer = tag;
    world_.storages[storage].events.push_back(std::move(event));
    world_.writers.emplace(tag, std::pair{tag, step_->where});
  }

  /// Offset added to the base's, or absolute; the base's window when no layout is given.
  static std::optional<Layout> window(const View& s, const std::optional<Layout>& wanted,
                                      const HandleState& base) {
    if (s.unknown_layout) return std::nullopt;
    if (!wanted) return base.layout;
    Layout out = *wanted;
    if (s.absolute_offset) return out;
    if (!base.layout) return base.spans_storage ? std::optional(out) : std::nullopt;
    out.offset = out.offset + base.layout->offset;
    return out;
  }

  HandleState view_state(const View& s, const std::optional<Layout>& wanted, const HandleState& base) const {
    HandleState out = base;
    out.layout = window(s, wanted, base);
    out.spans_storage = !out.layout && base.spans_storage && !s.unknown_layout;
    if (base.mismatch != Mismatch::none && wanted) out.mismatch = Mismatch::shape;
    return out;
  }

  void visit(const View& s) {
    const std::string name = text(s.name);
    const std::optional<Layout> wanted = s.layout ? std::optional(rename_loops(*s.layout)) : std::nullopt;
    if (s.dtype && !s.absolute_offset) check_element_size(s);
    std::vector<Guarded<Binding>> fresh;
    const auto bases = resolve(s.base, "plan");
    for (const auto& base : bases) {
      std::vector<Guarded<HandleState>> states;
      for (const auto& state : objects_[base.value.object].states)
        states.push_back({state.when, view_state(s, wanted, state.value)});
      const HandleObject& parent = objects_[base.value.object];
      Binding binding{Binding::Kind::handle, -1, base.value.ideal};
      binding.ideal = view_state(s, wanted, base.value.ideal);
      binding.ideal.mismatch = Mismatch::none;
      const std::optional<Layout> declared = wanted ? wanted : parent.declared;
      const std::optional<DType> dtype = s.dtype ? s.dtype : parent.dtype;
      binding.object = new_object(name, states, declared, dtype, true);
      fresh.push_back({base.when, binding});
    }
    bind_or_nothing(name, fresh);
  }

  /// Two element sizes on one storage need byte addresses, which this engine does not model.
  void check_element_size(const View& s) {
    auto found = bindings_.find(text(s.base));
    if (found == bindings_.end()) return;
    for (const auto& one : found->second) {
      if (one.value.object < 0) continue;
      const auto base = objects_[one.value.object].dtype;
      if (base && size_in_bytes(*base) != size_in_bytes(*s.dtype))
        give_up(Verdict::unsupported, fmt::format("{} reinterprets {} elements as {}", shown(text(s.name)),
                                                  model::name(*base), model::name(*s.dtype)));
    }
  }

  /// On paths where the source had no storage the new name has none either.
  void bind_or_nothing(const std::string& name, const std::vector<Guarded<Binding>>& fresh) {
    std::vector<Guarded<Binding>> all = fresh;
    Cond rest = path();
    for (const auto& one : fresh) rest = rest && !one.when;
    if (!rest.is_false() && !(fresh.size() == 1 && fresh[0].when == path()))
      all.push_back({rest, Binding{Binding::Kind::no_storage}});
    bind(name, path(), all);
  }

  void visit(const Bind& s) {
    const auto sources = resolve(s.source, "plan");
    std::vector<Guarded<Binding>> fresh;
    for (const auto& source : sources) fresh.push_back({source.when, bound(s, source)});
    bind_or_nothing(text(s.name), fresh);
    if (s.kind == Bind::Kind::rename && text(s.source) != text(s.name))
      bind(text(s.source), path(), {{path(), Binding{Binding::Kind::given_up}}});
  }

  Binding bound(const Bind& s, const Guarded<Binding>& source) {
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
        out.ideal.storage = fork_ideal(source.value.ideal.storage, text(s.name));
        break;
    }
    return out;
  }

  int second_handle(const std::string& name, int object, bool take, const Cond& when) {
    auto states = objects_[object].states;
    if (take)
      for (auto& state : states) {
        // S4: a take starts a generation; what is in memory belongs to an earlier one.
        world_.storages[state.value.storage].takes.push_back({place(0), when && state.when});
        state.value.life = step_->id;
      }
    return new_object(name, std::move(states), objects_[object].declared, objects_[object].dtype, true);
  }

  /// C3: after a rename the new name's contents are its own; the ancestor's views keep what they had.
  int fork_ideal(int parent, const std::string& name) {
    if (world_.dialect != Dialect::wrapper) return parent;
    const int fork = new_storage(name, world_.storages[parent].size, true);
    world_.storages[fork].parent = parent;
    world_.storages[fork].forked = place(0);
    return fork;
  }

  void visit(const Point& s) {
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
  void move(int object, const Cond& when, const std::vector<Guarded<HandleState>>& fresh) {
    auto& states = objects_[object].states;
    if (when.is_true())
      for (const auto& state : states) --world_.storages[state.value.storage].live_handles;
    for (const auto& state : fresh) ++world_.storages[state.value.storage].live_handles;
    assign(states, when, fresh);
  }

  void visit(const Free& s) {
    for (const Name& name : s.names) {
      const std::string key = text(name);
      resolve(name, "plan");
      bind(key, path(), {{path(), Binding{Binding::Kind::given_up}}});
    }
  }

  // ---- accesses
  // -----------------------------------------------------------------------------------------------

  std::string fresh_variable() { return fmt::format("x#{}", next_variable_++); }

  /// The set on a handle as an access; variables get names of their own.
  Access access(const IndexSet& set, const HandleState& state, const Cond& guard, int clause) {
    Access out;
    out.place = place(clause);
    out.guard = guard;
    out.storage = state.storage;
    out.layout = state.layout;
    out.spans_storage = set.whole && (state.spans_storage || spans(state));
    if (!state.layout) {
      anywhere(out, state.storage);
    } else if (set.whole) {
      out.whole = true;
      out.id = next_variable_++;
    } else {
      explicit_set(out, rename_loops(set));
    }
    return out;
  }

  bool spans(const HandleState& state) const {
    const auto& size = world_.storages[state.storage].size;
    if (!size || !state.layout) return false;
    const auto dense = dense_interval(*state.layout);
    return dense && dense->first == SymExpr(0) && dense->second == *size;
  }

  void anywhere(Access& out, int storage) {
    const std::string variable = fresh_variable();
    const SymExpr end = world_.storages[storage].size.value_or(SymExpr(INT64_MAX));
    out.variables = {{variable, 0, end}};
    out.index = {SymExpr::symbol(variable)};
    out.address = SymExpr::symbol(variable);
    out.whole = true;
  }

  void explicit_set(Access& out, const IndexSet& set) {
    Substitution renamed;
    for (const BoundVariable& variable : set.variables) {
      const std::string fresh = fresh_variable();
      out.variables.push_back({fresh, variable.lo.substitute(renamed), variable.hi.substitute(renamed)});
      renamed.insert_or_assign(variable.name, SymExpr::symbol(fresh));
    }
    out.where = set.where.substitute(renamed);
    for (const SymExpr& index : set.index) out.index.push_back(index.substitute(renamed));
    if (out.index.size() != out.layout->rank()) {
      give_up(Verdict::unsupported,
              fmt::format("{} indices into a buffer of rank {}", out.index.size(), out.layout->rank()));
      out.index.resize(out.layout->rank(), SymExpr(0));
    }
    out.address = out.layout->address(out.index);
  }

  struct Use {
    Guarded<Binding> binding;
    Guarded<HandleState> state;
    Cond guard() const { return binding.when && state.when; }
  };

  std::vector<Use> uses(const Name& name, const Name& actor) {
    std::vector<Use> out;
    for (const auto& binding : resolve(name, actor))
      for (const auto& state : objects_[binding.value.object].states)
        if (Use use{binding, state}; !use.guard().is_false()) out.push_back(std::move(use));
    return out;
  }

  Access ideal_access(const IndexSet& set, const Use& use, const Access& actual, int clause) {
    Access out = access(set, use.binding.value.ideal, use.guard(), clause);
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

  void read(const Name& buffer, const IndexSet& set, const From& from, bool relies, const Name& reader,
            int clause) {
    for (const Use& use : uses(buffer, reader)) {
      const HandleState& state = use.state.value;
      if (report_mismatch(use, relies, shown(text(buffer)), reader)) continue;
      Read r;
      r.access = access(set, state, use.guard(), clause);
      if (world_.dialect == Dialect::wrapper) r.ideal = ideal_access(set, use, r.access, clause);
      r.from = rename(from);
      r.buffer = shown(text(buffer));
      r.reader = rename_loops(reader);
      r.life = state.life;
      r.where = step_->where;
      r.copy = reader == Name("COPY");
      bounds(r.access, r.buffer, reader);
      world_.reads.push_back(std::move(r));
    }
  }

  /// C7: the reader relies on what was declared, and the handle is something else.
  bool report_mismatch(const Use& use, bool relies, const std::string& buffer, const Name& reader) {
    const Mismatch mismatch = use.state.value.mismatch;
    if (mismatch == Mismatch::none || (mismatch == Mismatch::strides && !relies)) return false;
    world_.misuses.push_back({FindingClass::mismatch, use.guard(), place(0), buffer, rename_loops(reader),
                              "C7",
                              "is not what the file declares: a fallback's result came with another layout",
                              step_->where, objects_[use.binding.value.object].where});
    return true;
  }

  From rename(const From& from) const {
    From out{from.kind, {}};
    for (const Name& name : from.names) out.names.push_back(name.has_holes() ? rename_loops(name) : name);
    return out;
  }

  void bounds(const Access& access, const std::string& buffer, const Name& actor) {
    if (!access.layout || access.spans_storage) return;
    const auto& size = world_.storages[access.storage].size;
    const bool inside = access.whole && size && world_.ranges.surely_le(access.layout->extent(), *size);
    if (!inside) world_.bounds.push_back({access, buffer, rename_loops(actor), step_->where});
  }

  Event::Kind event_kind(Clause::Kind kind) const {
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

  void add_event(Event::Kind kind, const Access& access, const Name& writer, int life) {
    world_.storages[access.storage].events.push_back(Event{kind, access, writer, life, -1});
  }

  /// Writes and the like in the actual world; `ideal_too`: also where contracts are kept.
  void store(const Clause& clause, const Name& kernel, const Name& writer, const Cond& guard, int order,
             bool ideal_too) {
    for (const Use& use : uses(clause.buffer, kernel)) {
      HandleState state = use.state.value;
      if (clause.as_layout && state.layout) {
        // E2: the store goes to the base pointer with the kernel's own layout.
        Layout own = rename_loops(*clause.as_layout);
        own.offset = own.offset + state.layout->offset;
        state.layout = own;
        state.spans_storage = false;
      }
      const Cond when = use.guard() && guard;
      if (when.is_false()) continue;
      Event::Kind kind = event_kind(clause.kind);
      if (!state.layout && !state.spans_storage) kind = Event::Kind::unknown;
      Access a = access(clause.set, state, when, order);
      if (clause.kind == Clause::Kind::accumulate) accumulate_reads(clause, use, a, kernel);
      bounds(a, shown(text(clause.buffer)), kernel);
      add_event(kind, a, writer, state.life);
      if (ideal_too && world_.dialect == Dialect::wrapper)
        add_event(kind, access(clause.set, use.binding.value.ideal, when, order), writer, -1);
    }
  }

  /// An accumulation reads what it adds to: it must be there, and of this life.
  void accumulate_reads(const Clause& clause, const Use& use, const Access& a, const Name& kernel) {
    Read r;
    r.access = a;
    r.buffer = shown(text(clause.buffer));
    r.reader = rename_loops(kernel);
    r.life = use.state.value.life;
    r.where = step_->where;
    world_.reads.push_back(std::move(r));
  }

  void on_stream(const Access& access, const Name& stream, StreamAccess::Kind kind, const Name& buffer,
                 const Name& actor) {
    if (!world_.several_streams) return;
    world_.stream_accesses.push_back(
        {access, rename_loops(stream), kind, shown(text(buffer)), rename_loops(actor), step_->where});
  }

  // ---- launches
  // -----------------------------------------------------------------------------------------------

  void visit(const Launch& s) {
    const Name writer = writer_identity(s.kernel);
    add_sync(Sync::Kind::launch, s.stream, {});
    const std::vector<Variant> variants = simplify(s);
    const std::vector<Cond> guards = choose(s, variants);
    int order = 0;
    for (std::size_t v = 0; v < variants.size(); ++v)
      if (variants[v].raises.empty() && !guards[v].is_false())
        order = run_variant(s, variants[v], writer, guards[v], order);
    if (world_.dialect == Dialect::wrapper) keep_contract(s, writer, order);
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (variants[v].raises.empty()) continue;
      // E11: nothing after it runs.
      world_.notes.push_back({"E11", step_->where,
                              fmt::format("{} raises when it runs as {}: {}", s.kernel.str(),
                                          variants[v].name, variants[v].raises)});
      alive_ = alive_ && !(path_ && guards[v]);
    }
  }

  Name writer_identity(const Name& kernel) {
    const Name renamed = rename_loops(kernel);
    if (world_.dialect == Dialect::bufprog) return renamed;
    const std::string identity = fmt::format("{}@{}", kernel.str(), step_->id);
    world_.writers.emplace(identity, std::pair{kernel.str(), step_->where});
    return Name(identity);
  }

  int run_variant(const Launch& s, const Variant& variant, const Name& writer, const Cond& guard, int order) {
    const Cond outer = path_;
    path_ = path_ && guard;
    for (const Clause& clause : variant.clauses) {
      if (clause.kind == Clause::Kind::read)
        read(clause.buffer, clause.set, clause.from, clause.relies_on_declared, s.kernel, order);
      else
        store(clause, s.kernel, writer, true, order, s.outputs.empty());
      stream_access(clause, s, order);
      ++order;
    }
    std::vector<int> storages;
    for (const Rebind& rebind : variant.rebinds) storages.push_back(apply(rebind, writer, storages, order++));
    path_ = outer;
    return order;
  }

  void stream_access(const Clause& clause, const Launch& s, int order) {
    if (!world_.several_streams) return;
    const auto kind = clause.kind == Clause::Kind::read         ? StreamAccess::Kind::read
                      : clause.kind == Clause::Kind::accumulate ? StreamAccess::Kind::accumulate
                                                                : StreamAccess::Kind::write;
    auto found = bindings_.find(text(clause.buffer));
    if (found == bindings_.end()) return;
    for (const auto& one : found->second) {
      if (one.value.kind != Binding::Kind::handle) continue;
      for (const auto& state : objects_[one.value.object].states) {
        const Cond when = path() && one.when && state.when;
        if (!when.is_false() && state.value.mismatch == Mismatch::none)
          on_stream(access(clause.set, state.value, when, order), s.stream, kind, clause.buffer, s.kernel);
      }
    }
  }

  /// E4: the handle moves to where the result lives. Returns that storage.
  int apply(const Rebind& rebind, const Name& writer, const std::vector<int>& earlier, int order) {
    int storage = -1;
    for (const Use& use : uses(rebind.handle, writer)) {
      const HandleObject& object = objects_[use.binding.value.object];
      std::optional<Layout> declared = object.declared;
      if (declared) declared->offset = 0;
      std::optional<Layout> result = rebind.result ? std::optional(rename_loops(*rebind.result)) : declared;
      HandleState state{storage, result, !result, -1, mismatch_of(rebind, object, result)};
      std::vector<Guarded<HandleState>> fresh;
      if (!rebind.alias_of.empty()) {
        fresh = aliased(rebind, state, use.guard());
      } else {
        if (storage < 0)
          storage = rebind.same_as >= 0 ? earlier[static_cast<std::size_t>(rebind.same_as)]
                                        : result_storage(object.name, result, writer, order);
        state.storage = storage;
        state.spans_storage = true;
        fresh.push_back({use.guard(), state});
      }
      move(use.binding.value.object, use.guard(), fresh);
    }
    return storage;
  }

  std::vector<Guarded<HandleState>> aliased(const Rebind& rebind, HandleState state, const Cond& when) {
    std::vector<Guarded<HandleState>> out;
    for (const Use& target : uses(rebind.alias_of, "plan")) {
      HandleState moved = state;
      moved.storage = target.state.value.storage;
      moved.life = target.state.value.life;
      moved.spans_storage = false;
      if (moved.layout && target.state.value.layout)
        moved.layout->offset = moved.layout->offset + target.state.value.layout->offset;
      out.push_back({when && target.guard(), moved});
    }
    return out;
  }

  int result_storage(const std::string& name, const std::optional<Layout>& result, const Name& writer,
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

  Mismatch mismatch_of(const Rebind& rebind, const HandleObject& object,
                       const std::optional<Layout>& result) {
    const bool dtype_differs = rebind.dtype && object.dtype && *rebind.dtype != *object.dtype;
    if (!object.declared || !result) return dtype_differs ? Mismatch::shape : Mismatch::none;
    const bool sizes_differ = result->sizes != object.declared->sizes;
    Layout a = *result;
    Layout b = *object.declared;
    a.offset = b.offset = 0;
    const Mismatch found = sizes_differ || dtype_differs ? Mismatch::shape
                           : same_placement(a, b)        ? Mismatch::none
                                                         : Mismatch::strides;
    if (found != Mismatch::none)
      world_.notes.push_back(
          {"C7", step_->where,
           fmt::format("{} was declared {} and a fallback gives {}", object.name, b.str(), a.str())});
    return found;
  }

  /// C1, C3: by contract every declared output is written whole, on every road.
  void keep_contract(const Launch& s, const Name& writer, int order) {
    for (const Name& output : s.outputs) {
      auto found = bindings_.find(text(output));
      if (found == bindings_.end()) continue;
      for (const auto& one : found->second) {
        if (one.value.kind != Binding::Kind::handle) continue;
        IndexSet whole;
        whole.whole = true;
        add_event(Event::Kind::write, access(whole, one.value.ideal, path() && one.when, order), writer, -1);
      }
    }
  }

  /// The rebind lemma, then variants that do the same become one (docs/buffer-contract.md, "How the checker
  /// decides").
  std::vector<Variant> simplify(const Launch& s) {
    std::vector<Variant> variants = s.variants;
    for (Variant& variant : variants)
      for (auto rebind = variant.rebinds.begin(); rebind != variant.rebinds.end();) {
        if (rebind_is_write(*rebind)) {
          variant.clauses.push_back(whole_write(rebind->handle));
          rebind = variant.rebinds.erase(rebind);
        } else {
          ++rebind;
        }
      }
    for (Variant& variant : variants) forget_what_does_not_matter(variant);
    return variants;
  }

  /// Clauses of variants are compared after dropping what changes nothing on handles that are as declared.
  void forget_what_does_not_matter(Variant& variant) {
    for (Clause& clause : variant.clauses) {
      const HandleState* state = only_state(clause.buffer);
      if (!state || state->mismatch != Mismatch::none) continue;
      clause.relies_on_declared = false;
      if (clause.as_layout && state->layout) {
        Layout own = *clause.as_layout;
        own.offset = own.offset + state->layout->offset;
        if (same_placement(own, *state->layout)) clause.as_layout.reset();
      }
    }
    sort_clauses(variant);
  }

  const HandleState* only_state(const Name& name) const {
    if (name.has_holes()) return nullptr;
    auto found = bindings_.find(name.str());
    if (found == bindings_.end() || found->second.size() != 1 || found->second[0].value.object < 0)
      return nullptr;
    const HandleObject& object = objects_[found->second[0].value.object];
    return object.states.size() == 1 ? &object.states[0].value : nullptr;
  }

  /// given: a fresh output with a single handle on its storage, result as declared, aliasing nothing
  /// because: nobody can reach the old storage, so moving the handle and writing it cannot be told apart.
  bool rebind_is_write(const Rebind& rebind) const {
    if (!rebind.alias_of.empty() || rebind.same_as >= 0 || rebind.handle.has_holes()) return false;
    const HandleState* state = only_state(rebind.handle);
    if (!state || state->mismatch != Mismatch::none) return false;
    auto found = bindings_.find(rebind.handle.str());
    const HandleObject& object = objects_[found->second[0].value.object];
    if (object.derived || world_.storages[state->storage].live_handles != 1) return false;
    if (rebind.dtype && object.dtype && *rebind.dtype != *object.dtype) return false;
    if (!rebind.result) return true;
    if (!object.declared) return false;
    Layout declared = *object.declared;
    declared.offset = rebind.result->offset;
    return same_placement(*rebind.result, declared);
  }

  /// Guard of each variant. Variants that do the same share one guard: the later one becomes unreachable.
  std::vector<Cond> choose(const Launch& s, std::vector<Variant> const& variants) {
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

  SymExpr choice_symbol(const Launch& s) {
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

  // ---- copies, order, return
  // ----------------------------------------------------------------------------------

  void visit(const Copy& s) {
    add_sync(Sync::Kind::launch, s.stream, {});
    const Name actor("COPY");
    const bool wrapper = world_.dialect == Dialect::wrapper;
    // Taint: in wrappers a copy moves tags, unwritten ones too, without a finding of its own.
    const auto sources = uses(s.source, actor);
    const auto destinations = uses(s.destination, actor);
    for (const Use& source : sources)
      for (const Use& destination : destinations) {
        const Cond when = source.guard() && destination.guard();
        if (when.is_false()) continue;
        Access from = expanded(access(s.source_set, source.state.value, when, 0));
        Access to = expanded(access(s.destination_set, destination.state.value, when, 1));
        if (!pair_up(from, to)) continue;
        bounds(from, shown(text(s.source)), actor);
        bounds(to, shown(text(s.destination)), actor);
        on_stream(from, s.stream, StreamAccess::Kind::read, s.source, actor);
        on_stream(to, s.stream, StreamAccess::Kind::write, s.destination, actor);
        if (!wrapper) copy_reads(s, source, from);
        add_copy(from, to, destination.state.value.life);
        if (!wrapper) continue;
        Access ideal_from = expanded(access(s.source_set, source.binding.value.ideal, when, 0));
        Access ideal_to = expanded(access(s.destination_set, destination.binding.value.ideal, when, 1));
        if (pair_up(ideal_from, ideal_to)) add_copy(ideal_from, ideal_to, -1);
      }
  }

  void copy_reads(const Copy& s, const Use& source, const Access& from) {
    Read r;
    r.access = from;
    r.buffer = shown(text(s.source));
    r.reader = "COPY";
    r.life = source.state.value.life;
    r.copy = true;
    r.where = step_->where;
    world_.reads.push_back(std::move(r));
  }

  void add_copy(const Access& from, const Access& to, int life) {
    world_.copies.push_back({from});
    Event event{Event::Kind::copy, to, "COPY", life, static_cast<int>(world_.copies.size()) - 1};
    world_.storages[to.storage].events.push_back(std::move(event));
  }

  /// Writes the source's index in terms of the destination's variables: element by element in order.
  bool pair_up(Access& from, const Access& to) {
    if (from.variables.size() != to.variables.size()) {
      give_up(Verdict::unsupported, "a copy between element sets of different rank");
      return false;
    }
    Substitution paired;
    for (std::size_t i = 0; i < to.variables.size(); ++i) {
      const BoundVariable& a = from.variables[i];
      const BoundVariable& b = to.variables[i];
      if (!world_.ranges.surely(Cond::eq(a.hi - a.lo, b.hi - b.lo)) &&
          (a.hi - a.lo).substitute(paired) != b.hi - b.lo) {
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
    for (SymExpr& index : from.index) index = index.substitute(paired);
    from.address = from.address.substitute(paired);
    from.variables = to.variables;
    from.spans_storage = false;
    return true;
  }

  void add_sync(Sync::Kind kind, const Name& stream, const Name& event) {
    if (world_.several_streams)
      world_.syncs.push_back({kind, place(0), path(), rename_loops(stream), rename_loops(event)});
  }

  void visit(const Signal& s) { add_sync(Sync::Kind::signal, s.stream, s.event); }
  void visit(const Wait& s) { add_sync(Sync::Kind::wait, s.stream, s.event); }
  void visit(const HostSync& s) { add_sync(Sync::Kind::hostsync, s.stream, {}); }

  void visit(const Return& s) {
    if (!s.after_everything) add_sync(Sync::Kind::launch, s.stream, {});
    for (const Return::Item& item : s.items) {
      const std::size_t first = world_.reads.size();
      read(item.name, item.set, item.from, false, "result", 0);
      for (std::size_t i = first; i < world_.reads.size(); ++i) {
        if (s.after_everything) {
          world_.reads[i].access.place.at_end = true;
        } else {
          on_stream(world_.reads[i].access, s.stream, StreamAccess::Kind::read, item.name, "result");
        }
      }
    }
  }

  void visit(const AssertLayout& s) {
    for (const Use& use : uses(s.name, "assert_size_stride"))
      report_mismatch(use, true, shown(text(s.name)), "assert_size_stride");
  }

  /// E8: whatever it names becomes unknown, and no proof passes over it.
  void visit(const Unsupported& s) {
    give_up(Verdict::unsupported, s.what);
    const std::string identity = fmt::format("unsupported@{}", step_->id);
    for (const Name& name : s.touched) {
      if (bindings_.find(text(name)) == bindings_.end()) continue;
      Clause clause;
      clause.kind = Clause::Kind::unknown;
      clause.buffer = name;
      clause.set.whole = true;
      store(clause, Name(identity), Name(identity), true, 0, true);
    }
  }

  const Program& program_;
  World world_;
  Bindings bindings_;
  std::vector<HandleObject> objects_;
  std::vector<LoopFrame> loops_;
  Substitution loop_names_;
  Cond path_ = true;
  Cond alive_ = true;
  const Step* step_ = nullptr;
  std::int64_t next_variable_ = 0;
};

}  // namespace

World walk(const Program& program, const Block& body, const Ranges& ranges) {
  return Walker(program, ranges).run(body);
}

}  // namespace bufferproof::checker
