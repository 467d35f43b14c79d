// What a launch computes: kernels by their bodies, library calls by the table of aten functions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/registry.hpp"
#include "model/library_call.hpp"
#include "simulator/evaluate.hpp"
#include "simulator/launch_body.hpp"
#include "simulator/values/values.hpp"

namespace bufferproof::simulator {

using kernels::ConstTensorView;
using kernels::Tensor;
using kernels::TensorView;
using model::Clause;
using model::InputError;
using model::Variant;

namespace {

std::string name_of(const model::Name& name, const RunState& state, const Actor& actor) {
  return resolve(name, state.values, actor.where);
}

/// Row-major memory holds a NaN or an infinity.
bool has_non_finite(const TensorView& view) {
  if (!model::is_floating(view.dtype())) return false;
  const auto bad = [](auto x) { return !std::isfinite(x); };
  const std::int64_t count = view.element_count();
  if (view.dtype() == model::DType::f32)
    return std::any_of(view.data<float>(), view.data<float>() + count, bad);
  Tensor wide(model::DType::f64, view.sizes());
  kernels::OpRegistry::builtin().run({"cast",
                                      {ConstTensorView(view)},
                                      {{"dtype", model::DType::f64}, {"round", std::string("rint")}},
                                      {wide.view()},
                                      {}});
  const auto elements = wide.elements<double>();
  return std::any_of(elements.begin(), elements.end(), bad);
}

bool only_reads(const Variant& variant) {
  return std::all_of(variant.clauses.begin(), variant.clauses.end(),
                     [](const Clause& clause) { return clause.kind == Clause::Kind::read; });
}

/// Whether the road was compiled for the layout the text declares for this input (C7).
bool relies_on_declared(const Variant& variant, const std::string& name, const RunState& state,
                        const Actor& actor) {
  return std::any_of(variant.clauses.begin(), variant.clauses.end(), [&](const Clause& clause) {
    return clause.kind == Clause::Kind::read && clause.relies_on_declared &&
           name_of(clause.buffer, state, actor) == name;
  });
}

/// The one clause that stores to the output, if it stores all of it.
const Clause* whole_write(const Variant& variant, const std::string& output, const RunState& state,
                          const Actor& actor) {
  const Clause* found = nullptr;
  for (const Clause& clause : variant.clauses) {
    if (clause.kind == Clause::Kind::read || name_of(clause.buffer, state, actor) != output) continue;
    if (found || clause.kind != Clause::Kind::write || !clause.set.whole) return nullptr;
    found = &clause;
  }
  return found;
}

}  // namespace

/// A kernel that is never compiled: by contract its graph's results end in the outputs as `copy_` puts them.
bool Values::is_eager(const RunState& state, const model::Launch& launch) {
  return state.program.kernels[static_cast<std::size_t>(launch.definition)].kind ==
         model::KernelKind::import_fx;
}

void Values::launched(const model::Launch& launch, const Variant& variant, const RunState& state,
                      const Actor& actor) {
  if (options_.on_launch) options_.on_launch(actor.reader);
  results_.clear();
  ++launches_;
  converts_ = variant.fallback || launch.definition < 0 || is_eager(state, launch);
  if (launch.definition < 0 && !launch.call && only_reads(variant)) return;  // the host looks at a tensor
  Work work;
  if (launch.definition < 0) {
    work = call_work(launch, variant, state, actor);
  } else {
    const auto& kernel = state.program.kernels[static_cast<std::size_t>(launch.definition)];
    work = kernel_work(launch, kernel, variant, state, actor);
  }
  try {
    if (work.body) compute(work, variant, state, actor);
  } catch (const ExecutionError& error) {
    if (!work.doubtful)
      throw InputError(actor.where, fmt::format("{} cannot be executed: {}", actor.reader, error.what()));
    results_.clear();
  } catch (const kernels::KernelError& error) {
    if (!work.doubtful)
      throw InputError(actor.where, fmt::format("{} cannot be executed: {}", actor.reader, error.what()));
    results_.clear();
  }
}

Values::Work Values::kernel_work(const model::Launch& launch, const model::KernelDef& kernel,
                                 const Variant& variant, const RunState& state, const Actor& actor) {
  Work work;
  work.body = body_of(kernel, variant);
  if (!work.body)
    throw InputError(actor.where, "a kernel whose body can be executed", actor.reader,
                     kernel.body_unsupported.empty() ? "values of opaque kernels are not simulated"
                                                     : kernel.body_unsupported);
  const std::size_t inputs =
      launch.arguments.size() - std::min(launch.arguments.size(), launch.outputs.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < inputs; ++i) {
    const model::Argument& argument = launch.arguments[i];
    names.push_back(argument.handle.empty() ? "" : name_of(argument.handle, state, actor));
    if (argument.handle.empty())
      work.arguments.emplace_back(
          evaluate(argument.scalar.value_or(model::SymExpr(0)), state.values, actor.where));
    else
      add_argument(work, name_of(argument.handle, state, actor), variant, state, actor);
  }
  for (const model::Name& output : launch.outputs) work.outputs.push_back(name_of(output, state, actor));
  if (variant.fallback) add_stored_inputs(work.body, work.outputs, names);
  work.names = std::move(names);
  return work;
}

Values::Work Values::call_work(const model::Launch& launch, const Variant& variant, const RunState& state,
                               const Actor& actor) {
  if (!launch.call)
    throw InputError(actor.where, "a call whose effects and computation are known", actor.reader,
                     "its values cannot be simulated");
  Work work;
  for (const model::Name& name : tensors_of(*launch.call)) {
    work.names.push_back(name_of(name, state, actor));
    add_argument(work, work.names.back(), variant, state, actor);
  }
  std::vector<model::TensorType> types;
  for (const BodyArgument& argument : work.arguments) {
    const auto& view = std::get<ConstTensorView>(argument);
    types.push_back({view.dtype(), {}});
    for (const std::int64_t size : view.sizes()) types.back().shape.emplace_back(size);
  }
  for (const model::Name& result : launch.call->results)
    work.outputs.push_back(name_of(result, state, actor));
  try {
    work.body = std::make_shared<const model::TensorFunction>(
        model::body_of(*launch.call, types, state.values, actor.where));
  } catch (const InputError&) {
    if (!work.doubtful || !has_body(*launch.call)) throw;
  }
  return work;
}

void Values::add_argument(Work& work, const std::string& name, const Variant& variant, const RunState& state,
                          const Actor& actor) {
  const auto found = state.names.find(name);
  if (found == state.names.end() || !found->second.actual) {  // C6
    work.doubtful = true;
    work.kept.emplace_back(model::DType::f32, kernels::Sizes{});
    work.arguments.emplace_back(std::as_const(work.kept.back()).view());
    return;
  }
  Handle handle = *found->second.actual;
  work.doubtful = work.doubtful || handle.mismatch != Mismatch::none;
  if (handle.mismatch != Mismatch::none && relies_on_declared(variant, name, state, actor)) {
    handle.shape = handle.declared;
    handle.dtype = handle.declared_dtype;
    handle.element_size = handle.dtype ? model::size_in_bytes(*handle.dtype) : handle.element_size;
    handle.storage->refine(handle.element_size);
  }
  work.storages.push_back(handle.storage.get());
  if (const auto view = view_of(handle, actor.where)) {
    work.arguments.emplace_back(*view);
    return;
  }
  if (!handle.known_window || !handle.known_layout)
    throw InputError(actor.where, "a tensor whose place in memory is known", name,
                     "its values cannot be simulated");
  work.doubtful = true;
  work.kept.push_back(gather(whole_of(name, handle, actor.where), actor.where));
  work.arguments.emplace_back(std::as_const(work.kept.back()).view());
}

void Values::compute(Work& work, const Variant& variant, const RunState& state, const Actor& actor) {
  const std::vector<ResultShape> shapes = result_shapes(*work.body, work.arguments);
  std::vector<Result> made;
  std::vector<TensorView> targets;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const bool wanted = i < work.outputs.size() && !work.outputs[i].empty();  // E6
    made.push_back(place(work, wanted ? work.outputs[i] : "", shapes[i], variant, state, actor));
    targets.push_back(made.back().view);
  }
  ExecuteOptions how;
  how.numerics = options_.numerics;
  execute_into(*work.body, work.arguments, targets, how);
  if (options_.births) look_for_births(work, targets, how, actor);
  if (options_.observer)
    options_.observer->computed({call_, launches_ - 1, actor.reader, actor.where, work.body, work.arguments,
                                 work.names, work.outputs, targets, state, actor.writer});
  if (options_.observer && options_.observer->wants_buffers()) outputs_ = work.outputs;
  for (std::size_t i = 0; i < std::min(made.size(), work.outputs.size()); ++i)
    if (!work.outputs[i].empty()) results_.insert_or_assign(work.outputs[i], std::move(made[i]));
}

/// Only a launch with a result that is not finite is looked into. Its inputs are still what they were.
void Values::look_for_births(const Work& work, std::span<const TensorView> results, const ExecuteOptions& how,
                             const Actor& actor) {
  if (std::none_of(results.begin(), results.end(), has_non_finite)) return;
  for (Birth& birth : find_births(*work.body, work.arguments, how))
    births_.push_back({actor.reader, actor.where, 0, std::move(birth)});
}

/// Eager execution puts its results into memory of the pool, whatever becomes of them; so does a call whose
/// result's memory begins with it.
Values::Result Values::place(const Work& work, const std::string& output, const ResultShape& shape,
                             const Variant& variant, const RunState& state, const Actor& actor) {
  Result out;
  const std::int64_t bytes = kernels::element_count(shape.sizes) * model::size_in_bytes(shape.dtype);
  const auto found = state.names.find(output);
  const bool unmade = !output.empty() && found != state.names.end() && found->second.actual &&
                      is_unmade(*found->second.actual);
  if (variant.fallback || unmade) {
    out.block = reserve(bytes, shape.dtype);
    out.view = {out.block->overwritten().data(), shape.dtype, shape.sizes};
  } else if (const auto memory = in_place(work, output, shape, variant, state, actor)) {
    out.view = *memory;
    out.in_place = true;
  } else {
    out.own = Tensor(shape.dtype, shape.sizes);
    out.view = out.own.view();
  }
  return out;
}

std::optional<TensorView> Values::in_place(const Work& work, const std::string& output,
                                           const ResultShape& shape, const Variant& variant,
                                           const RunState& state, const Actor& actor) const {
  const auto found = state.names.find(output);
  if (output.empty() || found == state.names.end() || !found->second.actual) return std::nullopt;
  const Handle& handle = *found->second.actual;
  const bool shared = std::count(work.storages.begin(), work.storages.end(), handle.storage.get()) > 0 ||
                      std::count_if(work.outputs.begin(), work.outputs.end(), [&](const std::string& other) {
                        const auto binding = state.names.find(other);
                        return binding != state.names.end() && binding->second.actual &&
                               binding->second.actual->storage == handle.storage;
                      }) > 1;
  const bool faulty = std::any_of(plan_.faults.begin(), plan_.faults.end(),
                                  [&](const model::Fault& fault) { return fault.kernel == actor.reader; });
  if (shared || faulty || !variant.rebinds.empty() || !whole_write(variant, output, state, actor))
    return std::nullopt;
  const bool fits = handle.known_layout && handle.known_window && handle.dtype == shape.dtype &&
                    handle.shape.sizes == shape.sizes && in_memory(handle) &&
                    ConstTensorView(nullptr, shape.dtype, shape.sizes, handle.shape.strides).is_contiguous();
  if (!fits) return std::nullopt;
  DeviceBlock& memory = *handle.storage->memory;
  const bool all =
      handle.offset == 0 && kernels::element_count(shape.sizes) * handle.element_size == memory.size();
  const std::span<std::byte> bytes = all ? memory.overwritten() : memory.bytes();
  return TensorView(bytes.data() + handle.offset, shape.dtype, shape.sizes);
}

}  // namespace bufferproof::simulator
