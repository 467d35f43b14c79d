// Everything one run carries along: memory, names, order, what was found.
//
// Tested by tests/simulator/rules_test.cpp.
#pragma once

#include <set>
#include <tuple>

#include "model/program.hpp"
#include "model/run_plan.hpp"
#include "simulator/clocks.hpp"
#include "simulator/handles.hpp"
#include "simulator/provenance.hpp"
#include "simulator/tag_run.hpp"
#include "simulator/tags.hpp"

namespace bufferproof::simulator {

/// Who accesses: one step, as reports name it.
struct Actor {
  std::string reader;
  WriterId writer = 0;
  Epoch epoch;
  bool ordered = true;  ///< false: comes after everything, no ordering question
  model::SourceLocation where;
};

class ValueHooks;  // simulator/values/value_hooks.hpp

class RunState {
 public:
  RunState(const model::Program& program, const model::RunPlan& plan, TagTrace& trace);

  bool wrapper() const { return program.dialect == model::Dialect::wrapper; }
  /// At most one finding per (class, buffer, reader).
  bool reported(model::FindingClass kind, const std::string& buffer, const std::string& reader) const;
  void report(model::Finding finding);
  /// The same for the element the plan watches, which takes the place of another one.
  void report_watched(model::Finding finding);
  /// E8: an access whose judgement rests on a call of unknown effects.
  void report_unknown(model::Finding finding);
  void unsupported(const model::SourceLocation& where, const std::string& what);
  /// Raises InputError once a run has taken more work than a user would wait for.
  void charge(std::int64_t work, const model::SourceLocation& where);
  std::string text(const model::Name& name, const model::SourceLocation& where) const;

  const model::Program& program;
  const model::RunPlan& plan;
  TagTrace& trace;
  model::Valuation values;
  Names names;
  TagTable tags;
  Clocks clocks;
  AccessTable accesses;
  std::vector<Actor> actors;  ///< of the accesses remembered, by AccessTable::Access::step
  bool several_streams = false;
  std::string path;                        ///< Finding::path of this run
  std::string iteration;                   ///< of the loops we are in: ".2.0"
  std::set<std::string>* tuned = nullptr;  ///< E10: kernels that are past their first launch in this plan
  ValueHooks* hooks = nullptr;             ///< null: tags alone
  Provenance* provenance = nullptr;        ///< null: nobody will ask why

 private:
  using Key = std::tuple<model::FindingClass, std::string, std::string>;
  std::set<Key> seen_;
  std::set<std::pair<std::string, std::string>> seen_unknown_;
  std::set<std::string> seen_unsupported_;
  std::int64_t work_ = 0;
};

}  // namespace bufferproof::simulator
