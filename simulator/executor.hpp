// Executes the steps of a program in issue order on tagged memory.
//
// bufprog has one world; wrappers have two, the actual one and the one the text means (C3), and every step
// happens in both. Tested by tests/simulator/rules_test.cpp and tests/simulator/wrapper_test.cpp.
#pragma once

#include "simulator/memory_access.hpp"
#include "simulator/run_state.hpp"

namespace bufferproof::simulator {

class Executor {
 public:
  explicit Executor(RunState& state) : state_(state), memory_(state) {}
  /// One call of the program under state.values.
  void run();

 private:
  using World = std::shared_ptr<Handle> Binding::*;

  void block(const model::Block& steps);
  void step(const model::Step& step);

  // Storages and handles.
  void exec(const model::Alloc& s, const model::Step& at);
  void exec(const model::View& s, const model::Step& at);
  void exec(const model::Bind& s, const model::Step& at);
  void exec(const model::Point& s, const model::Step& at);
  static void give_up(Binding& binding);
  void exec(const model::Free& s, const model::Step& at);
  void exec(const model::AssertLayout& s, const model::Step& at);
  std::shared_ptr<Handle> allocate(const model::Alloc& s, const model::Step& at);
  std::shared_ptr<Handle> view_of(const Handle& base, const model::View& s, const model::Step& at);
  static void own_storage(Handle& slice);
  std::shared_ptr<Handle> bound(const std::shared_ptr<Handle>& source, const model::Bind& s, World world);

  // Launches and copies.
  void exec(const model::Launch& s, const model::Step& at);
  void exec(const model::Copy& s, const model::Step& at);
  std::shared_ptr<Handle> accessed_handle(const model::Clause& c, const Binding& binding,
                                          const Actor& actor) const;
  void keep_apart(const model::Variant& variant, const Actor& actor);
  void keep_apart(const model::Clause& a, const model::Clause& b, const Actor& actor);
  void tune(const model::Launch& launch, const model::Variant& variant, const Actor& actor);
  void clause(const model::Launch& launch, const model::Clause& c, const Actor& actor, int write_index);
  void actual_clause(const model::Clause& c, const AccessPoint& at, const Binding& binding,
                     const Actor& actor, const std::vector<const model::Fault*>& faults);
  void ideal_clause(const model::Clause& c, const Binding& binding, const Actor& actor);
  void ideal_outputs(const model::Launch& launch, const model::Variant& road, const Actor& actor);
  bool ideal_view(const model::Rebind& view, const Actor& actor);
  void ideal_output(const std::string& name, const Actor& actor);
  void write_with_faults(const AccessPoint& at, const Actor& actor,
                         const std::vector<const model::Fault*>& faults);
  void rebind(const model::Variant& variant, const Actor& actor);
  std::shared_ptr<Storage> rebind_one(const model::Rebind& r,
                                      const std::vector<std::shared_ptr<Storage>>& earlier,
                                      const Actor& actor);

  // Order, control, the caller.
  void exec(const model::Signal& s, const model::Step& at);
  void exec(const model::Wait& s, const model::Step& at);
  void exec(const model::HostSync& s, const model::Step& at);
  void exec(const model::Branch& s, const model::Step& at);
  void exec(const model::Loop& s, const model::Step& at);
  void exec(const model::Return& s, const model::Step& at);
  void exec(const model::Unsupported& s, const model::Step& at);

  /// The binding of a name that has storage; nullptr after reporting NOALLOC or DEAD (C6).
  Binding* use(const std::string& name, const std::string& reader, const model::SourceLocation& where);
  AccessPoint access(const std::string& buffer, const std::shared_ptr<Handle>& handle,
                     const model::IndexSet& set, const model::SourceLocation& where);
  // executor_provenance.cpp: what explanations need.
  void remember_step(const Actor& actor);
  void remember_launch(const model::Launch& launch, const model::Variant& variant, const Actor& actor);
  /// Returns the number of the access.
  std::size_t remember(Provenance::Kind kind, const AccessPoint& at, std::vector<Selection> left_out = {},
                       std::size_t source = 0);
  /// Keeps the tags of what the caller got.
  void remember_output(const AccessPoint& at, const Actor& caller);
  Actor actor(const std::string& reader, const model::Step& at);
  /// C7: true when the access ends there.
  bool mismatched(const AccessPoint& at, const Actor& actor, bool relies_on_declared,
                  std::optional<model::DType> elements = std::nullopt);
  void report_mismatch(const AccessPoint& at, const Actor& actor, std::string message);
  void judged_read(const AccessPoint& at, const Binding& binding, const Actor& actor, const model::From& from,
                   const model::IndexSet& set);
  std::int64_t number(const model::SymExpr& e, const model::Step& at) const;
  std::string text(const model::Name& name, const model::Step& at) const {
    return state_.text(name, at.where);
  }

  /// A bufprog result: what its name meant where the statement stands, read when everything is over.
  struct Deferred {
    AccessPoint at;
    Actor actor;
    model::From from;
  };

  RunState& state_;
  MemoryAccess memory_;
  std::vector<Deferred> results_;
  bool stopped_ = false;  ///< E11
};

}  // namespace bufferproof::simulator
