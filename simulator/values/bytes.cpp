#include "simulator/values/bytes.hpp"

#include <cstring>

#include "kernels_ref/registry.hpp"
#include "simulator/memory/device_memory.hpp"

namespace bufferproof::simulator {

using kernels::ConstTensorView;
using kernels::Sizes;
using kernels::Tensor;
using model::DType;
using model::SourceLocation;

bool in_memory(const Handle& handle) {
  std::int64_t lo = handle.offset;
  std::int64_t hi = handle.offset + handle.element_size;
  for (std::size_t axis = 0; axis < handle.shape.sizes.size(); ++axis) {
    if (handle.shape.sizes[axis] == 0) return true;
    const std::int64_t far =
        (handle.shape.sizes[axis] - 1) * handle.shape.strides[axis] * handle.element_size;
    (far < 0 ? lo : hi) += far;
  }
  return lo >= 0 && handle.storage->memory && hi <= handle.storage->memory->size();
}

namespace {

std::span<std::byte> memory_of(const Handle& handle) {
  return handle.storage->memory ? handle.storage->memory->bytes() : std::span<std::byte>{};
}

/// Whether there are bytes behind the elements of the access; those outside of a known storage are left out
/// anyway.
bool has_bytes(const AccessPoint& at) {
  const Storage& storage = *at.handle->storage;
  if (!storage.memory || at.selection.count == 0) return false;
  return !storage.size_is_unknown() ||
         (at.handle->known_layout && !at.selection.any_outside && in_memory(*at.handle));
}

/// Where the elements of a box lie in row-major values of `strides`, in units.
Selection source_box(const Selection& box, const Sizes& strides) {
  Selection out;
  out.span = box.span;
  out.count = box.count;
  for (const Dim& dim : box.dims) out.dims.push_back({dim.count, 0});
  for (std::size_t axis = 0; axis < box.axes.size(); ++axis) {
    out.base += box.axes[axis].constant * strides[axis] * box.span;
    for (std::size_t v = 0; v < box.dims.size(); ++v)
      out.dims[v].stride += box.axes[axis].coefficients[v] * strides[axis] * box.span;
  }
  return out;
}

/// Row-major, one axis per variable of the set.
Selection dense_box(const Selection& like) {
  Selection out;
  out.span = like.span;
  out.count = like.count;
  std::int64_t stride = like.span;
  out.dims.resize(like.counts.size());
  for (std::size_t v = like.counts.size(); v-- > 0;) {
    out.dims[v] = {like.counts[v], stride};
    stride *= like.counts[v];
  }
  return out;
}

/// Whether every index of the set is one of `sizes`.
bool inside(const Selection& box, const Sizes& sizes) {
  if (box.axes.size() != sizes.size()) return false;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    std::int64_t lo = box.axes[axis].constant;
    std::int64_t hi = lo;
    for (std::size_t v = 0; v < box.counts.size(); ++v) {
      const std::int64_t far = box.axes[axis].coefficients[v] * (box.counts[v] - 1);
      (far < 0 ? lo : hi) += far;
    }
    if (lo < 0 || hi >= sizes[axis]) return false;
  }
  return true;
}

/// Elements one by one, where the set is a list or reaches out of the values or of the storage.
void store_listed(const AccessPoint& at, const ConstTensorView& values, const SourceLocation& where) {
  const std::vector<std::int64_t> to = addresses(at.selection, where);
  const std::span<std::byte> memory = memory_of(*at.handle);
  const std::int64_t size = at.handle->element_size;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto index = at.selection.index_of(static_cast<std::int64_t>(i));
    bool known = to[i] >= 0 && index.size() == values.sizes().size();
    std::int64_t from = 0;
    for (std::size_t axis = 0; known && axis < index.size(); ++axis) {
      known = index[axis] >= 0 && index[axis] < values.sizes()[axis];
      from += index[axis] * values.strides()[axis];
    }
    if (known)
      std::memcpy(memory.data() + to[i] * at.handle->storage->unit, values.bytes() + from * size,
                  static_cast<std::size_t>(size));
  }
}

}  // namespace

Tensor gather(const AccessPoint& at, const SourceLocation& where) {
  if (!at.handle->known_layout) {
    const auto view = view_of(*at.handle, where);
    return view ? kernels::contiguous_copy(*view) : Tensor(at.handle->dtype.value_or(DType::u8), {0});
  }
  const bool listed = !at.selection.listed.empty();
  Tensor out(at.handle->dtype.value_or(DType::u8), listed ? Sizes{at.selection.count} : at.selection.counts);
  if (!has_bytes(at)) return out;
  const std::int64_t unit = at.handle->storage->unit;
  const std::byte* memory = memory_of(*at.handle).data();
  std::byte* target = out.view().bytes();
  for_each_pair(dense_box(at.selection), at.selection, where,
                [&](std::int64_t to, std::int64_t from, std::int64_t n) {
                  std::memcpy(target + to * unit, memory + from * unit,
                              static_cast<std::size_t>(n * at.selection.span * unit));
                });
  return out;
}

void scatter(const Tensor& values, const AccessPoint& to, const SourceLocation& where) {
  if (!has_bytes(to) || values.element_count() != to.selection.count) return;
  const std::int64_t unit = to.handle->storage->unit;
  std::byte* memory = memory_of(*to.handle).data();
  Selection dense;
  dense.span = to.selection.span;
  dense.count = to.selection.count;
  dense.dims = {{to.selection.count, dense.span}};
  if (to.selection.is_box) dense = dense_box(to.selection);
  for_each_pair(to.selection, dense, where, [&](std::int64_t at, std::int64_t from, std::int64_t n) {
    std::memcpy(memory + at * unit, values.view().bytes() + from * unit,
                static_cast<std::size_t>(n * to.selection.span * unit));
  });
}

std::optional<ConstTensorView> view_of(const Handle& handle, const SourceLocation& where) {
  if (!handle.storage->memory) return std::nullopt;
  if (const auto& contents = handle.storage->contents; contents && !handle.known_layout && !handle.offset)
    return ConstTensorView(memory_of(handle).data(), contents->dtype, contents->shape.sizes);
  if (!handle.dtype || !handle.known_layout || !handle.known_window) return std::nullopt;
  if (!in_memory(handle) || whole_of({}, handle, where).selection.any_outside) return std::nullopt;
  return ConstTensorView(memory_of(handle).data() + handle.offset, *handle.dtype, handle.shape.sizes,
                         handle.shape.strides);
}

void store(const AccessPoint& at, const ConstTensorView& values, const SourceLocation& where) {
  if (!has_bytes(at)) return;
  if (!at.selection.is_box || !values.is_contiguous() || !inside(at.selection, values.sizes()))
    return store_listed(at, values, where);
  const std::int64_t unit = at.handle->storage->unit;
  std::byte* memory = memory_of(*at.handle).data();
  const Sizes strides = kernels::contiguous_strides(values.sizes());
  for_each_pair(at.selection, source_box(at.selection, strides), where,
                [&](std::int64_t to, std::int64_t from, std::int64_t n) {
                  std::memcpy(memory + to * unit, values.bytes() + from * unit,
                              static_cast<std::size_t>(n * at.selection.span * unit));
                });
}

void store_raw(const AccessPoint& at, const ConstTensorView& values) {
  const std::span<std::byte> memory = memory_of(*at.handle);
  const std::int64_t begin = at.handle->offset;
  const auto size = static_cast<std::int64_t>(memory.size());
  const std::int64_t bytes = values.element_count() * model::size_in_bytes(values.dtype());
  if (begin < 0 || begin >= size || bytes == 0) return;
  std::memcpy(memory.data() + begin, values.bytes(), static_cast<std::size_t>(std::min(bytes, size - begin)));
}

void store_nothing_known(const AccessPoint& at) {
  if (!has_bytes(at)) return;
  const std::int64_t unit = at.handle->storage->unit;
  std::byte* memory = memory_of(*at.handle).data();
  for_each_run(at.selection, [&](std::int64_t lo, std::int64_t hi) {
    kernels::fill_signalling(memory + lo * unit, static_cast<std::size_t>((hi - lo) * unit),
                             at.handle->dtype.value_or(DType::u8));
  });
}

Kept::Kept(const std::vector<AccessPoint>& regions) {
  for (const AccessPoint& region : regions) {
    if (!has_bytes(region)) continue;
    std::byte* memory = memory_of(*region.handle).data();
    const std::int64_t unit = region.handle->storage->unit;
    for_each_run(region.selection, [&](std::int64_t lo, std::int64_t hi) {
      parts_.push_back({memory + lo * unit, {memory + lo * unit, memory + hi * unit}});
    });
  }
}

void Kept::put_back() const {
  for (const Part& part : parts_) std::copy(part.bytes.begin(), part.bytes.end(), part.place);
}

AccessPoint whole_of(const std::string& name, const Handle& handle, const SourceLocation& where) {
  model::IndexSet whole;
  whole.whole = true;
  return {name, std::make_shared<Handle>(handle), select(handle, whole, {}, where), !handle.known_window};
}

std::optional<Tensor> converted(const ConstTensorView& values, DType dtype, const Sizes& sizes) {
  if (values.sizes().size() > sizes.size()) return std::nullopt;
  const std::size_t missing = sizes.size() - values.sizes().size();
  Sizes strides(sizes.size(), 0);
  for (std::size_t axis = 0; axis < values.sizes().size(); ++axis) {
    const bool same = values.sizes()[axis] == sizes[axis + missing];
    if (!same && values.sizes()[axis] != 1) return std::nullopt;
    if (same) strides[axis + missing] = values.strides()[axis];
  }
  Tensor out(dtype, sizes);
  const bool integer = !model::is_floating(dtype) && dtype != DType::i1;
  kernels::OpRegistry::builtin().run(
      {"cast",
       {ConstTensorView(values.bytes(), values.dtype(), sizes, strides)},
       {{"dtype", dtype},
        {"round", std::string(integer && model::is_floating(values.dtype()) ? "trunc" : "rint")}},
       {out.view()},
       {}});
  return out;
}

}  // namespace bufferproof::simulator
