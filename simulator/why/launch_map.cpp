#include "simulator/why/launch_map.hpp"

#include <algorithm>

#include "kernels_ref/kernel_error.hpp"
#include "model/library_call.hpp"
#include "simulator/body/execute.hpp"

namespace bufferproof::simulator {

using Step = Provenance::Step;

namespace {

/// Stores of unknown shape are those of library calls.
bool stores_unknown_shape(const Provenance::Access& access) {
  return access.kind != Provenance::Kind::read && !access.handle.known_layout;
}

}  // namespace

LaunchMaps::LaunchMaps(const model::Program& program, const Provenance& known)
    : program_(program), known_(known) {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < known_.accesses.size(); ++i) {
    const Provenance::Access& access = known_.accesses[i];
    if (!stores_unknown_shape(access) || access.step == last) continue;
    last = access.step;
    infer_types(i);
  }
}

/// The types of what the step of this access stores; operands' types are those inferred before.
void LaunchMaps::infer_types(std::size_t first) {
  const std::size_t number = known_.accesses[first].step;
  const Step& step = known_.steps[number];
  if (!step.launch || !step.launch->call) return;
  const auto map = make(number);
  if (!map) return;
  for (std::size_t r = 0; r < std::min(map->outputs.size(), map->body.results.size()); ++r)
    for (std::size_t i = first; i < known_.accesses.size() && known_.accesses[i].step == number; ++i) {
      const Provenance::Access& access = known_.accesses[i];
      if (!stores_unknown_shape(access) || access.buffer != map->outputs[r]) continue;
      const model::TensorType& type = map->body.type(map->body.results[r]);
      Type out{type.dtype, {}};
      for (const model::SymExpr& size : type.shape) out.sizes.push_back(size.constant().value_or(0));
      types_[access.handle.storage.get()] = std::move(out);
    }
}

std::optional<LaunchMaps::Type> LaunchMaps::type_of(const Handle& handle) const {
  if (handle.known_layout) {
    if (!handle.dtype) return std::nullopt;
    return Type{*handle.dtype, handle.shape.sizes};
  }
  const auto found = types_.find(handle.storage.get());
  if (found == types_.end() || handle.offset != 0) return std::nullopt;
  return found->second;
}

std::optional<Place> LaunchMaps::place(const Provenance::Access& access) const {
  if (access.handle.known_layout) return place_of(access.handle);
  const auto type = type_of(access.handle);
  if (!type) return std::nullopt;
  return dense_place(type->sizes, model::size_in_bytes(type->dtype));
}

std::optional<std::size_t> LaunchMaps::read_of(std::size_t step, const std::string& buffer) const {
  for (const std::size_t read : known_.steps[step].reads)
    if (known_.accesses[read].buffer == buffer) return read;
  return std::nullopt;
}

const LaunchMap* LaunchMaps::of(std::size_t step) {
  const auto [found, fresh] = maps_.emplace(step, std::nullopt);
  if (fresh) found->second = make(step);
  return found->second ? &*found->second : nullptr;
}

std::optional<LaunchMap> LaunchMaps::make(std::size_t number) const {
  const Step& step = known_.steps[number];
  if (!step.launch) return std::nullopt;
  try {
    if (step.launch->call) return of_call(step);
    return step.launch->definition >= 0 ? of_kernel(step) : std::nullopt;
  } catch (const ExecutionError&) {
  } catch (const kernels::KernelError&) {
  } catch (const model::InputError&) {
  }
  return std::nullopt;
}

std::optional<LaunchMap> LaunchMaps::of_kernel(const Step& step) const {
  const auto& kernel = program_.kernels[static_cast<std::size_t>(step.launch->definition)];
  BodyPointer body = body_of(kernel, *step.road);
  if (!body) return std::nullopt;
  const std::size_t inputs = step.arguments.size() - std::min(step.arguments.size(), step.outputs.size());
  LaunchMap out;
  out.outputs = step.outputs;
  std::vector<BodyArgument> arguments;
  for (std::size_t i = 0; i < inputs; ++i) {
    const Provenance::Argument& argument = step.arguments[i];
    out.parameters.push_back(argument.name);
    if (argument.name.empty()) {
      arguments.emplace_back(argument.scalar.value_or(0));
      continue;
    }
    const auto type = argument.handle ? type_of(*argument.handle) : std::nullopt;
    if (!type) return std::nullopt;
    arguments.emplace_back(kernels::ConstTensorView(nullptr, type->dtype, type->sizes));
  }
  if (step.road->fallback) add_stored_inputs(body, out.outputs, out.parameters);
  out.body = with_sizes(*body, bind_sizes(*body, arguments));
  return out;
}

std::optional<LaunchMap> LaunchMaps::of_call(const Step& step) const {
  LaunchMap out;
  out.outputs = step.outputs;
  std::vector<model::TensorType> types;
  for (const Provenance::Argument& argument : step.arguments) {
    const auto type = argument.handle ? type_of(*argument.handle) : std::nullopt;
    if (!type) return std::nullopt;
    types.push_back({type->dtype, {}});
    for (const std::int64_t size : type->sizes) types.back().shape.emplace_back(size);
    out.parameters.push_back(argument.name);
  }
  out.body = with_sizes(model::body_of(*step.launch->call, types, step.values, {}), {});
  return out;
}

}  // namespace bufferproof::simulator
