// Elementwise aten functions.
#include <array>

#include "model/read/aten/lowering.hpp"

namespace bufferproof::model::aten {

using Kind = Value::Kind;

namespace {

struct Pointwise {
  std::string_view aten;
  std::string_view op;
  std::size_t operands;
  bool to_float;  ///< integers become f32
};

constexpr std::array kPointwise{
    Pointwise{"abs", "abs", 1, false},
    Pointwise{"neg", "neg", 1, false},
    Pointwise{"exp", "exp", 1, true},
    Pointwise{"exp2", "exp2", 1, true},
    Pointwise{"expm1", "expm1", 1, true},
    Pointwise{"log", "log", 1, true},
    Pointwise{"log2", "log2", 1, true},
    Pointwise{"log10", "log10", 1, true},
    Pointwise{"log1p", "log1p", 1, true},
    Pointwise{"sqrt", "sqrt", 1, true},
    Pointwise{"rsqrt", "rsqrt", 1, true},
    Pointwise{"reciprocal", "rec", 1, true},
    Pointwise{"sigmoid", "sigmoid", 1, true},
    Pointwise{"tanh", "tanh", 1, true},
    Pointwise{"sin", "sin", 1, true},
    Pointwise{"cos", "cos", 1, true},
    Pointwise{"tan", "tan", 1, true},
    Pointwise{"asin", "asin", 1, true},
    Pointwise{"acos", "acos", 1, true},
    Pointwise{"atan", "atan", 1, true},
    Pointwise{"sinh", "sinh", 1, true},
    Pointwise{"cosh", "cosh", 1, true},
    Pointwise{"asinh", "asinh", 1, true},
    Pointwise{"acosh", "acosh", 1, true},
    Pointwise{"atanh", "atanh", 1, true},
    Pointwise{"erf", "erf", 1, true},
    Pointwise{"lgamma", "lgamma", 1, true},
    Pointwise{"relu", "relu", 1, false},
    Pointwise{"floor", "floor", 1, false},
    Pointwise{"ceil", "ceil", 1, false},
    Pointwise{"round", "rint", 1, false},
    Pointwise{"trunc", "trunc", 1, false},
    Pointwise{"sign", "sign", 1, false},
    Pointwise{"bitwise_not", "not", 1, false},
    Pointwise{"isnan", "isnan", 1, true},
    Pointwise{"isinf", "isinf", 1, true},
    Pointwise{"mul", "mul", 2, false},
    Pointwise{"maximum", "max", 2, false},
    Pointwise{"minimum", "min", 2, false},
    Pointwise{"atan2", "atan2", 2, true},
    Pointwise{"copysign", "copysign", 2, true},
    Pointwise{"fmod", "mod", 2, false},
    Pointwise{"remainder", "remainder", 2, false},
    Pointwise{"bitwise_and", "and", 2, false},
    Pointwise{"bitwise_or", "or", 2, false},
    Pointwise{"bitwise_xor", "xor", 2, false},
};

const Pointwise* find(std::string_view aten) {
  for (const Pointwise& row : kPointwise)
    if (row.aten == aten) return &row;
  return nullptr;
}

std::vector<Value> first(const Call& call, std::size_t count) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < count; ++i) {
    const Value* value = call.find(i, i == 0 ? "self" : "other");
    if (!value) throw InputError(call.where, std::to_string(count) + " operands of " + call.op, "fewer");
    out.push_back(*value);
  }
  return out;
}

}  // namespace

Value Lowering::pointwise(const Call& call) {
  const Pointwise* found = find(base_name(call.op));
  if (!found)
    throw UnsupportedBody("'" + call.op + "'", call.where);  // "aten..abs": a name, then another one
  const Pointwise& row = *found;
  std::vector<Value> operands = first(call, row.operands);
  DType dtype = promote(operands);
  if (row.to_float && !is_floating(dtype)) dtype = DType::f32;
  bool integer_rounding =
      !is_floating(dtype) && (row.op == "floor" || row.op == "ceil" || row.op == "rint" || row.op == "trunc");
  if (integer_rounding && operands[0].is(Kind::tensor))
    return Value::of_tensor(emit("copy", {operands[0].tensor}, {}, call));
  if (integer_rounding) return operands[0];
  DType compute = compute_type(operands, dtype);
  ValueId id = elementwise(row.op, operands, compute, call);
  bool boolean = row.op == "isnan" || row.op == "isinf";
  return Value::of_tensor(boolean ? id : cast(id, dtype, call));
}

/// a + alpha * b; the scaled operand is a step of its own only when alpha is not 1.
Value Lowering::add_scaled(const Call& call) {
  std::vector<Value> operands = first(call, 2);
  std::string_view name = base_name(call.op);
  if (name == "rsub") std::swap(operands[0], operands[1]);
  DType dtype = promote(operands);
  DType compute = compute_type(operands, dtype);
  const Value* alpha = call.find(2, "alpha");
  bool plain = !alpha || (alpha->is(Kind::integer) && alpha->integer.constant() == 1) ||
               (alpha->is(Kind::real) && alpha->real == 1);
  if (!plain) {
    if (compute != dtype || dtype == DType::f16 || dtype == DType::bf16) compute = DType::f32;
    operands[1] = Value::of_tensor(elementwise("mul", {operands[1], *alpha}, compute, call));
  }
  return Value::of_tensor(
      cast(elementwise(name == "add" ? "add" : "sub", operands, compute, call), dtype, call));
}

Value Lowering::divide(const Call& call) {
  std::vector<Value> operands = first(call, 2);
  const Value* mode = call.find(2, "rounding_mode");
  DType dtype = promote(operands);
  std::string text = mode ? mode->text : base_name(call.op) == "floor_divide" ? "floor" : "";
  if (text.empty() && !is_floating(dtype)) dtype = DType::f32;
  DType compute = compute_type(operands, dtype);
  if (text == "floor")
    return Value::of_tensor(cast(elementwise("floordiv", operands, compute, call), dtype, call));
  ValueId id = elementwise("div", operands, compute, call);
  if (text == "trunc" && is_floating(compute)) id = emit("trunc", {id}, {}, call);
  return Value::of_tensor(cast(id, dtype, call));
}

Value Lowering::power(const Call& call) {
  std::vector<Value> operands = first(call, 2);
  DType dtype = promote(operands);
  DType compute = dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype;
  return Value::of_tensor(cast(elementwise("pow", operands, compute, call), dtype, call));
}

Value Lowering::square(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  return Value::of_tensor(emit("mul", {x, x}, {}, call));
}

Value Lowering::compare(const Call& call) {
  std::vector<Value> operands = first(call, 2);
  DType dtype = promote(operands);
  return Value::of_tensor(elementwise(base_name(call.op), operands, compute_type(operands, dtype), call));
}

Value Lowering::logical(const Call& call) {
  std::string_view name = base_name(call.op);
  auto truth = [&](const Value& operand) {
    if (operand.is(Kind::tensor) && type(operand.tensor) != DType::i1) {
      DType dtype = type(operand.tensor);
      return Value::of_tensor(
          emit("ne", {operand.tensor, filled(dtype, 0, shape(operand.tensor), call)}, {}, call));
    }
    return operand;
  };
  if (name == "logical_not")
    return Value::of_tensor(emit("not", {truth(first(call, 1)[0]).tensor}, {}, call));
  std::vector<Value> operands = first(call, 2);
  for (Value& operand : operands) operand = truth(operand);
  return Value::of_tensor(elementwise(name.substr(8), operands, DType::i1, call));
}

Value Lowering::where(const Call& call) {
  const Value* condition = call.find(0, "condition");
  const Value* yes = call.find(1, "self");
  const Value* no = call.find(2, "other");
  if (!condition || !yes || !no) unsupported(call, "fewer than three operands");
  DType dtype = promote({*yes, *no});
  std::vector<SymExpr> shape = broadcast_shape({*condition, *yes, *no}, call);
  ValueId mask = as(*condition, DType::i1, shape, call);
  return Value::of_tensor(
      emit("select", {mask, as(*yes, dtype, shape, call), as(*no, dtype, shape, call)}, {}, call));
}

Value Lowering::masked_fill(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  const Value* mask = call.find(1, "mask");
  const Value* value = call.find(2, "value");
  if (!mask || !value) unsupported(call, "without mask or value");
  std::vector<SymExpr> shape = broadcast_shape({Value::of_tensor(x), *mask}, call);
  ValueId condition = as(*mask, DType::i1, shape, call);
  DType dtype = type(x);
  return Value::of_tensor(
      emit("select", {condition, as(*value, dtype, shape, call), as(Value::of_tensor(x), dtype, shape, call)},
           {}, call));
}

/// clamp(x, low, high): max first, then min, as eager PyTorch does; NaN passes.
Value Lowering::clamp(const Call& call) {
  std::string_view name = base_name(call.op);
  const Value* low = name == "clamp_max" ? nullptr : call.find(1, "min");
  const Value* high = name == "clamp_max" ? call.find(1, "max") : call.find(2, "max");
  Value x = Value::of_tensor(tensor(call, 0, "self"));
  std::vector<Value> all{x};
  if (low) all.push_back(*low);
  if (high) all.push_back(*high);
  DType dtype = promote(all);
  DType compute = compute_type(all, dtype);
  if (low) x = Value::of_tensor(elementwise("max", {x, *low}, compute, call));
  if (high) x = Value::of_tensor(elementwise("min", {x, *high}, compute, call));
  return Value::of_tensor(cast(x.tensor, dtype, call));
}

Value Lowering::silu(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  DType dtype = type(x);
  ValueId wide = cast(x, dtype == DType::f64 ? dtype : DType::f32, call);
  return Value::of_tensor(
      cast(emit("mul", {wide, emit("sigmoid", {wide}, {}, call)}, {}, call), dtype, call));
}

Value Lowering::gelu(const Call& call) {
  const Value* approximate = call.find(1, "approximate");
  if (approximate && approximate->text != "none") unsupported(call, "approximate=" + approximate->text);
  ValueId x = tensor(call, 0, "self");
  DType dtype = type(x);
  ValueId wide = cast(x, dtype == DType::f64 ? dtype : DType::f32, call);
  Value w = Value::of_tensor(wide);
  DType compute = type(wide);
  ValueId scaled = elementwise("mul", {w, Value::of_real(0.70710678118654752440)}, compute, call);
  ValueId half = elementwise("mul", {w, Value::of_real(0.5)}, compute, call);
  ValueId one = elementwise("add", {Value::of_tensor(emit("erf", {scaled}, {}, call)), Value::of_real(1)},
                            compute, call);
  return Value::of_tensor(cast(emit("mul", {half, one}, {}, call), dtype, call));
}

}  // namespace bufferproof::model::aten
