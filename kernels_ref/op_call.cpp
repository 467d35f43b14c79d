#include <string>
#include <utility>

#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/registry.hpp"

// The typed accessors of OpCall (registry.hpp).

namespace bufferproof::kernels {
namespace {

std::string describe(const Operand& operand) {
  if (std::holds_alternative<std::monostate>(operand)) return "nothing";
  return std::holds_alternative<Scalar>(operand) ? "a scalar" : "a tensor";
}

}  // namespace

void OpCall::fail(std::string_view argument, std::string_view expected, std::string_view found) const {
  throw KernelError(op, argument, expected, found);
}

const ConstTensorView* OpCall::optional_tensor(std::size_t index, std::string_view argument) const {
  if (index >= inputs.size() || std::holds_alternative<std::monostate>(inputs[index])) return nullptr;
  const auto* found = std::get_if<ConstTensorView>(&inputs[index]);
  if (found == nullptr) fail(argument, "a tensor", describe(inputs[index]));
  return found;
}

const ConstTensorView& OpCall::tensor(std::size_t index, std::string_view argument) const {
  const ConstTensorView* found = optional_tensor(index, argument);
  if (found == nullptr) fail(argument, "a tensor", "nothing");
  return *found;
}

Scalar OpCall::scalar(std::size_t index, std::string_view argument) const {
  if (index >= inputs.size()) fail(argument, "a scalar", "nothing");
  const auto* found = std::get_if<Scalar>(&inputs[index]);
  if (found == nullptr) fail(argument, "a scalar", describe(inputs[index]));
  return *found;
}

const TensorView& OpCall::output(std::size_t index, std::string_view argument) const {
  if (index >= outputs.size())
    fail(argument, "at least " + std::to_string(index + 1) + " outputs", std::to_string(outputs.size()));
  return outputs[index];
}

const Attribute* OpCall::find(std::string_view attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? nullptr : &found->second;
}

bool OpCall::boolean(std::string_view attribute, bool fallback) const {
  const Attribute* found = find(attribute);
  if (found == nullptr) return fallback;
  if (const auto* value = std::get_if<bool>(found)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(found)) return *value != 0;
  fail(attribute, "a boolean", "another kind of attribute");
}

std::int64_t OpCall::integer(std::string_view attribute) const {
  const Attribute* found = find(attribute);
  if (found == nullptr) fail(attribute, "an integer", "nothing");
  if (const auto* value = std::get_if<std::int64_t>(found)) return *value;
  fail(attribute, "an integer", "another kind of attribute");
}

std::int64_t OpCall::integer(std::string_view attribute, std::int64_t fallback) const {
  return find(attribute) == nullptr ? fallback : integer(attribute);
}

double OpCall::real(std::string_view attribute) const {
  const Attribute* found = find(attribute);
  if (found == nullptr) fail(attribute, "a number", "nothing");
  if (const auto* value = std::get_if<double>(found)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(found)) return static_cast<double>(*value);
  fail(attribute, "a number", "another kind of attribute");
}

double OpCall::real(std::string_view attribute, double fallback) const {
  return find(attribute) == nullptr ? fallback : real(attribute);
}

std::string OpCall::text(std::string_view attribute) const {
  const Attribute* found = find(attribute);
  if (found == nullptr) fail(attribute, "a string", "nothing");
  if (const auto* value = std::get_if<std::string>(found)) return *value;
  fail(attribute, "a string", "another kind of attribute");
}

std::string OpCall::text(std::string_view attribute, std::string_view fallback) const {
  return find(attribute) == nullptr ? std::string(fallback) : text(attribute);
}

std::vector<std::int64_t> OpCall::integers(std::string_view attribute) const {
  const Attribute* found = find(attribute);
  if (found == nullptr) fail(attribute, "a list of integers", "nothing");
  if (const auto* value = std::get_if<std::vector<std::int64_t>>(found)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(found)) return {*value};
  fail(attribute, "a list of integers", "another kind of attribute");
}

std::vector<std::int64_t> OpCall::integers(std::string_view attribute,
                                           std::vector<std::int64_t> fallback) const {
  return find(attribute) == nullptr ? std::move(fallback) : integers(attribute);
}

DType OpCall::dtype(std::string_view attribute) const {
  const Attribute* found = find(attribute);
  if (found == nullptr) fail(attribute, "an element type", "nothing");
  if (const auto* value = std::get_if<DType>(found)) return *value;
  fail(attribute, "an element type", "another kind of attribute");
}

void OpCall::expect_sizes(std::string_view argument, const ConstTensorView& tensor,
                          const Sizes& sizes) const {
  if (tensor.sizes() != sizes)
    fail(argument, "shape " + format_sizes(sizes), "shape " + format_sizes(tensor.sizes()));
}

void OpCall::expect_dtype(std::string_view argument, const ConstTensorView& tensor, DType dtype) const {
  if (tensor.dtype() != dtype)
    fail(argument, "element type " + std::string(model::name(dtype)),
         "element type " + std::string(model::name(tensor.dtype())));
}

void OpCall::expect_counts(std::size_t wanted_inputs, std::size_t wanted_outputs) const {
  if (inputs.size() != wanted_inputs)
    fail("inputs", std::to_string(wanted_inputs) + " inputs", std::to_string(inputs.size()));
  if (outputs.size() != wanted_outputs)
    fail("outputs", std::to_string(wanted_outputs) + " outputs", std::to_string(outputs.size()));
}

}  // namespace bufferproof::kernels
