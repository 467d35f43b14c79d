// Steps that make, share, move and release handles (S1..S5).
#include <fmt/format.h>

#include "simulator/evaluate.hpp"
#include "simulator/executor.hpp"
#include "simulator/values/value_hooks.hpp"

namespace bufferproof::simulator {

using model::Step;

namespace {

constexpr const char* kPlan = "plan";

int size_of(const std::optional<model::DType>& dtype) { return dtype ? model::size_in_bytes(*dtype) : 1; }

/// What an allocation holds (S5): nothing known, or contents with a producer of their own.
const char* producer(model::Init init) {
  switch (init) {
    case model::Init::zero:
      return "zero";
    case model::Init::input:
      return "in";
    case model::Init::filled:
      return "fill";
    case model::Init::uninit:
      break;
  }
  return nullptr;
}

}  // namespace

// S1, S4
std::shared_ptr<Handle> Executor::allocate(const model::Alloc& s, const Step& at) {
  auto handle = std::make_shared<Handle>();
  handle->dtype = handle->declared_dtype = s.dtype;
  handle->element_size = size_of(s.dtype);
  std::int64_t size = kUnknownSize;
  if (s.layout) {
    handle->shape = handle->declared = evaluate_shape(*s.layout, state_.values, at.where);
    const std::int64_t offset = number(s.layout->offset, at);
    handle->offset = mul_checked(offset, handle->element_size, at.where);
    size = extent(handle->shape, offset, at.where);
  }
  handle->known_layout = s.layout.has_value();
  handle->storage = std::make_shared<Storage>(size, handle->element_size);
  handle->storage->name = text(s.name, at);
  handle->storage->where = at.where;
  if (const char* name = producer(s.init)) {
    const TagId tag = state_.tags.written(state_.tags.writer(name, {name, at.where}), 0);
    handle->storage->tags.assign(0, size, tag);
  }
  return handle;
}

void Executor::exec(const model::Alloc& s, const Step& at) {
  Binding binding;
  binding.actual = allocate(s, at);
  if (state_.hooks) state_.hooks->allocated(*binding.actual, s.init, at.where);
  if (state_.wrapper()) binding.ideal = allocate(s, at);
  state_.names[text(s.name, at)] = std::move(binding);
}

// S2
std::shared_ptr<Handle> Executor::view_of(const Handle& base, const model::View& s, const Step& at) {
  auto handle = std::make_shared<Handle>(base);
  if (s.dtype) {
    handle->dtype = s.dtype;
    handle->element_size = size_of(s.dtype);
    handle->storage->refine(handle->element_size);
  }
  if (s.layout) {
    handle->shape = evaluate_shape(*s.layout, state_.values, at.where);
    const std::int64_t offset = mul_checked(number(s.layout->offset, at), handle->element_size, at.where);
    handle->offset = s.absolute_offset ? offset : add_checked(base.offset, offset, at.where);
    handle->known_layout = handle->known_window = true;
    if (base.mismatch != Mismatch::none) handle->mismatch = Mismatch::shape;  // C7
  } else if (handle->element_size != base.element_size && handle->known_layout) {
    reinterpret_last_axis(handle->shape, base.element_size, handle->element_size, at.where);
  }
  if (s.unknown_layout) handle->known_layout = handle->known_window = false;
  handle->declared = handle->shape;
  handle->declared_dtype = handle->dtype;
  return handle;
}

void Executor::exec(const model::View& s, const Step& at) {
  Binding view;
  if (const Binding* base = use(text(s.base, at), kPlan, at.where)) {
    view.actual = view_of(*base->actual, s, at);
    if (base->ideal) view.ideal = view_of(*base->ideal, s, at);
    if (s.pool_slice && view.ideal) own_storage(*view.ideal);
  }
  state_.names[text(s.name, at)] = std::move(view);
}

// C3: a slice of a pool is memory of its own where the text is followed; offsets stay those of the pool.
void Executor::own_storage(Handle& slice) {
  auto fresh = std::make_shared<Storage>(slice.storage->size, slice.storage->unit);
  fresh->name = slice.storage->name;
  fresh->where = slice.storage->where;
  slice.storage = std::move(fresh);
}

std::shared_ptr<Handle> Executor::bound(const std::shared_ptr<Handle>& source, const model::Bind& s,
                                        World world) {
  if (!source || s.kind == model::Bind::Kind::alias) return source;  // S2
  const bool carried = s.kind == model::Bind::Kind::rename || s.kind == model::Bind::Kind::reuse;
  if (carried && world == &Binding::actual) return source;
  auto handle = std::make_shared<Handle>(*source);
  if (s.kind == model::Bind::Kind::take) handle->life = ++handle->storage->life;  // S4
  // C3: what the new name reads is the ancestor's contents, what it writes is nobody else's.
  if (carried) handle->storage = std::make_shared<Storage>(*handle->storage);
  return handle;
}

void Executor::exec(const model::Bind& s, const Step& at) {
  const std::string source_name = text(s.source, at);
  const std::string name = text(s.name, at);
  const Binding* source = use(source_name, kPlan, at.where);
  Binding binding;
  if (source) {
    binding.actual = bound(source->actual, s, &Binding::actual);
    binding.ideal = bound(source->ideal, s, &Binding::ideal);
  }
  state_.names[name] = std::move(binding);
  if (s.kind == model::Bind::Kind::rename && source && source_name != name)
    give_up(state_.names[source_name]);
}

// S3
void Executor::exec(const model::Point& s, const Step& at) {
  const Binding* handle = use(text(s.handle, at), kPlan, at.where);
  const Binding* target = use(text(s.target, at), kPlan, at.where);
  if (!handle || !target) return;
  for (const World world : {&Binding::actual, &Binding::ideal}) {
    if (!(handle->*world) || !(target->*world)) continue;
    Handle& moving = *(handle->*world);
    const Shape declared = moving.declared;
    const auto declared_dtype = moving.declared_dtype;
    moving = *(target->*world);
    moving.declared = declared;
    moving.declared_dtype = declared_dtype;
    if (state_.wrapper())
      moving.mismatch = compare_shapes(declared, moving.shape, declared_dtype == moving.dtype);
  }
}

// C6
void Executor::exec(const model::Free& s, const Step& at) {
  for (const model::Name& name : s.names)
    if (Binding* found = use(text(name, at), kPlan, at.where)) give_up(*found);  // twice is a use as well
}

/// The name holds its storage no longer, which is free when no name does.
void Executor::give_up(Binding& binding) {
  binding.dead = true;
  binding.actual.reset();
  binding.ideal.reset();
}

// C7
void Executor::exec(const model::AssertLayout& s, const Step& at) {
  const std::string name = text(s.name, at);
  const Actor asserting = actor("assert_size_stride", at);
  const Binding* binding = use(name, asserting.reader, at.where);
  if (!binding) return;
  const AccessPoint whole{name, binding->actual, {}, false};
  if (mismatched(whole, asserting, true)) return;
  const Handle& handle = *binding->actual;
  const Shape asserted = evaluate_shape(s.layout, state_.values, at.where);
  const bool same_dtype = !s.dtype || !handle.dtype || *s.dtype == *handle.dtype;
  if (handle.known_layout && compare_shapes(asserted, handle.shape, same_dtype) != Mismatch::none)
    report_mismatch(whole, asserting,
                    fmt::format("{} does not have the layout and element type that are asserted", name));
}

}  // namespace bufferproof::simulator
