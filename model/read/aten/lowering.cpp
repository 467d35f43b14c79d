#include "model/read/aten/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bufferproof::model::aten {

using Kind = Value::Kind;

Value Value::of_tensor(ValueId id) {
  Value value;
  value.kind = Kind::tensor;
  value.tensor = id;
  return value;
}
Value Value::of_integer(SymExpr integer) {
  Value value;
  value.kind = Kind::integer;
  value.integer = std::move(integer);
  return value;
}
Value Value::of_real(double real) {
  Value value;
  value.kind = Kind::real;
  value.real = real;
  return value;
}
Value Value::of_bool(bool boolean) {
  Value value;
  value.kind = Kind::boolean;
  value.boolean = boolean;
  return value;
}
Value Value::of_text(std::string text) {
  Value value;
  value.kind = Kind::text;
  value.text = std::move(text);
  return value;
}
Value Value::of_dtype(DType dtype) {
  Value value;
  value.kind = Kind::dtype;
  value.dtype = dtype;
  return value;
}
Value Value::of_list(std::vector<Value> items) {
  Value value;
  value.kind = Kind::list;
  value.items = std::move(items);
  return value;
}

const Value* Call::find(std::size_t position, std::string_view keyword) const {
  const Value* found = nullptr;
  if (position < arguments.size()) found = &arguments[position];
  if (auto named = keywords.find(keyword); named != keywords.end()) found = &named->second;
  return found && found->kind != Kind::none ? found : nullptr;
}

namespace {

int category(DType dtype) { return dtype == DType::i1 ? 0 : is_floating(dtype) ? 2 : 1; }

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (category(a) == 2) {
    if (size_in_bytes(a) == size_in_bytes(b)) return DType::f32;  // f16 with bf16
    return size_in_bytes(a) > size_in_bytes(b) ? a : b;
  }
  if (size_in_bytes(a) == size_in_bytes(b)) return DType::i16;  // i8 with u8
  return size_in_bytes(a) > size_in_bytes(b) ? a : b;
}

/// PyTorch's combine_categories: a lower-priority operand matters only through its category.
std::optional<DType> combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher) return lower;
  if (!lower || category(*higher) >= category(*lower)) return higher;
  return promote_types(*higher, *lower);
}

}  // namespace

DType Lowering::promote(const std::vector<Value>& operands) const {
  std::optional<DType> ranked;
  std::optional<DType> zero_rank;
  std::optional<DType> number;
  auto join = [](std::optional<DType>& into, DType dtype) {
    into = into ? promote_types(*into, dtype) : dtype;
  };
  for (const Value& operand : operands) {
    if (operand.is(Kind::tensor)) {
      const TensorValue& value = builder_.value(operand.tensor);
      join(value.type.rank() > 0 ? ranked : zero_rank, value.type.dtype);
    }
    if (operand.is(Kind::real)) join(number, DType::f32);
    if (operand.is(Kind::integer)) join(number, DType::i64);
    if (operand.is(Kind::boolean)) join(number, DType::i1);
  }
  return combine(ranked, combine(zero_rank, number)).value_or(DType::f32);
}

void Lowering::unsupported(const Call& call, const std::string& why) const {
  throw UnsupportedBody("'" + call.op + "': " + why, call.where);
}

ValueId Lowering::tensor(const Call& call, std::size_t position, std::string_view keyword) {
  const Value* value = call.find(position, keyword);
  if (!value || !value->is(Kind::tensor))
    throw InputError(call.where, fmt::format("a tensor as argument {} of {}", position, call.op),
                     "something else");
  return value->tensor;
}

SymExpr Lowering::size(const Value& value, const Call& call) {
  if (value.is(Kind::integer)) return builder_.resolve(value.integer);
  if (value.is(Kind::boolean)) return static_cast<std::int64_t>(value.boolean);
  throw InputError(call.where, "an integer argument of " + call.op, "something else");
}

std::int64_t Lowering::constant(const Call& call, std::size_t position, std::string_view keyword,
                                std::int64_t otherwise) {
  const Value* value = call.find(position, keyword);
  if (!value) return otherwise;
  auto number = size(*value, call).constant();
  if (!number) unsupported(call, fmt::format("argument '{}' that is not constant", keyword));
  return *number;
}

std::vector<SymExpr> Lowering::sizes(const Value& value, const Call& call) {
  if (!value.is(Kind::list)) return {size(value, call)};
  std::vector<SymExpr> out;
  for (const Value& item : value.items) out.push_back(size(item, call));
  return out;
}

std::vector<std::int64_t> Lowering::constants(const Value& value, const Call& call) {
  std::vector<std::int64_t> out;
  for (const SymExpr& size : sizes(value, call)) {
    if (!size.constant()) unsupported(call, "a list that is not constant");
    out.push_back(*size.constant());
  }
  return out;
}

std::optional<DType> Lowering::dtype(const Call& call, std::size_t position) {
  const Value* value = call.find(position, "dtype");
  if (!value) return std::nullopt;
  if (value->is(Kind::dtype)) return value->dtype;
  // torch dialect: ScalarType numbers.
  static const std::map<std::int64_t, DType> kNumbers{
      {0, DType::u8},  {1, DType::i8},  {2, DType::i16}, {3, DType::i32}, {4, DType::i64},
      {5, DType::f16}, {6, DType::f32}, {7, DType::f64}, {11, DType::i1}, {15, DType::bf16}};
  auto number = value->is(Kind::integer) ? value->integer.constant() : std::nullopt;
  auto found = number ? kNumbers.find(*number) : kNumbers.end();
  if (found == kNumbers.end()) unsupported(call, "element type " + value->text);
  return found->second;
}

std::size_t Lowering::axis(std::int64_t value, std::size_t rank, const Call& call) {
  auto count = static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
  if (value < -count || value >= count)
    throw InputError(call.where, fmt::format("an axis of a tensor of rank {}", rank),
                     fmt::format("{}", value));
  return static_cast<std::size_t>(value < 0 ? value + count : value);
}

std::vector<std::int64_t> Lowering::axes(const Value* value, std::size_t rank, const Call& call) {
  std::vector<std::int64_t> out;
  if (value)
    for (std::int64_t dim : constants(*value, call)) {
      std::size_t at = axis(dim, rank, call);
      if (rank > 0) out.push_back(static_cast<std::int64_t>(at));
    }
  if (!value || (value->is(Kind::list) && value->items.empty()))
    for (std::size_t i = 0; i < rank; ++i) out.push_back(static_cast<std::int64_t>(i));
  std::sort(out.begin(), out.end());
  return out;
}

ValueId Lowering::cast(ValueId id, DType to, const Call& call) {
  DType from = type(id);
  if (from == to) return id;
  return builder_.cast(id, to, call.where, is_floating(from) && !is_floating(to) ? "trunc" : "rint");
}

ValueId Lowering::as(const Value& value, DType to, const std::vector<SymExpr>& shape, const Call& call) {
  ValueId id = -1;
  switch (value.kind) {
    case Kind::tensor:
      id = cast(value.tensor, to, call);
      break;
    case Kind::real:
      id = builder_.number(to, value.real, call.where);
      break;
    case Kind::boolean:
      id = builder_.number(to, value.boolean ? 1 : 0, call.where);
      break;
    case Kind::integer:
      if (auto number = value.integer.constant()) {
        id = is_floating(to) ? builder_.number(to, static_cast<double>(*number), call.where)
                             : builder_.constant(to, *number, call.where);
      } else {
        id = cast(builder_.size(value.integer, call.where), to, call);
      }
      break;
    default:
      throw InputError(call.where, "a tensor or number in " + call.op, "something else");
  }
  return builder_.broadcast_to(id, shape, call.where);
}

std::vector<SymExpr> Lowering::broadcast_shape(const std::vector<Value>& operands, const Call& call) {
  std::vector<SymExpr> out;
  for (const Value& operand : operands) {
    if (!operand.is(Kind::tensor)) continue;
    std::vector<SymExpr> next = shape(operand.tensor);
    if (next.size() > out.size()) out.insert(out.begin(), next.size() - out.size(), SymExpr(1));
    for (std::size_t i = 0; i < next.size(); ++i) {
      SymExpr& size = out[out.size() - next.size() + i];
      if (size.constant() == 1) {
        size = next[i];
      } else if (next[i].constant() != 1) {
        builder_.require_equal(size, next[i], call.where, "sizes to broadcast");
      }
    }
  }
  return builder_.resolve(out);
}

DType Lowering::compute_type(const std::vector<Value>& operands, DType dtype) const {
  if (dtype != DType::f16 && dtype != DType::bf16) return dtype;
  for (const Value& operand : operands) {
    if (operand.is(Kind::real) && value_of_bits(dtype, bits_of(dtype, operand.real)) != operand.real &&
        !std::isnan(operand.real))
      return DType::f32;
  }
  return dtype;
}

ValueId Lowering::elementwise(std::string_view op, const std::vector<Value>& operands, DType compute,
                              const Call& call) {
  std::vector<SymExpr> shape = broadcast_shape(operands, call);
  std::vector<ValueId> ids;
  for (const Value& operand : operands) ids.push_back(as(operand, compute, shape, call));
  return emit(op, std::move(ids), {}, call);
}

ValueId Lowering::filled(DType dtype, double value, const std::vector<SymExpr>& shape, const Call& call) {
  return builder_.broadcast_to(builder_.number(dtype, value, call.where), shape, call.where);
}

std::string_view base_name(std::string_view op) {
  for (std::string_view prefix : {"torch.ops.", "torch."})
    if (op.substr(0, prefix.size()) == prefix) op.remove_prefix(prefix.size());
  std::size_t dot = op.find('.');
  if (dot == std::string_view::npos) return op;
  op.remove_prefix(dot + 1);
  return op.substr(0, op.find('.'));
}

bool Lowering::known(std::string_view op) {
  std::string_view name = base_name(op);
  return is_in_place(name) ? can_work_in_place(name) : handlers().count(name) != 0;
}

Value Lowering::lower(const Call& call) {
  Call current = call;
  for (Value& argument : current.arguments) argument = now(argument, call.where);
  for (auto& [key, argument] : current.keywords) argument = now(argument, call.where);
  if (is_in_place(base_name(current.op))) return in_place(current);
  if (auto out = current.keywords.find("out"); out != current.keywords.end()) return into_out(current);
  return pure(current);
}

Value Lowering::pure(const Call& call) {
  auto found = handlers().find(base_name(call.op));
  if (found == handlers().end()) throw UnsupportedBody("'" + call.op + "'", call.where);
  return (this->*found->second)(call);
}

const std::map<std::string_view, Lowering::Handler>& Lowering::handlers() {
  static const auto table = [] {
    std::map<std::string_view, Handler> rows;
    for (const Row& row : kRows) rows.emplace(row.aten, row.handler);
    return rows;
  }();
  return table;
}

}  // namespace bufferproof::model::aten
