#include "simulator/why/value_walk.hpp"

#include <algorithm>

#include "kernels_ref/bounds/bound_support.hpp"
#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::simulator {

using Access = Provenance::Access;

namespace {

/// The links of `after` follow those of `out`, whose last one they begin with.
void append(Explanation& out, Explanation after) {
  after.links.front().basis = out.links.back().basis;
  after.links.front().value = out.links.back().value;
  out.links.pop_back();
  for (WhyLink& link : after.links) out.links.push_back(std::move(link));
  out.at_fault = after.at_fault;
  out.unknown = after.unknown;
}

}  // namespace

Explanation ValueWalk::from(std::size_t read, const Index& element) {
  Explanation out;
  Spot spot{read, element};
  for (std::size_t steps = 0; steps <= known_.steps.size(); ++steps) {
    WhyLink link = link_of(state_, known_, spot.read);
    link.element = spot.element;
    link.basis = spot.basis;
    link.value = value_at(spot);
    out.links.push_back(std::move(link));
    const Spot here = spot;
    const Outcome outcome = step(spot, out);
    if (outcome == Outcome::ended) return out;
    if (outcome == Outcome::not_said) {
      append(out, WhySearch(state_, known_, maps_).from(here.read, here.element));
      return out;
    }
  }
  return out;
}

ValueWalk::Outcome ValueWalk::step(Spot& spot, Explanation& out) {
  const auto place = maps_.place(known_.accesses[spot.read]);
  if (!place || place->sizes.size() != spot.element.size()) return Outcome::not_said;
  const std::int64_t address = place->address(spot.element);
  const Runs bytes{{address, address + place->element}};
  if (const auto found = fault_in(known_, spot.read, bytes)) {
    end_at(out, state_, *found->fault);
    return Outcome::ended;
  }
  const std::vector<LeftBytes> left = stores_before(known_, spot.read, bytes);
  if (left.empty()) return Outcome::ended;  // an input, as it was given
  const Access& store = known_.accesses[left[0].store];
  out.links.back().writer = state_.tags.writer(known_.steps[store.step].writer).name;
  if (store.kind == Provenance::Kind::copy) return through_copy(spot, store, address);
  if (store.kind != Provenance::Kind::write) return Outcome::not_said;
  try {
    return through_launch(spot, store, address, out);
  } catch (const ExecutionError&) {
  } catch (const kernels::KernelError&) {
  }
  return Outcome::not_said;
}

ValueWalk::Outcome ValueWalk::through_launch(Spot& spot, const Access& store, std::int64_t address,
                                             Explanation& out) {
  const std::size_t ordinal = known_.steps[store.step].ordinal;
  const RecordedLaunch* run = values_.run->find(values_.call, ordinal);
  const RecordedLaunch* golden = values_.golden ? values_.golden->find(values_.call, ordinal) : nullptr;
  const LaunchMap* map = maps_.of(store.step);
  const auto place = maps_.place(store);
  const auto element = place ? place->at(address) : std::nullopt;
  if (!known_.steps[store.step].launch || !run || !map || !element) return Outcome::not_said;
  const auto result = std::find(map->outputs.begin(), map->outputs.end(), store.buffer);
  const auto number = static_cast<std::size_t>(result - map->outputs.begin());
  if (number >= run->body().results.size()) return Outcome::not_said;
  const ValuePath path =
      trace_value(run->body(), run->arguments(), golden ? golden->arguments() : std::vector<BodyArgument>{},
                  number, *element, values_.numerics);
  if (path.birth) {
    out.birth = path.birth;
    return Outcome::ended;
  }
  if (!path.parameter || *path.parameter >= map->parameters.size()) return Outcome::not_said;
  const auto read = maps_.read_of(store.step, map->parameters[*path.parameter]);
  if (!read) return Outcome::not_said;
  spot = {*read, path.element, WhyBasis::values};
  return Outcome::goes_on;
}

ValueWalk::Outcome ValueWalk::through_copy(Spot& spot, const Access& store, std::int64_t address) const {
  const Access& source = known_.accesses[store.source];
  const auto place = maps_.place(source);
  if (!place || store.selection.count != source.selection.count) return Outcome::not_said;
  std::optional<Index> element;
  for_each_pair(store.selection, source.selection, {}, [&](std::int64_t a, std::int64_t b, std::int64_t n) {
    const std::int64_t number = (address - a * store.unit) / (store.selection.span * store.unit);
    if (address < a * store.unit || number >= n) return;
    element = place->at((b + number * source.selection.span) * source.unit);
  });
  if (!element) return Outcome::not_said;
  spot = {store.source, *element, WhyBasis::values};
  return Outcome::goes_on;
}

/// As the launch that reads it had it.
std::optional<double> ValueWalk::value_at(const Spot& spot) const {
  const Access& access = known_.accesses[spot.read];
  const Provenance::Step& step = known_.steps[access.step];
  if (!step.launch) return std::nullopt;
  const RecordedLaunch* run = values_.run->find(values_.call, step.ordinal);
  const LaunchMap* map = maps_.of(access.step);
  if (!run || !map) return std::nullopt;
  const auto name = std::find(map->parameters.begin(), map->parameters.end(), access.buffer);
  const std::vector<BodyArgument> arguments = run->arguments();
  const auto position = static_cast<std::size_t>(name - map->parameters.begin());
  if (position >= arguments.size()) return std::nullopt;
  const auto* view = std::get_if<kernels::ConstTensorView>(&arguments[position]);
  if (!view || view->sizes().size() != spot.element.size()) return std::nullopt;
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < spot.element.size(); ++axis) {
    if (spot.element[axis] >= view->sizes()[axis]) return std::nullopt;
    offset += spot.element[axis] * view->strides()[axis];
  }
  return kernels::values_of({view->bytes() + offset * model::size_in_bytes(view->dtype()), view->dtype(), {}})
      .at(0);
}

}  // namespace bufferproof::simulator
