// Reductions and what is built of them. 16-bit inputs are accumulated in f32, as eager kernels do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/read/aten/lowering.hpp"

namespace bufferproof::model::aten {

using Kind = Value::Kind;
using Ints = std::vector<std::int64_t>;

namespace {

DType accumulator(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype; }

/// The neutral element's bit pattern.
std::int64_t neutral(std::string_view fn, DType dtype) {
  if (fn == "prod" || fn == "and") return dtype == DType::i1 ? 1 : bits_of(dtype, 1);
  if (fn != "max" && fn != "min") return 0;
  bool max = fn == "max";
  if (is_floating(dtype)) return bits_of(dtype, max ? -HUGE_VAL : HUGE_VAL);
  switch (dtype) {
    case DType::i8:
      return max ? -128 : 127;
    case DType::u8:
      return max ? 0 : 255;
    case DType::i16:
      return max ? -32768 : 32767;
    case DType::i32:
      return max ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int32_t>::max();
    case DType::i1:
      return max ? 0 : 1;
    default:
      return max ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
  }
}

bool contains_word(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

}  // namespace

/// `keep`: folded axes stay with size 1.
ValueId Lowering::fold(ValueId x, std::string_view fn, const Ints& dims, bool keep, const Call& call) {
  std::vector<SymExpr> from = shape(x);
  std::vector<SymExpr> kept;
  std::vector<SymExpr> result;
  for (std::size_t i = 0; i < from.size(); ++i) {
    bool folded = std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) != dims.end();
    if (!folded) result.push_back(from[i]);
    kept.push_back(folded ? SymExpr(1) : from[i]);
  }
  ValueId init =
      builder_.broadcast_to(builder_.constant(type(x), neutral(fn, type(x)), call.where), result, call.where);
  ValueId id = emit("reduce", {x, init}, {{"dims", dims}, {"fn", std::string(fn)}}, call);
  return keep ? builder_.reshape(id, kept, call.where) : id;
}

Value Lowering::reduce(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  DType from = type(x);
  bool product = contains_word(call.op, "prod");
  bool sum = contains_word(call.op, "aten.sum") || call.op.rfind("sum", 0) == 0;
  bool truth = contains_word(call.op, ".any") || contains_word(call.op, ".all");
  std::string fn = sum                              ? "sum"
                   : product                        ? "prod"
                   : contains_word(call.op, "amax") ? "max"
                   : contains_word(call.op, "amin") ? "min"
                   : contains_word(call.op, ".any") ? "or"
                                                    : "and";
  bool whole = call.op.size() > 8 && call.op.compare(call.op.size() - 8, 8, ".default") == 0 &&
               (sum || product || truth);
  bool no_dim = whole || (call.arguments.size() < 2 && !call.find(1, "dim"));
  const Value* dim = no_dim ? nullptr : call.find(1, "dim");
  bool keep = !no_dim && call.find(2, "keepdim") && size(*call.find(2, "keepdim"), call).constant() == 1;
  std::optional<DType> to = sum || product ? dtype(call, no_dim ? 1 : 3) : std::nullopt;
  DType result = to.value_or((sum || product) && !is_floating(from) ? DType::i64 : from);
  if (truth) {
    if (from != DType::i1) x = emit("ne", {x, filled(from, 0, shape(x), call)}, {}, call);
    result = from == DType::u8 ? DType::u8 : DType::i1;  // as PyTorch has it
  } else {
    x = cast(x, accumulator(result), call);
  }
  return Value::of_tensor(cast(fold(x, fn, axes(dim, shape(x).size(), call), keep, call), result, call));
}

/// sum / count, the count taken as a number of the accumulator's type.
Value Lowering::mean(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  bool whole = contains_word(call.op, "mean.default") || (call.arguments.size() < 2 && !call.find(1, "dim"));
  DType result = dtype(call, whole ? 1 : 3).value_or(type(x));
  std::vector<SymExpr> from = shape(x);
  Ints dims = axes(whole ? nullptr : call.find(1, "dim"), from.size(), call);
  const Value* keep = whole ? nullptr : call.find(2, "keepdim");
  SymExpr count = 1;
  for (std::int64_t dim : dims) count = count * from[static_cast<std::size_t>(dim)];
  ValueId total =
      fold(cast(x, accumulator(result), call), "sum", dims, keep && size(*keep, call).constant() == 1, call);
  ValueId divisor = as(Value::of_integer(count), type(total), shape(total), call);
  return Value::of_tensor(cast(emit("div", {total, divisor}, {}, call), result, call));
}

/// var_mean(x, dim, correction=1, keepdim=False): mean, then the mean square of what is left.
Value Lowering::var_mean(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  DType result = type(x);
  std::vector<SymExpr> from = shape(x);
  Ints dims = axes(call.find(1, "dim"), from.size(), call);
  const Value* correction = call.find(2, "correction");
  const Value* keep_value = call.find(3, "keepdim");
  bool keep = keep_value && size(*keep_value, call).constant() == 1;
  ValueId wide = cast(x, accumulator(result), call);
  SymExpr count = 1;
  for (std::int64_t dim : dims) count = count * from[static_cast<std::size_t>(dim)];
  SymExpr taken = 1;
  if (correction && correction->is(Kind::real)) taken = static_cast<std::int64_t>(correction->real);
  if (correction && !correction->is(Kind::real)) taken = size(*correction, call);
  auto average = [&](ValueId value, const SymExpr& by) {
    ValueId total = fold(value, "sum", dims, true, call);
    return emit("div", {total, as(Value::of_integer(by), type(total), shape(total), call)}, {}, call);
  };
  ValueId middle = average(wide, count);
  ValueId apart = emit("sub", {wide, builder_.broadcast_to(middle, from, call.where)}, {}, call);
  ValueId spread = average(emit("mul", {apart, apart}, {}, call), count - taken);
  auto finish = [&](ValueId value) {
    if (!keep) {
      std::vector<SymExpr> to;
      for (std::size_t i = 0; i < from.size(); ++i)
        if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) == dims.end())
          to.push_back(from[i]);
      value = builder_.reshape(value, to, call.where);
    }
    return Value::of_tensor(cast(value, result, call));
  };
  if (!contains_word(call.op, "var_mean")) return finish(spread);
  return Value::of_list({finish(spread), finish(middle)});
}

/// max.dim, min.dim (value and index); max(x), min(x); argmax, argmin.
Value Lowering::extreme_with_index(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  std::string fn = contains_word(call.op, "max") ? "max" : "min";
  bool index_only = contains_word(call.op, "arg");
  const Value* dim = call.find(1, "dim");
  if (dim && dim->is(Kind::tensor)) unsupported(call, "of two tensors");
  std::vector<SymExpr> from = shape(x);
  if (!dim && !index_only)
    return Value::of_tensor(fold(x, fn, axes(nullptr, from.size(), call), false, call));
  if (!dim) {
    x = builder_.reshape(x, {product(from)}, call.where);
    from = shape(x);
  }
  std::size_t at = dim ? axis(constant(call, 1, "dim", 0), from.size(), call) : 0;
  if (from.empty()) unsupported(call, "of a tensor without axes");
  Attributes attributes{{"dim", static_cast<std::int64_t>(at)}, {"dtype", DType::i64}, {"fn", fn}};
  std::vector<ValueId> results = builder_.add({"arg_reduce", {x}, {}, attributes, call.where});
  const Value* keep = call.find(2, "keepdim");
  if (dim && keep && size(*keep, call).constant() == 1) {
    from[at] = 1;
    for (ValueId& id : results) id = builder_.reshape(id, from, call.where);
  }
  if (index_only) return Value::of_tensor(results[1]);
  return Value::of_list({Value::of_tensor(results[0]), Value::of_tensor(results[1])});
}

Value Lowering::softmax(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  DType result = type(x);
  std::vector<SymExpr> from = shape(x);
  Ints dims{static_cast<std::int64_t>(axis(constant(call, 1, "dim", -1), from.size(), call))};
  if (from.empty()) unsupported(call, "of a tensor without axes");
  ValueId wide = cast(x, accumulator(result), call);
  auto spread = [&](ValueId value) { return builder_.broadcast_to(value, from, call.where); };
  ValueId apart = emit("sub", {wide, spread(fold(wide, "max", dims, true, call))}, {}, call);
  ValueId powers = emit("exp", {apart}, {}, call);
  ValueId total = fold(powers, "sum", dims, true, call);
  ValueId id = contains_word(call.op, "log")
                   ? emit("sub", {apart, spread(emit("log", {total}, {}, call))}, {}, call)
                   : emit("div", {powers, spread(total)}, {}, call);
  return Value::of_tensor(cast(id, result, call));
}

Value Lowering::cumulative(const Call& call) {
  ValueId x = tensor(call, 0, "self");
  DType from = type(x);
  DType result = dtype(call, 2).value_or(is_floating(from) ? from : DType::i64);
  std::size_t at = axis(constant(call, 1, "dim", 0), shape(x).size(), call);
  if (shape(x).empty()) unsupported(call, "of a tensor without axes");
  std::string fn = contains_word(call.op, "prod") ? "prod" : "sum";
  ValueId id = emit("cumulative", {cast(x, accumulator(result), call)},
                    {{"dim", static_cast<std::int64_t>(at)}, {"fn", fn}, {"reverse", std::int64_t{0}}}, call);
  return Value::of_tensor(cast(id, result, call));
}

/// Inference only: (x - mean) * (1 / sqrt(var + eps)) * weight + bias; the saved statistics are empty.
Value Lowering::batch_norm(const Call& call) {
  ValueId x = tensor(call, 0, "input");
  bool plain = contains_word(call.op, "native_batch_norm.default") || call.op == "aten.native_batch_norm";
  if (plain && constant(call, 5, "training", 1) != 0) unsupported(call, "in training mode");
  std::size_t eps_at = plain ? 7 : 6;
  const Value* eps = call.find(eps_at, "eps");
  DType result = type(x);
  DType compute = accumulator(result);
  std::vector<SymExpr> from = shape(x);
  if (from.size() < 2) unsupported(call, "of fewer than two axes");
  std::vector<SymExpr> column(from.size() - 1, SymExpr(1));
  column[0] = from[1];
  auto channel = [&](ValueId id) {
    return builder_.broadcast_to(builder_.reshape(id, column, call.where), from, call.where);
  };
  ValueId mean = cast(tensor(call, 3, "running_mean"), compute, call);
  ValueId variance = cast(tensor(call, 4, "running_var"), compute, call);
  ValueId shifted =
      emit("add",
           {variance, filled(compute, eps && eps->is(Kind::real) ? eps->real : 1e-5, shape(variance), call)},
           {}, call);
  ValueId scale = emit("rec", {emit("sqrt", {shifted}, {}, call)}, {}, call);
  ValueId id =
      emit("mul", {emit("sub", {cast(x, compute, call), channel(mean)}, {}, call), channel(scale)}, {}, call);
  if (const Value* weight = call.find(1, "weight"))
    id = emit("mul", {id, channel(cast(weight->tensor, compute, call))}, {}, call);
  if (const Value* bias = call.find(2, "bias"))
    id = emit("add", {id, channel(cast(bias->tensor, compute, call))}, {}, call);
  ValueId none = filled(DType::f32, 0, {SymExpr(0)}, call);
  return Value::of_list(
      {Value::of_tensor(cast(id, result, call)), Value::of_tensor(none), Value::of_tensor(none)});
}

}  // namespace bufferproof::model::aten
