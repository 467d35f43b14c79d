#include "simulator/executor.hpp"

#include <fmt/format.h>

#include "simulator/evaluate.hpp"
#include "simulator/values/value_hooks.hpp"

namespace bufferproof::simulator {

using model::Finding;
using model::FindingClass;
using model::Step;

namespace {

/// A step costs about as much as walking over this many ranges of memory.
constexpr std::int64_t kStepWork = 32;

}  // namespace

void Executor::run() {
  block(state_.program.body);
  if (stopped_) return;
  for (const Deferred& result : results_) {
    remember_step(result.actor);
    remember_output(result.at, result.actor);
    memory_.read(result.at, result.actor, result.from);
  }
}

void Executor::block(const model::Block& steps) {
  for (const Step& next : steps) {
    if (stopped_) return;
    step(next);
  }
}

void Executor::step(const Step& step) {
  state_.charge(kStepWork, step.where);
  std::visit([&](const auto& node) { exec(node, step); }, step.node);
}

// ---- shared
// ---------------------------------------------------------------------------------------------------

// C6
Binding* Executor::use(const std::string& name, const std::string& reader,
                       const model::SourceLocation& where) {
  auto found = state_.names.find(name);
  const bool dead = found != state_.names.end() && found->second.dead;
  if (!dead && found != state_.names.end() && found->second.actual) return &found->second;
  Finding out;
  out.kind = dead ? FindingClass::dead : FindingClass::noalloc;
  out.rule = "C6";
  out.buffer = name;
  out.reader = reader;
  out.where = where;
  out.message = dead ? fmt::format("{} uses {} after it was given up", reader, name)
                     : fmt::format("{} uses {}, which has no storage on this path", reader, name);
  state_.report(std::move(out));
  return nullptr;
}

AccessPoint Executor::access(const std::string& buffer, const std::shared_ptr<Handle>& handle,
                             const model::IndexSet& set, const model::SourceLocation& where) {
  AccessPoint out{buffer, handle, select(*handle, set, state_.values, where), !handle->known_window};
  state_.charge(out.selection.walk_length(), where);
  return out;
}

Actor Executor::actor(const std::string& reader, const Step& at) {
  Actor out;
  out.reader = reader;
  out.where = at.where;
  const std::string key = state_.wrapper() ? "#" + std::to_string(at.id) + state_.iteration : reader;
  out.writer = state_.tags.writer(key, {reader, at.where});
  return out;
}

std::int64_t Executor::number(const model::SymExpr& e, const Step& at) const {
  return evaluate(e, state_.values, at.where);
}

// C7
bool Executor::mismatched(const AccessPoint& at, const Actor& actor, bool relies_on_declared,
                          std::optional<model::DType> elements) {
  const Mismatch kind = at.handle->mismatch;
  const bool as_declared = kind == Mismatch::none || (kind == Mismatch::strides && !relies_on_declared);
  const auto& held = at.handle->dtype;
  const bool other_elements = as_declared && elements && held && !model::same_elements(*elements, *held);
  if (as_declared && !other_elements) return false;
  const std::string message =
      other_elements ? fmt::format("{} holds {}, and {} takes it for {}", at.buffer, model::name(*held),
                                   actor.reader, model::name(*elements))
                     : fmt::format("{} relies on the {} declared for {}, which has another one", actor.reader,
                                   kind == Mismatch::strides ? "strides" : "shape or dtype", at.buffer);
  report_mismatch(at, actor, message);
  return true;
}

void Executor::report_mismatch(const AccessPoint& at, const Actor& actor, std::string message) {
  Finding out;
  out.kind = FindingClass::mismatch;
  out.rule = "C7";
  out.buffer = at.buffer;
  out.reader = actor.reader;
  out.where = actor.where;
  out.alloc_where = at.handle->storage->where;
  out.message = std::move(message);
  state_.report(std::move(out));
}

void Executor::judged_read(const AccessPoint& at, const Binding& binding, const Actor& actor,
                           const model::From& from, const model::IndexSet& set) {
  if (!state_.wrapper()) {
    memory_.read(at, actor, from);
  } else if (from.kind == model::From::Kind::any) {
    memory_.read_written(at, actor);
  } else {
    memory_.read_intended(at, access(at.buffer, binding.ideal, set, actor.where), actor);
  }
}

// ---- order and control
// -----------------------------------------------------------------------------------------

// C4
void Executor::exec(const model::Signal& s, const Step& at) {
  state_.clocks.signal(text(s.event, at), text(s.stream, at));
}

void Executor::exec(const model::Wait& s, const Step& at) {
  state_.clocks.wait(text(s.event, at), text(s.stream, at));
}

void Executor::exec(const model::HostSync& s, const Step& at) { state_.clocks.host_sync(text(s.stream, at)); }

void Executor::exec(const model::Branch& s, const Step& at) {
  block(evaluate(s.condition, state_.values, at.where) ? s.then_block : s.else_block);
}

void Executor::exec(const model::Loop& s, const Step& at) {
  const std::int64_t count = number(s.count, at);
  const auto outer = state_.values.find(s.variable);
  const bool hides = outer != state_.values.end();
  const std::int64_t hidden = hides ? outer->second : 0;
  const std::string outside = state_.iteration;
  for (std::int64_t i = 0; i < count && !stopped_; ++i) {
    state_.charge(kStepWork, at.where);
    state_.values[s.variable] = i;
    state_.iteration = outside + "." + std::to_string(i);
    block(s.body);
  }
  state_.iteration = outside;
  if (hides) state_.values[s.variable] = hidden;
  if (!hides) state_.values.erase(s.variable);
}

// ---- the caller
// -----------------------------------------------------------------------------------------------

void Executor::exec(const model::Return& s, const Step& at) {
  Actor caller = actor("result", at);
  caller.ordered = !s.after_everything;
  if (caller.ordered) caller.epoch = state_.clocks.issue(text(s.stream, at));
  for (const model::Return::Item& item : s.items) {
    const std::string name = text(item.name, at);
    const Binding* binding = use(name, caller.reader, at.where);
    if (!binding) continue;
    AccessPoint point = access(name, binding->actual, item.set, at.where);
    if (state_.hooks) state_.hooks->returned(point, caller);
    if (mismatched(point, caller, false)) continue;
    memory_.check_bounds(point, caller);
    memory_.check_order(point, caller, AccessKind::read);
    if (s.after_everything && !state_.wrapper()) {
      point.handle = std::make_shared<Handle>(*point.handle);  // where it is now, whatever moves later
      model::From from = item.from;
      for (model::Name& producer : from.names) producer = model::Name(text(producer, at));
      results_.push_back({std::move(point), caller, std::move(from)});
    } else {
      remember_step(caller);
      remember_output(point, caller);
      judged_read(point, *binding, caller, item.from, item.set);
    }
  }
}

// E8
void Executor::exec(const model::Unsupported& s, const Step& at) {
  state_.unsupported(at.where, s.what);
  const Actor someone = actor(s.what, at);
  remember_step(someone);
  for (const model::Name& touched : s.touched) {
    const auto found = state_.names.find(text(touched, at));
    if (found == state_.names.end() || !found->second.actual) continue;
    model::IndexSet whole;
    whole.whole = true;
    for (const auto& handle : {found->second.actual, found->second.ideal})
      if (handle) memory_.make_unknown(access(found->first, handle, whole, at.where), someone);
    remember(Provenance::Kind::unknown, access(found->first, found->second.actual, whole, at.where));
  }
}

}  // namespace bufferproof::simulator
