// One symbolic walk in progress: what names mean now, on which path, in which loop (checker/walk.hpp).
//
// The steps are handled in walker_names.cpp (what names mean), walker_access.cpp (elements of handles),
// walker_launch.cpp (roads of a launch) and walker_order.cpp (copies, streams, the caller's reads).
#pragma once

#include <fmt/format.h>

#include <span>

#include "checker/bindings.hpp"
#include "checker/liveness.hpp"
#include "checker/units.hpp"
#include "model/substitute.hpp"

namespace bufferproof::checker {

using namespace model;  // the walk speaks of nothing but the model's types

class Walker {
 public:
  Walker(const Program& program, const Block& body, const Ranges& ranges)
      : program_(program), units_(body), last_use_(body) {
    world_.dialect = program.dialect;
    world_.ranges = ranges;
  }
  World run(const Block& body);

  // Part by part, for who looks at the state in between (checker/state_text.hpp).
  void walk(std::span<const Step> block);
  const World& world() const { return world_; }
  const Bindings& bindings() const { return bindings_; }
  const std::vector<HandleObject>& objects() const { return objects_; }
  const Running& alive() const { return alive_; }

 private:
  /// A condition over few roads and small symbols, tried on all their values: true, false, or itself.
  Cond simplified(const Cond& condition) const;
  /// Branches and roads taken so far. That no launch has raised (alive_) is asked only where something is
  /// judged: on other paths it does not matter what names mean.
  Cond path() const { return path_; }
  Place place(int clause) const { return {loops_, step_->id, clause}; }
  void visit(const Branch& s);
  void visit(const Loop& s);
  std::optional<std::int64_t> upper(const SymExpr& count) const;
  void after_loop(const Bindings& before, const std::string& variable, const SymExpr& count);
  bool mentions_variable(int object, const std::string& variable) const;
  int copy_object(int object, const Substitution& by);
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
  std::string text(const Name& name);
  void give_up(Verdict kind, const std::string& reason);
  /// The name as reports show it: readers mark handles that stand inline in an argument list with
  /// "@line:column".
  static std::string shown(const std::string& name) { return name.substr(0, name.find('@')); }
  int new_storage(const std::string& name, std::optional<SymExpr> size, bool ideal);
  int new_object(const std::string& name, std::vector<Guarded<HandleState>> states,
                 std::optional<Layout> declared, std::optional<DType> dtype);
  int next_object() const { return static_cast<int>(objects_.size()); }
  void bind(const std::string& name, const Cond& when, const std::vector<Guarded<Binding>>& fresh);
  std::vector<Guarded<Binding>> resolve(const Name& name, const Name& actor);
  void misuse(FindingClass kind, const Cond& when, const std::string& buffer, const Name& actor);
  void visit(const Alloc& s);
  void initialise(int storage, const std::string& tag);
  static std::optional<Layout> window(const View& s, const std::optional<Layout>& wanted,
                                      const HandleState& base, std::int64_t scale);
  HandleState view_state(const View& s, const std::optional<Layout>& wanted, const HandleState& base,
                         std::int64_t scale) const;
  void visit(const View& s);
  void give_up_name(const std::string& name);
  void bind_or_nothing(const std::string& name, const std::vector<Guarded<Binding>>& fresh);
  void visit(const Bind& s);
  Binding bound(const Bind& s, const Guarded<Binding>& source);
  int second_handle(const std::string& name, int object, bool take, const Cond& when);
  int fork_ideal(int parent, const std::string& name);
  int own_ideal(int pool, const std::string& name);
  void visit(const Point& s);
  void move(int object, const Cond& when, const std::vector<Guarded<HandleState>>& fresh);
  void visit(const Free& s);
  // ---- accesses
  // -----------------------------------------------------------------------------------------------

  std::string fresh_variable() { return fmt::format("x#{}", next_variable_++); }
  Access access(const IndexSet& set, const HandleState& state, const Cond& guard, int clause);
  Access access_all(const HandleState& state, const Cond& guard, int clause);
  bool names_all(const model::IndexSet& set, const HandleState& state) const;
  bool spans(const HandleState& state) const;
  void anywhere(Access& out, int storage);
  void explicit_set(Access& out, const IndexSet& set);
  struct Use {
    Guarded<Binding> binding;
    Guarded<HandleState> state;
    Cond guard;
  };
  std::vector<Use> uses(const Name& name, const Name& actor);
  Access ideal_access(const IndexSet& set, const Use& use, const Access& actual, int clause);
  /// What a reader takes for given of a handle (C7).
  struct Reliance {
    bool declared = false;  ///< its declared layout
    std::optional<DType> elements;
  };
  static Reliance reliance(const Clause& clause) { return {clause.relies_on_declared, clause.compiled_for}; }
  void read(const Name& buffer, const IndexSet& set, const From& from, const Reliance& relies,
            const Name& reader, int clause, bool may = false);
  /// Reports C7 and gives the paths on which the handle is as declared, or the reader does not care.
  Cond report_mismatch(const Use& use, const Reliance& relies, const std::string& buffer, const Name& reader);
  Cond report_elements(const Use& use, DType loaded, const std::string& buffer, const Name& reader);
  From rename(const From& from) const;
  bool ends_inside(const Layout& layout, const SymExpr& size) const;
  void bounds(const Access& access, const std::string& buffer, const Name& actor);
  Event::Kind event_kind(Clause::Kind kind) const;
  void make_unknown(const Guarded<Binding>& binding);
  void add_event(Event::Kind kind, const Access& access, const Name& writer, int life);
  void store(const Clause& clause, const Name& kernel, const Name& writer, const Cond& guard, int order,
             bool ideal_too);
  Cond accumulate_reads(const Clause& clause, const Use& use, const Access& a, const Name& kernel);
  void on_stream(const Access& access, const Name& stream, StreamAccess::Kind kind, const Name& buffer,
                 const Name& actor);
  void visit(const Launch& s);
  void note_unwritten_outputs(const Launch& s, const Variant& variant);
  // walker_apart.cpp: accesses of one launch that come in no order (C4).
  std::vector<Guarded<HandleState>> stands(const Clause& clause);
  bool may_meet(const Clause& a, const Clause& b);
  void forget_order(Variant& variant);
  void keep_apart(const Launch& s, const Variant& variant);
  void keep_apart(const Launch& s, const Clause& a, const Clause& b);
  static HandleState stored_as(const Layout& compiled, HandleState state);
  Name writer_identity(const Name& kernel);
  int run_variant(const Launch& s, const Variant& variant, const Name& writer, const Cond& guard, int order);
  void stream_access(const Clause& clause, const Launch& s, int order);
  int apply(const Rebind& rebind, const Name& kernel, const Name& writer, const std::vector<int>& earlier,
            int order);
  std::vector<Guarded<HandleState>> aliased(const Rebind& rebind, const Name& kernel,
                                            const HandleState& state, const Cond& when);
  int result_storage(const std::string& name, const std::optional<Layout>& result, const Name& writer,
                     int order);
  void compare_with_declared(const Rebind& rebind, const HandleObject& object,
                             const std::optional<Layout>& result, HandleState& state);
  void keep_contract(const Launch& s, const std::vector<Variant>& variants, const std::vector<Cond>& guards,
                     const Name& writer, int order);
  Cond keep_views(const Launch& s, const std::vector<Variant>& variants, const std::vector<Cond>& guards,
                  const Name& output, const Guarded<Binding>& handle, int order);
  bool copy_view(const Rebind& view, const Guarded<Binding>& handle, const Cond& guard, int order);
  std::vector<Variant> simplify(const Launch& s);
  void forget_what_does_not_matter(Variant& variant);
  bool holds(const Name& name, DType elements);
  const HandleState* only_state(const Name& name) const;
  bool alone(int object, int storage) const;
  void rebinds_to_writes(Variant& variant);
  bool rebind_is_write(const Rebind& rebind) const;
  std::vector<Cond> choose(const Launch& s, std::vector<Variant> const& variants);
  SymExpr choice_symbol(const Launch& s);
  void visit(const Copy& s);
  void copy_reads(const Copy& s, const Use& source, const Access& from);
  void add_copy(const Access& from, const Access& to, int life, bool inside);
  bool pair_up(Access& from, const Access& to);
  bool pair_by_number(Access& from, const Access& to) const;
  Cond inside_storage(const Access& from) const;
  void add_sync(Sync::Kind kind, const Name& stream, const Name& event);
  void visit(const Signal& s);
  void visit(const Wait& s);
  void visit(const HostSync& s);
  void visit(const Return& s);
  void visit(const AssertLayout& s);
  Cond is_empty(const Layout& layout) const;
  void visit(const Unsupported& s);
  const Program& program_;
  Units units_;
  LastUse last_use_;
  World world_;
  Bindings bindings_;
  std::vector<HandleObject> objects_;
  std::vector<LoopFrame> loops_;
  Substitution loop_names_;
  Cond path_ = true;
  Running alive_;  ///< no launch so far has raised
  const Step* step_ = nullptr;
  std::int64_t next_variable_ = 0;
};

}  // namespace bufferproof::checker
