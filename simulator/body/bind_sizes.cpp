#include <fmt/format.h>

#include "simulator/body/execute.hpp"

namespace bufferproof::simulator {
namespace {

using model::TensorFunction;
using model::TensorValue;
using model::Valuation;

[[noreturn]] void fail(const TensorFunction& function, const std::string& text) {
  throw ExecutionError(fmt::format("kernel '{}': {}", function.name, text));
}

/// Symbols that stand alone as a size or a scalar are bound; everything else is checked afterwards.
void bind(const TensorFunction& function, const model::SymExpr& size, std::int64_t value, Valuation& values) {
  auto symbol = size.as_symbol();
  if (!symbol) return;
  auto [entry, fresh] = values.emplace(*symbol, value);
  if (!fresh && entry->second != value)
    fail(function,
         fmt::format("size {} is {} in one argument and {} in another", *symbol, entry->second, value));
}

void bind_parameter(const TensorFunction& function, const TensorValue& parameter,
                    const BodyArgument& argument, Valuation& values) {
  const auto* tensor = std::get_if<kernels::ConstTensorView>(&argument);
  if (parameter.scalar != (tensor == nullptr))
    fail(function,
         fmt::format("argument '{}' must be {}", parameter.name, parameter.scalar ? "a number" : "a tensor"));
  if (!tensor) {
    const auto* number = std::get_if<std::int64_t>(&argument);
    if (parameter.integer && !number)
      fail(function, fmt::format("argument '{}' must be an integer", parameter.name));
    if (parameter.integer) bind(function, *parameter.integer, *number, values);
    return;
  }
  if (tensor->dtype() != parameter.type.dtype || tensor->sizes().size() != parameter.type.rank())
    fail(function, fmt::format("argument '{}' must be {}", parameter.name, parameter.type.str()));
  for (std::size_t i = 0; i < parameter.type.rank(); ++i)
    bind(function, parameter.type.shape[i], tensor->sizes()[i], values);
}

void check_parameter(const TensorFunction& function, const TensorValue& parameter,
                     const BodyArgument& argument, const Valuation& values) {
  const auto* tensor = std::get_if<kernels::ConstTensorView>(&argument);
  if (!tensor) return;
  for (std::size_t i = 0; i < parameter.type.rank(); ++i)
    if (parameter.type.shape[i].evaluate(values) != tensor->sizes()[i])
      fail(function, fmt::format("argument '{}' has size {} on axis {}, its type is {}", parameter.name,
                                 tensor->sizes()[i], i, parameter.type.str()));
}

}  // namespace

Valuation bind_sizes(const TensorFunction& function, std::span<const BodyArgument> arguments) {
  if (arguments.size() != function.parameters.size())
    fail(function,
         fmt::format("{} arguments are needed, {} are given", function.parameters.size(), arguments.size()));
  Valuation values;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    bind_parameter(function, function.value(function.parameters[i]), arguments[i], values);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    check_parameter(function, function.value(function.parameters[i]), arguments[i], values);
  for (const model::Cond& assumption : function.assumptions)
    if (assumption.evaluate(values) == false)
      fail(function, "the sizes given violate what its text relies on: " + assumption.str());
  return values;
}

}  // namespace bufferproof::simulator
