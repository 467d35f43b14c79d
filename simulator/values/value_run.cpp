#include "simulator/values/value_run.hpp"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "simulator/body/execute.hpp"
#include "simulator/evaluate.hpp"
#include "simulator/executor.hpp"
#include "simulator/memory/device_memory.hpp"
#include "simulator/tag_run_with.hpp"
#include "simulator/values/generated_input.hpp"
#include "simulator/values/value_hooks.hpp"

namespace bufferproof::simulator {

using kernels::ConstTensorView;
using kernels::Tensor;
using kernels::TensorView;
using model::DType;
using model::InputError;
using model::SourceLocation;

namespace {

std::string name_of(const model::Name& name, const RunState& state, const SourceLocation& where) {
  return resolve(name, state.values, where);
}

class Values : public ValueHooks {
 public:
  Values(const ValueOptions& options, DeviceMemory& memory) : options_(options), memory_(memory) {}

  std::vector<ReturnedTensor> take_returned() { return std::move(returned_); }

  void allocated(Handle& handle, model::Init init, const SourceLocation& where) override {
    Storage& storage = *handle.storage;
    reserve(storage, handle.dtype, where);
    if (init == model::Init::input) fill_input(handle, storage.name, where);
    if (init == model::Init::zero)
      std::memset(storage.memory->bytes().data(), 0, storage.memory->bytes().size());
  }

  void launched(const model::Launch& launch, const model::Variant& variant, const RunState& state,
                const Actor& actor) override {
    if (options_.on_launch) options_.on_launch(actor.reader);
    results_.clear();
    const model::KernelDef* kernel =
        launch.definition < 0 ? nullptr : &state.program.kernels[static_cast<std::size_t>(launch.definition)];
    const model::TensorFunction* body = kernel ? body_of(*kernel, variant) : nullptr;
    if (!body)
      throw InputError(actor.where, "a kernel whose body can be executed", actor.reader,
                       "values of library calls and of opaque kernels are not simulated");
    std::vector<BodyArgument> arguments;
    const std::size_t count = launch.arguments.size() - launch.outputs.size();
    for (std::size_t i = 0; i < count; ++i)
      arguments.push_back(argument(launch.arguments[i], state, actor.where));
    ExecuteOptions how;
    how.numerics = options_.numerics;
    std::vector<Tensor> made;
    try {
      made = execute(*body, arguments, how);
    } catch (const ExecutionError& error) {
      throw InputError(actor.where, fmt::format("{} cannot be executed: {}", actor.reader, error.what()));
    }
    for (std::size_t i = 0; i < std::min(made.size(), launch.outputs.size()); ++i)  // E6
      results_.insert_or_assign(name_of(launch.outputs[i], state, actor.where), std::move(made[i]));
  }

  void written(const AccessPoint& at, const std::vector<AccessPoint>& left_out, const Actor& actor) override {
    const Tensor& result = result_of(at.buffer, actor);
    const std::vector<Kept> kept = contents(left_out);
    store(at, result, actor.where);
    for (const Kept& part : kept) std::copy(part.bytes.begin(), part.bytes.end(), part.place);
  }

  // E4
  void rebound(const model::Rebind& rebind, Handle& handle, const Actor& actor) override {
    if (!rebind.alias_of.empty() || handle.storage->memory) return;  // shares memory that has its values
    reserve(*handle.storage, handle.dtype, actor.where);
    model::IndexSet whole;
    whole.whole = true;
    const AccessPoint at{handle.storage->name, std::make_shared<Handle>(handle),
                         select(handle, whole, {}, actor.where), false};
    store(at, result_of(at.buffer, actor), actor.where);
  }

  // E3
  void copied(const AccessPoint& from, const AccessPoint& to, const SourceLocation& where) override {
    if (from.handle->dtype != to.handle->dtype || from.selection.count != to.selection.count)
      throw InputError(where, "a copy between equal element types and sizes",
                       from.buffer + " to " + to.buffer, "conversions while copying are not simulated");
    const Tensor dense = gather(from, where);
    store(to, dense, where);
  }

  void returned(const AccessPoint& at, const Actor& actor) override {
    returned_.push_back({at.buffer, gather(at, actor.where)});
  }

 private:
  struct Kept {
    std::byte* place;
    std::vector<std::byte> bytes;
  };

  static std::vector<Kept> contents(const std::vector<AccessPoint>& regions) {
    std::vector<Kept> out;
    for (const AccessPoint& region : regions) {
      std::byte* memory = region.handle->storage->memory->bytes().data();
      const std::int64_t unit = region.handle->storage->unit;
      auto keep = [&](std::int64_t lo, std::int64_t hi) {
        out.push_back({memory + lo * unit, {memory + lo * unit, memory + hi * unit}});
      };
      for_each_run(region.selection, keep);
    }
    return out;
  }

  static const model::TensorFunction* body_of(const model::KernelDef& kernel, const model::Variant& variant) {
    if (variant.fallback && kernel.fx_body) return kernel.fx_body.get();
    return kernel.body ? kernel.body.get() : kernel.fx_body.get();
  }

  void reserve(Storage& storage, const std::optional<DType>& dtype, const SourceLocation& where) {
    if (storage.size_is_unknown())
      throw InputError(where, "a tensor of known size", storage.name, "its values cannot be simulated");
    storage.memory =
        memory_.allocate(mul_checked(storage.size, storage.unit, where), "s0", dtype.value_or(DType::u8));
  }

  const Tensor* given(const std::string& name) const {
    if (!options_.tensors) return nullptr;
    const auto found = options_.tensors->find(name);
    return found == options_.tensors->end() ? nullptr : &found->second;
  }

  void fill_input(Handle& handle, const std::string& name, const SourceLocation& where) {
    const Tensor* given = this->given(name);
    const Tensor generated = given ? Tensor()
                                   : generated_input(name, handle.dtype.value_or(DType::u8),
                                                     handle.shape.sizes, options_.input_seed);
    const Tensor& tensor = given ? *given : generated;
    if (tensor.dtype() != handle.dtype || tensor.sizes() != handle.shape.sizes)
      throw InputError(where,
                       fmt::format("a tensor {} of {} and {} elements", name,
                                   handle.dtype ? model::name(*handle.dtype) : "?", handle.shape.elements()),
                       fmt::format("{} and {} elements", model::name(tensor.dtype()), tensor.element_count()),
                       "the shape must be the wrapper's");
    model::IndexSet whole;
    whole.whole = true;
    store({name, std::make_shared<Handle>(handle), select(handle, whole, {}, where), false}, tensor, where);
  }

  BodyArgument argument(const model::Argument& argument, const RunState& state, const SourceLocation& where) {
    if (argument.handle.empty())
      return evaluate(argument.scalar.value_or(model::SymExpr(0)), state.values, where);
    const std::string name = name_of(argument.handle, state, where);
    const auto found = state.names.find(name);
    if (found == state.names.end() || !found->second.actual)
      throw InputError(where, "an argument with storage", name);
    return view_of(*found->second.actual, name, where);
  }

  static ConstTensorView view_of(const Handle& handle, const std::string& name, const SourceLocation& where) {
    model::IndexSet whole;
    whole.whole = true;
    const Selection inside = select(handle, whole, {}, where);
    if (inside.any_outside || !handle.dtype)
      throw InputError(where, "a tensor inside of its storage", name, "its values cannot be simulated");
    const std::byte* base = handle.storage->memory->bytes().data() + handle.offset;
    return {base, *handle.dtype, handle.shape.sizes, handle.shape.strides};
  }

  const Tensor& result_of(const std::string& output, const Actor& actor) const {
    const auto found = results_.find(output);
    if (found == results_.end())
      throw InputError(actor.where, fmt::format("a result of {} for {}", actor.reader, output), "none");
    return found->second;
  }

  static Selection dense(const Selection& like, std::int64_t span) {
    Selection out;
    out.span = span;
    out.count = like.count;
    std::int64_t stride = span;
    out.dims.resize(like.dims.size());
    for (std::size_t d = like.dims.size(); d-- > 0;) {
      out.dims[d] = {like.dims[d].count, stride};
      stride *= like.dims[d].count;
    }
    if (!like.is_box) out.dims = {{like.count, span}};
    return out;
  }

  /// Bytes of the elements, in the order of the set.
  static Tensor gather(const AccessPoint& at, const SourceLocation& where) {
    if (!at.handle->dtype || at.selection.any_outside)
      throw InputError(where, "a tensor inside of its storage", at.buffer, "its values cannot be simulated");
    Tensor out(*at.handle->dtype, at.selection.counts);
    const std::int64_t unit = at.handle->storage->unit;
    const std::byte* memory = at.handle->storage->memory->bytes().data();
    std::byte* target = out.view().bytes();
    for_each_pair(dense(at.selection, at.selection.span), at.selection, where,
                  [&](std::int64_t to, std::int64_t from, std::int64_t n) {
                    std::memcpy(target + to * unit, memory + from * unit,
                                static_cast<std::size_t>(n * at.selection.span * unit));
                  });
    return out;
  }

  /// Stores the elements of `values` whose logical index the set contains.
  static void store(const AccessPoint& at, const Tensor& values, const SourceLocation& where) {
    const Handle& handle = *at.handle;
    if (model::size_in_bytes(values.dtype()) != handle.element_size ||
        (at.selection.is_box ? values.element_count() != at.selection.count : at.selection.listed.empty()))
      throw InputError(where, fmt::format("a result of the size and element type of {}", at.buffer),
                       fmt::format("{} elements of {}", values.element_count(), model::name(values.dtype())),
                       "its values cannot be simulated");
    const std::int64_t unit = handle.storage->unit;
    std::byte* memory = handle.storage->memory->bytes().data();
    const std::byte* source = values.view().bytes();
    if (!at.selection.is_box) return store_listed(at, values, memory, where);
    for_each_pair(at.selection, dense(at.selection, at.selection.span), where,
                  [&](std::int64_t to, std::int64_t from, std::int64_t n) {
                    std::memcpy(memory + to * unit, source + from * unit,
                                static_cast<std::size_t>(n * at.selection.span * unit));
                  });
  }

  static void store_listed(const AccessPoint& at, const Tensor& values, std::byte* memory,
                           const SourceLocation& where) {
    const std::vector<std::int64_t> to = addresses(at.selection, where);
    const ConstTensorView view = values.view();
    const auto size = static_cast<std::size_t>(at.handle->element_size);
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] < 0) continue;
      const auto index = at.selection.index_of(static_cast<std::int64_t>(i));
      std::int64_t from = 0;
      for (std::size_t axis = 0; axis < index.size(); ++axis) from += index[axis] * view.strides()[axis];
      std::memcpy(memory + to[i] * at.handle->storage->unit,
                  view.bytes() + from * static_cast<std::int64_t>(size), size);
    }
  }

  const ValueOptions& options_;
  DeviceMemory& memory_;
  std::map<std::string, Tensor> results_;  ///< of the launch that runs, by output
  std::vector<ReturnedTensor> returned_;
};

void collect_inputs(const model::Block& block, std::set<std::string>& names) {
  for (const model::Step& step : block) {
    if (const auto* alloc = std::get_if<model::Alloc>(&step.node); alloc && alloc->init == model::Init::input)
      names.insert(alloc->name.str());
    if (const auto* branch = std::get_if<model::Branch>(&step.node)) {
      collect_inputs(branch->then_block, names);
      collect_inputs(branch->else_block, names);
    }
    if (const auto* loop = std::get_if<model::Loop>(&step.node)) collect_inputs(loop->body, names);
  }
}

void check_tensors(const model::Program& program, const ValueOptions& options) {
  if (!options.tensors) return;
  std::set<std::string> names;
  collect_inputs(program.body, names);
  for (const auto& [name, tensor] : *options.tensors)
    if (!names.count(name))
      throw InputError({std::make_shared<const std::string>(program.file), 0, 0},
                       "tensors of the program's inputs", "'" + name + "'", "bufferproof show lists them");
}

}  // namespace

ValueTrace run_values(const model::Program& program, const model::RunPlan& plan,
                      const ValueOptions& options) {
  if (program.dialect != model::Dialect::wrapper)
    throw InputError({std::make_shared<const std::string>(program.file), 0, 0}, "a wrapper",
                     "a bufprog program", "bufprog has no values");
  check_tensors(program, options);
  ValueTrace out;
  DeviceMemory memory(plan.memory, plan.seed);
  out.tags = run_tags_with(program, plan, [&](RunState& state) {
    Values values(options, memory);
    state.hooks = &values;
    Executor(state).run();
    out.calls.push_back(values.take_returned());
  });
  out.peak_bytes = memory.peak_bytes();
  return out;
}

}  // namespace bufferproof::simulator
