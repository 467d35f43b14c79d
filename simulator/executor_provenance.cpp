// What the executor tells for explanations: each step's reads and stores, and what was returned.
#include "model/library_call.hpp"
#include "simulator/evaluate.hpp"
#include "simulator/executor.hpp"

namespace bufferproof::simulator {

void Executor::remember_step(const Actor& actor) {
  if (state_.provenance) state_.provenance->begin(actor.writer);
}

void Executor::remember_launch(const model::Launch& launch, const model::Variant& variant,
                               const Actor& actor) {
  if (!state_.provenance) return;
  Provenance::Step& step = state_.provenance->begin(actor.writer);
  step.launch = &launch;
  step.road = &variant;
  step.ordinal = state_.provenance->launches++;
  step.values = state_.values;
  auto add = [&](const model::Name& name) {
    Provenance::Argument& argument = step.arguments.emplace_back();
    argument.name = state_.text(name, actor.where);
    const auto found = state_.names.find(argument.name);
    if (found != state_.names.end() && found->second.actual) argument.handle = *found->second.actual;
  };
  if (launch.call)
    for (const model::Name& name : model::tensors_of(*launch.call)) add(name);
  for (const model::Argument& argument : launch.call ? std::vector<model::Argument>{} : launch.arguments) {
    if (!argument.handle.empty()) {
      add(argument.handle);
    } else {
      step.arguments.emplace_back();
      if (argument.scalar)
        step.arguments.back().scalar = evaluate(*argument.scalar, state_.values, actor.where);
    }
  }
  for (const model::Name& name : launch.call ? launch.call->results : launch.outputs)
    step.outputs.push_back(name.empty() ? "" : state_.text(name, actor.where));
}

std::size_t Executor::remember(Provenance::Kind kind, const AccessPoint& at, std::vector<Selection> left_out,
                               std::size_t source) {
  if (!state_.provenance) return 0;
  return state_.provenance->add(kind, at.buffer, *at.handle, at.selection, std::move(left_out), source);
}

namespace {

/// Calls f(first, last, tag) for elements of one tag, by ordinal.
template <typename F>
void for_each_span(const AccessPoint& at, const model::SourceLocation& where, F&& f) {
  const RangeMap& tags = at.handle->storage->tags;
  std::optional<TagId> uniform;
  bool mixed = false;
  for_each_run(at.selection, [&](std::int64_t lo, std::int64_t hi) {
    tags.for_each(lo, hi, [&](std::int64_t, std::int64_t, TagId tag) {
      mixed = mixed || (uniform && *uniform != tag);
      uniform = tag;
    });
  });
  if (!uniform) return;
  if (!mixed) return f(std::int64_t{0}, at.selection.count, *uniform);
  const std::vector<std::int64_t> all = addresses(at.selection, where);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] >= 0)
      tags.for_each(all[i], all[i] + 1, [&](std::int64_t, std::int64_t, TagId tag) {
        f(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1, tag);
      });
}

}  // namespace

void Executor::remember_output(const AccessPoint& at, const Actor& caller) {
  if (!state_.provenance) return;
  Provenance::Output out{at.buffer, remember(Provenance::Kind::read, at), at.selection.counts, {}};
  for_each_span(at, caller.where, [&](std::int64_t first, std::int64_t last, TagId tag) {
    if (!out.spans.empty() && out.spans.back().tag == tag && out.spans.back().last == first) {
      out.spans.back().last = last;
    } else {
      out.spans.push_back({first, last, tag});
    }
  });
  state_.provenance->outputs.push_back(std::move(out));
}

}  // namespace bufferproof::simulator
