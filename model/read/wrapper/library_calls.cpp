// What library functions are called with, kept for whoever executes the program.
#include <algorithm>
#include <charconv>

#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {
namespace {

/// "0.5", "-1e-05", "inf", "-inf", "nan"; anything else is text.
std::optional<double> real_number(std::string_view text) {
  if (text.substr(0, 5) == "math.") text.remove_prefix(5);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

void trim(std::vector<CallOperand>& operands) {
  while (!operands.empty() && operands.back().kind == CallOperand::Kind::none) operands.pop_back();
}

}  // namespace

/// `tensor`: the schema has a tensor here, so a name without a value is one that nobody defined.
CallOperand Evaluator::call_operand(const Value& value, bool tensor) {
  using Kind = CallOperand::Kind;
  CallOperand out;
  if (value.is(Value::Kind::list)) {
    out.kind = Kind::list;
    for (const Value& item : *value.items) out.items.push_back(call_operand(item, tensor));
  } else if (value.is(Value::Kind::handle) || (tensor && !handle_of(value).empty())) {
    out.kind = Kind::tensor;
    out.tensor = handle_of(value);
  } else if (value.is(Value::Kind::integer)) {
    out.kind = Kind::integer;
    out.integer = value.number;
  } else if (value.is(Value::Kind::truth) && (value.truth.is_true() || value.truth.is_false())) {
    out.kind = Kind::truth;
    out.truth = value.truth.is_true();
  } else if (!value.is(Value::Kind::none)) {
    const auto dtype = value.is(Value::Kind::path) ? parse_dtype(value.name) : std::nullopt;
    const auto real = value.is(Value::Kind::text) ? std::nullopt : real_number(value.name);
    out.kind = dtype ? Kind::dtype : real ? Kind::real : Kind::text;
    out.dtype = dtype.value_or(DType::f32);
    out.real = real.value_or(0);
    out.text = value.name;
  }
  return out;
}

/// Tensors the function only stores to (`out`) are no operands.
std::shared_ptr<const LibraryCall> Evaluator::library_call(const OperatorSchema& schema, const Bound& bound,
                                                           const Value& result,
                                                           const std::vector<std::string>& made) {
  auto call = std::make_shared<LibraryCall>();
  const std::size_t colons = schema.name.find("::");
  call->op = schema.name.substr(0, colons) + "." + schema.name.substr(colons + 2);
  if (!schema.overload.empty()) call->op += "." + schema.overload;
  for (std::size_t i = 0; i < bound.values.size(); ++i) {
    const SchemaArgument& argument = schema.arguments[i];
    if (argument.keyword_only && argument.mutated) continue;
    CallOperand operand = call_operand(bound.values[i], argument.tensor);
    if (!argument.keyword_only)
      call->arguments.push_back(std::move(operand));
    else if (operand.kind != CallOperand::Kind::none)
      call->keywords[argument.name] = std::move(operand);
  }
  trim(call->arguments);
  List results;
  if (result.is(Value::Kind::list))
    results = *result.items;
  else if (result.is(Value::Kind::handle))
    results.push_back(result);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string handle = handle_of(results[i]);
    const bool stored = std::find(made.begin(), made.end(), handle) != made.end() ||
                        (i < schema.results.size() && schema.results[i].mutated);
    call->results.emplace_back(stored ? handle : std::string{});
  }
  return call;
}

std::shared_ptr<const LibraryCall> Evaluator::library_call(const std::string& op,
                                                           const std::vector<Value>& positional,
                                                           const std::map<std::string, Value>& keywords,
                                                           const std::string& out) {
  auto made = std::make_shared<LibraryCall>();
  made->op = op;
  for (const Value& value : positional) made->arguments.push_back(call_operand(value, false));
  for (const auto& [name, value] : keywords) made->keywords[name] = call_operand(value, false);
  trim(made->arguments);
  made->results.emplace_back(out);
  return made;
}

}  // namespace bufferproof::model::wrapper
