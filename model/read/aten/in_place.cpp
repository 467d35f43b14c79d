// Calls that store into a tensor of the text: `add_`, `copy_`, `fill_`, and `out=`.
//
// The value is that of the call without the underscore, in the destination's element type; it stands in the
// destination's memory (operation `overwrite`). In-place calls that change a shape, or that draw random
// numbers, are unsupported. Tested by tests/model/body_in_place_test.cpp.
#include "model/read/aten/lowering.hpp"

namespace bufferproof::model::aten {

using Kind = Value::Kind;

Value Lowering::now(const Value& value, const SourceLocation& where) const {
  Value out = value;
  for (Value& item : out.items) item = now(item, where);
  if (!value.is(Kind::tensor)) return out;
  std::optional<ValueId> held = memory_.now(value.tensor);
  if (!held)
    throw UnsupportedBody("a tensor used after an in-place call on memory it may share ('" +
                              builder_.value(value.tensor).name + "')",
                          where);
  out.tensor = *held;
  return out;
}

std::vector<ValueId> Lowering::results(const std::vector<Value>& values, const SourceLocation& where) const {
  std::vector<ValueId> ids;
  for (const Value& value : values) {
    if (!value.is(Kind::tensor)) throw UnsupportedBody("a result that is not a tensor", where);
    ids.push_back(now(value, where).tensor);
  }
  return ids;
}

/// Functions whose result has the shape of their first argument, or one it broadcasts to; `name` has its
/// underscore.
bool Lowering::can_work_in_place(std::string_view name) {
  if (name == "zero_" || name == "copy_" || name == "fill_") return true;
  const std::string_view plain = name.substr(0, name.size() - 1);
  const auto found = handlers().find(plain);
  return is_pointwise(plain) || (found != handlers().end() && found->second == &Lowering::cumulative);
}

bool Lowering::is_pointwise(std::string_view name) {
  using L = Lowering;
  const auto found = handlers().find(name);
  if (found == handlers().end()) return false;
  for (Handler one : {&L::pointwise, &L::add_scaled, &L::divide, &L::power, &L::compare, &L::logical,
                      &L::where, &L::clamp, &L::silu, &L::gelu, &L::square, &L::masked_fill})
    if (one == found->second) return true;
  return false;
}

Value Lowering::in_place(const Call& call) {
  std::string_view name = base_name(call.op);
  if (!can_work_in_place(name)) unsupported(call, "in place");
  ValueId destination = tensor(call, 0, "self");
  if (name == "zero_") return overwrite(destination, Value::of_integer(0), call);
  if (name == "copy_" || name == "fill_") {
    const Value* value = call.find(1, name == "copy_" ? "src" : "value");
    if (!value) unsupported(call, "without a source");
    return overwrite(destination, *value, call);
  }
  Call plain = call;
  plain.op.erase(static_cast<std::size_t>(name.data() - call.op.data()) + name.size() - 1, 1);
  return overwrite(destination, pure(plain), call);
}

Value Lowering::into_out(const Call& call) {
  Call plain = call;
  Value out = plain.keywords.find("out")->second;
  plain.keywords.erase("out");
  if (!out.is(Kind::tensor)) unsupported(call, "out= that is no tensor");
  Value value = pure(plain);
  if (!value.is(Kind::tensor)) unsupported(call, "out= of several results");
  return overwrite(out.tensor, value, call);
}

Value Lowering::overwrite(ValueId destination, const Value& value, const Call& call) {
  ValueId stored = as(value, type(destination), shape(destination), call);
  ValueId result = emit("overwrite", {destination, stored}, {}, call);
  memory_.stored(destination, result);
  return Value::of_tensor(result);
}

}  // namespace bufferproof::model::aten
