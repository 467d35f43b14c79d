// Storages, stores, copies and what is returned; launches are in launch_values.cpp.
#include "simulator/values/values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <utility>

#include "simulator/evaluate.hpp"
#include "simulator/values/generated_input.hpp"

namespace bufferproof::simulator {

using kernels::ConstTensorView;
using kernels::Tensor;
using kernels::TensorView;
using model::DType;
using model::InputError;
using model::SourceLocation;

namespace {

std::string type_text(std::optional<DType> dtype, const std::vector<std::int64_t>& sizes) {
  return fmt::format("{}[{}]", dtype ? model::name(*dtype) : "?", fmt::join(sizes, ", "));
}

/// Row-major, and nothing else in its memory.
bool is_whole_block(const Handle& handle) {
  return handle.known_layout && handle.offset == 0 && handle.storage->memory &&
         kernels::contiguous_strides(handle.shape.sizes) == handle.shape.strides &&
         kernels::element_count(handle.shape.sizes) * handle.element_size == handle.storage->memory->size();
}

}  // namespace

bool is_unmade(const Handle& handle) { return !handle.known_layout && handle.storage->size_is_unknown(); }

std::shared_ptr<DeviceBlock> Values::reserve(std::int64_t bytes, std::optional<DType> dtype) {
  return session_.memory.allocate(bytes, "s0", dtype.value_or(DType::u8));
}

/// A storage of unknown size gets its memory when something is stored to it. Inputs are the caller's: every
/// call gets the same ones.
void Values::allocated(Handle& handle, model::Init init, const SourceLocation& where) {
  Storage& storage = *handle.storage;
  if (storage.size_is_unknown()) {
    if (init == model::Init::uninit) return;
    throw InputError(where, "an input of known size", storage.name, "its values cannot be simulated");
  }
  const std::int64_t bytes = mul_checked(storage.size, storage.unit, where);
  if (init != model::Init::input) {
    storage.memory = reserve(bytes, handle.dtype);
    if (init != model::Init::zero || bytes == 0) return;
    std::memset(storage.memory->overwritten().data(), 0, static_cast<std::size_t>(bytes));
    return;
  }
  ValueSession::Input& input = session_.inputs[storage.name];
  const bool known = input.block && input.dtype == handle.dtype && input.shape.sizes == handle.shape.sizes &&
                     input.shape.strides == handle.shape.strides;
  if (!known) input = {reserve(bytes, handle.dtype), handle.shape, handle.dtype};
  storage.memory = input.block;
  if (!known) fill_input(handle, storage.name, where);
}

void Values::fill_input(Handle& handle, const std::string& name, const SourceLocation& where) {
  const Tensor* given = nullptr;
  if (options_.tensors)
    if (const auto found = options_.tensors->find(name); found != options_.tensors->end())
      given = &found->second;
  const DType dtype = handle.dtype.value_or(DType::u8);
  if (!given && is_whole_block(handle)) {
    const TensorView all(handle.storage->memory->overwritten().data(), dtype, handle.shape.sizes);
    return generate_input(name, options_.input_seed, all);
  }
  const Tensor generated =
      given ? Tensor() : generated_input(name, dtype, handle.shape.sizes, options_.input_seed);
  const Tensor& tensor = given ? *given : generated;
  if (tensor.dtype() != dtype || tensor.sizes() != handle.shape.sizes)
    throw InputError(where,
                     fmt::format("a tensor {} of {}", name, type_text(handle.dtype, handle.shape.sizes)),
                     type_text(tensor.dtype(), tensor.sizes()), "type and shape must be the wrapper's");
  store(whole_of(name, handle, where), tensor.view(), where);
}

/// The storage of a tensor whose shape the text does not say is the block its values were made in.
void Values::become(Storage& storage, const Result& made) {
  storage.memory = made.block;
  storage.contents = std::make_shared<const Contents>(
      Contents{{made.view.sizes(), kernels::contiguous_strides(made.view.sizes())}, made.view.dtype()});
}

void Values::store_result(const AccessPoint& at, const ConstTensorView& values, const Actor& actor) {
  Handle& handle = *at.handle;
  Storage& storage = *handle.storage;
  if (is_unmade(handle)) {
    const std::int64_t bytes = values.element_count() * model::size_in_bytes(values.dtype());
    Result made;
    made.block = reserve(bytes, values.dtype());
    made.view = {made.block->overwritten().data(), values.dtype(), values.sizes()};
    if (bytes > 0) std::memcpy(made.view.bytes(), values.bytes(), static_cast<std::size_t>(bytes));
    return become(storage, made);
  }
  const bool same = values.dtype() == handle.dtype && values.sizes() == handle.shape.sizes;
  if (same) return store(at, values, actor.where);
  if (!converts_) return store_raw(at, values);                                                       // E2
  const auto fitting = converted(values, handle.dtype.value_or(values.dtype()), handle.shape.sizes);  // E3
  if (fitting) return store(at, fitting->view(), actor.where);
  store_nothing_known(at);
}

void Values::written(const AccessPoint& at, const std::vector<AccessPoint>& left_out, const Actor& actor) {
  const auto result = results_.find(at.buffer);
  if (result != results_.end() && result->second.in_place) return;
  const Kept kept(left_out);
  if (result == results_.end())
    store_nothing_known(at);
  else if (result->second.block && is_unmade(*at.handle))
    become(*at.handle->storage, result->second);
  else
    store_result(at, result->second.view, actor);
  kept.put_back();
}

void Values::launch_over(const RunState& state, const Actor& actor) {
  results_.clear();
  for (const std::string& name : std::exchange(outputs_, {})) {
    const auto found = state.names.find(name);
    if (name.empty() || found == state.names.end() || !found->second.actual) continue;
    const Tensor tensor = gather(whole_of(name, *found->second.actual, actor.where), actor.where);
    options_.observer->delivered({call_, name, tensor});
  }
}

// E4
void Values::rebound(const model::Rebind& rebind, Handle& handle, const Actor& actor) {
  Storage& storage = *handle.storage;
  if (!rebind.alias_of.empty() || storage.memory) return;  // shares memory that has its values
  const auto result = results_.find(storage.name);
  const std::int64_t bytes =
      storage.size_is_unknown() ? 0 : mul_checked(storage.size, storage.unit, actor.where);
  if (result == results_.end()) {
    storage.memory = reserve(bytes, handle.dtype);
    return store_nothing_known(whole_of(storage.name, handle, actor.where));
  }
  const Result& made = result->second;
  const bool fits = made.block && made.block->size() >= bytes;
  const ConstTensorView values = made.view;
  const bool row_major = kernels::contiguous_strides(handle.shape.sizes) == handle.shape.strides;
  if (fits && row_major && values.dtype() == handle.dtype && values.sizes() == handle.shape.sizes) {
    storage.memory = made.block;
    return;
  }
  const Tensor apart = kernels::contiguous_copy(values);
  storage.memory = fits ? made.block : reserve(bytes, handle.dtype);
  store_result(whole_of(storage.name, handle, actor.where), apart.view(), actor);
}

// E3
void Values::copied(const AccessPoint& from, const AccessPoint& to, const SourceLocation& where) {
  const Tensor values = gather(from, where);
  const auto fitting =
      converted(values.view(), to.handle->dtype.value_or(values.dtype()),
                to.selection.count == from.selection.count ? values.sizes() : to.selection.counts);
  if (!fitting) return store_nothing_known(to);
  scatter(*fitting, to, where);
}

void Values::returned(const AccessPoint& at, const Actor& actor) {
  returned_.push_back({at.buffer, gather(at, actor.where)});
}

}  // namespace bufferproof::simulator
