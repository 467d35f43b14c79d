// Casts, copies, creation of tensors, sizes.
#include <fmt/format.h>

#include "model/read/aten/lowering.hpp"

namespace bufferproof::model::aten {

using Kind = Value::Kind;

/// aten._to_copy, prims.convert_element_type, npu._npu_dtype_cast: always a new tensor. aten.to to the same
/// type is its operand itself.
Value Lowering::convert(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  bool keyword_only = call.op.find("_to_copy") != std::string::npos;
  const Value* memory = call.find(6, "memory_format");
  std::optional<DType> to = dtype(call, keyword_only && call.arguments.size() <= 1 ? 99 : 1);
  DType from = type(x);
  DType target = to.value_or(from);
  if (memory && memory->is(Kind::text) && memory->text.find("contiguous") != std::string::npos)
    x = emit("copy_contiguous", {x}, {}, call);
  if (target == from && !memory && base_name(call.op) == "to" && constant(call, 3, "copy", 0) == 0)
    return Value::of_tensor(x);
  if (target == from) return Value::of_tensor(emit("copy", {x}, {}, call));
  return Value::of_tensor(cast(x, target, call));
}

Value Lowering::copy(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  const Value* memory = call.find(1, "memory_format");
  bool contiguous =
      memory && ((memory->is(Kind::text) && memory->text.find("contiguous_format") != std::string::npos) ||
                 (memory->is(Kind::integer) && memory->integer.constant() == 0));
  return Value::of_tensor(emit(contiguous ? "copy_contiguous" : "copy", {x}, {}, call));
}

/// copy(destination, source): a new tensor of the destination's shape and element type.
Value Lowering::copy_into(const Call& call) {
  ValueId destination = tensor(call, 0, "self");
  const Value* source = call.find(1, "src");
  if (!source) unsupported(call, "without a source");
  ValueId value = as(*source, type(destination), shape(destination), call);
  return Value::of_tensor(emit("copy", {value}, {}, call));
}

Value Lowering::identity(const Call& call) { return Value::of_tensor(tensor(call, 0, "self")); }

Value Lowering::full(const Call& call) {
  const Value* size = call.find(0, "size");
  bool zeros = call.op.find("zeros") != std::string::npos;
  bool ones = call.op.find("ones") != std::string::npos;
  const Value* value = zeros || ones ? nullptr : call.find(1, "fill_value");
  if (!size || (!value && !zeros && !ones)) unsupported(call, "without size or value");
  Value number = value ? *value : Value::of_integer(zeros ? 0 : 1);
  DType natural = zeros || ones ? DType::f32 : promote({number});
  DType to = dtype(call, zeros || ones ? 1 : 2).value_or(natural);
  return Value::of_tensor(as(number, to, sizes(*size, call), call));
}

Value Lowering::full_like(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  bool zeros = call.op.find("zeros") != std::string::npos;
  bool ones = call.op.find("ones") != std::string::npos;
  const Value* value = call.find(1, "fill_value");
  if (!value && call.op.find("fill") != std::string::npos) value = call.find(1, "value");
  if (!zeros && !ones && !value) unsupported(call, "without a value");
  Value number = zeros || ones ? Value::of_integer(zeros ? 0 : 1) : *value;
  DType to = dtype(call, zeros || ones ? 1 : 2).value_or(type(x));
  return Value::of_tensor(as(number, to, shape(x), call));
}

Value Lowering::empty(const Call& call) {
  const Value* first = call.find(0, "size");
  if (!first) unsupported(call, "without a size");
  bool like = first->is(Kind::tensor);
  bool own_size = like && call.op.find("new_empty") != std::string::npos;
  std::vector<SymExpr> size =
      like && !own_size ? shape(first->tensor) : sizes(own_size ? call.arguments.at(1) : *first, call);
  bool strided = call.op.find("strided") != std::string::npos;
  DType to = dtype(call, strided || own_size ? 2 : 1).value_or(like ? type(first->tensor) : DType::f32);
  return Value::of_tensor(emit("empty", {}, {{"dtype", to}, {"shape", size}}, call));
}

Value Lowering::scalar_tensor(const Call& call) {
  const Value* value = call.find(0, "s");
  if (!value) unsupported(call, "without a value");
  return Value::of_tensor(as(*value, dtype(call, 1).value_or(DType::f32), {}, call));
}

/// arange(end), arange(start, end), arange(start, end, step): integers only.
Value Lowering::arange(const Call& call) {
  std::vector<SymExpr> bounds;
  for (const Value& argument : call.arguments)
    if (argument.is(Kind::integer) && bounds.size() < 3) bounds.push_back(size(argument, call));
  if (const Value* start = call.find(99, "start")) bounds.insert(bounds.begin(), size(*start, call));
  if (const Value* end = call.find(99, "end")) bounds.push_back(size(*end, call));
  if (bounds.empty()) unsupported(call, "of other than integers");
  if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
  SymExpr step = bounds.size() == 3 ? bounds[2] : SymExpr(1);
  if (step.constant().value_or(0) <= 0) unsupported(call, "with a step that is not a positive constant");
  SymExpr length = floordiv(bounds[1] - bounds[0] + step - SymExpr(1), step);
  DType to = dtype(call, 99).value_or(DType::i64);
  ValueId id = emit("iota", {},
                    {{"dim", std::int64_t{0}}, {"dtype", to}, {"shape", std::vector<SymExpr>{length}}}, call);
  if (!(step == SymExpr(1)))
    id = emit("mul", {id, as(Value::of_integer(step), to, {length}, call)}, {}, call);
  if (!(bounds[0] == SymExpr(0)))
    id = emit("add", {id, as(Value::of_integer(bounds[0]), to, {length}, call)}, {}, call);
  return Value::of_tensor(id);
}

Value Lowering::size_of(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  std::vector<SymExpr> all = shape(x);
  const Value* dim = call.find(1, "dim");
  if (!dim) {
    std::vector<Value> items;
    for (const SymExpr& one : all) items.push_back(Value::of_integer(one));
    return Value::of_list(items);
  }
  return Value::of_integer(all.at(axis(constant(call, 1, "dim", 0), all.size(), call)));
}

/// Checks sizes at run time; no data.
Value Lowering::assertion(const Call&) { return {}; }

}  // namespace bufferproof::model::aten
