// Literals, movement operations as strided views, and the registry call for everything else.
#include <fmt/format.h>

#include <cstring>

#include "kernels_ref/ops/elementwise.hpp"
#include "simulator/body/body_run.hpp"

namespace bufferproof::simulator {

using kernels::ConstTensorView;
using kernels::Sizes;
using kernels::Tensor;
using model::TensorOp;
using model::ValueId;

namespace {

/// The low bytes of a bit pattern, as every element of the library's little-endian hosts stores them.
void store_bits(std::byte* to, std::int64_t bits, model::DType dtype) {
  std::memcpy(to, &bits, static_cast<std::size_t>(model::size_in_bytes(dtype)));
}

/// Attributes that kernels take as truth values.
bool is_switch(std::string_view key) {
  return key == "ceil_mode" || key == "count_include_pad" || key == "keepdim" || key == "reverse";
}

}  // namespace

void BodyRun::literal(const TensorOp& op) {
  ValueId id = op.results[0];
  model::DType dtype = function_.type(id).dtype;
  if (left_[static_cast<std::size_t>(id)] == 0) return;  // a destination that is overwritten
  if (op.name == "empty") return undefined(id);
  Tensor tensor(dtype, shape(id));
  if (op.name == "constant") {
    store_bits(tensor.view().bytes(), op.integer("bits"), dtype);
  } else if (op.name == "dense") {
    std::byte* to = tensor.view().bytes();
    for (std::int64_t bits : op.integers("bits")) {
      store_bits(to, bits, dtype);
      to += model::size_in_bytes(dtype);
    }
  } else if (op.name == "size") {
    store_bits(tensor.view().bytes(), sizes_of(op.sizes("value"), op)[0], dtype);
  } else if (op.name == "loaded") {
    fail(op, "the values of this tensor constant stand in another file");
  } else {
    return call(op);
  }
  set(id, std::move(tensor));
}

/// Every element is the signalling pattern: one of them, repeated.
void BodyRun::undefined(ValueId id) {
  const Sizes sizes = shape(id);
  auto one = std::make_shared<const Tensor>(function_.type(id).dtype, Sizes{});
  const ConstTensorView view(one->view().bytes(), one->dtype(), sizes, Sizes(sizes.size(), 0));
  set_view(id, {std::move(one), view}, view);
}

/// True if the operation was expressed as a view.
bool BodyRun::movement(const TensorOp& op) {
  const BodyValue& x = need(op.operands[0]);
  ValueId id = op.results[0];
  const ConstTensorView& view = x.view;
  if (op.name == "reshape") {
    reshape(op);
  } else if (op.name == "transpose") {
    std::vector<int> order;
    for (std::int64_t axis : op.integers("permutation")) order.push_back(static_cast<int>(axis));
    set_view(id, x, view.permute(order));
  } else if (op.name == "broadcast") {
    Sizes to = shape(id);
    Sizes strides(to.size(), 0);
    const auto& dims = op.integers("dims");
    for (std::size_t i = 0; i < dims.size(); ++i) {
      auto axis = static_cast<std::size_t>(dims[i]);
      if (view.sizes()[i] != 1 || to[axis] == 1) strides[axis] = view.strides()[i];
    }
    set_view(id, x, {view.bytes(), view.dtype(), to, strides});
  } else if (op.name == "slice") {
    Sizes offsets = sizes_of(op.sizes("offsets"), op);
    Sizes to = shape(id);
    Sizes strides = view.strides();
    std::int64_t start = 0;
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::int64_t step = op.integers("strides")[i];
      std::int64_t last = to[i] == 0 ? offsets[i] : offsets[i] + (to[i] - 1) * step + 1;
      if (offsets[i] < 0 || to[i] < 0 || last > view.sizes()[i])
        fail(op,
             fmt::format("elements {} to {} of axis {}, which has {}", offsets[i], last, i, view.sizes()[i]));
      start += offsets[i] * strides[i];
      strides[i] *= step;
    }
    set_view(id, x, {view.bytes() + start * model::size_in_bytes(view.dtype()), view.dtype(), to, strides});
  } else if (op.name == "copy" || op.name == "copy_contiguous") {
    set_view(id, x, view);  // values are never changed in place
  } else if (op.name == "overwrite") {
    const BodyValue& source = need(op.operands[1]);
    set_view(id, source, source.view);
  } else {
    return false;
  }
  return true;
}

void BodyRun::reshape(const TensorOp& op) {
  const BodyValue& x = need(op.operands[0]);
  Sizes to = shape(op.results[0]);
  if (kernels::element_count(to) != x.view.element_count())
    fail(op, "another number of elements for these sizes");
  if (x.view.is_contiguous()) return set_view(op.results[0], x, {x.view.bytes(), x.view.dtype(), to});
  auto packed = std::make_shared<const Tensor>(kernels::contiguous_copy(x.view));
  ConstTensorView view(packed->view().bytes(), x.view.dtype(), to);
  set_view(op.results[0], {packed, view}, view);
}

kernels::Attributes BodyRun::attributes(const TensorOp& op) const {
  kernels::Attributes out;
  for (const auto& [key, attribute] : op.attributes) {
    if (const auto* integer = std::get_if<std::int64_t>(&attribute)) {
      if (is_switch(key)) {
        out[key] = *integer != 0;
      } else {
        out[key] = *integer;
      }
    } else if (const auto* text = std::get_if<std::string>(&attribute)) {
      out[key] = *text;
    } else if (const auto* dtype = std::get_if<model::DType>(&attribute)) {
      out[key] = *dtype;
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute)) {
      out[key] = *integers;
    } else {
      out[key] = sizes_of(std::get<std::vector<model::SymExpr>>(attribute), op);
    }
  }
  return out;
}

/// matmul's accumulator is the addend of addmm; everything else has the registry's name and operand order.
void BodyRun::call(const TensorOp& op) {
  kernels::OpCall call;
  call.op = op.name;
  call.numerics = options_.numerics;
  call.attributes = attributes(op);
  for (ValueId id : op.operands) call.inputs.emplace_back(need(id).view);
  if (op.name == "matmul") {
    std::size_t rank = function_.type(op.operands[0]).rank();
    bool adds = op.operands.size() == 3;
    if (rank > 3) fail(op, "more than one batch axis is not executed");
    call.op = adds ? (rank == 2 ? "addmm" : "baddbmm") : (rank == 2 ? "matmul" : "bmm");
    if (adds) call.inputs = {call.inputs[2], call.inputs[0], call.inputs[1]};
  }
  std::vector<BodyValue> made;
  for (ValueId id : op.results) made.push_back(make(id, shape(id)));
  for (const BodyValue& output : made) call.outputs.push_back(writable(output));
  kernels::OpRegistry::builtin().run(call);
  for (std::size_t i = 0; i < made.size(); ++i)
    values_[static_cast<std::size_t>(op.results[i])] = std::move(made[i]);
}

}  // namespace bufferproof::simulator
