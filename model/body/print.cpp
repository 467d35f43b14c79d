// Prints a TensorFunction in the project's own notation, which text_reader.cpp reads back.
//
//   func @k(%x: f32[4, s0], %s0: scalar i64) {
//     assume s0 - 8 == 0
//     %one = constant {bits = 0x3f800000, dtype = f32} : f32[]  ; 1
//     %a, %b = arg_reduce %x {dim = 1, dtype = i64, fn = "max"} : f32[4], i64[4]
//     return %a, %b
//   }
// Tested by tests/model/body_function_test.cpp.
#include <fmt/format.h>

#include "model/body/builder.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::model {
namespace {

template <typename T, typename F>
std::string join(const std::vector<T>& items, F text) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + text(items[i]);
  return out;
}

struct AttributePrinter {
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& text) const { return "\"" + text + "\""; }
  std::string operator()(DType dtype) const { return std::string(name(dtype)); }
  std::string operator()(const std::vector<std::int64_t>& values) const {
    return "[" + join(values, [](std::int64_t v) { return fmt::format("{}", v); }) + "]";
  }
  std::string operator()(const std::vector<SymExpr>& sizes) const {
    return "sizes[" + join(sizes, [](const SymExpr& size) { return size.str(); }) + "]";
  }
};

std::string attributes_text(const TensorOp& op) {
  if (op.attributes.empty()) return "";
  std::string text;
  for (const auto& [key, attribute] : op.attributes) {
    bool bits = key == "bits" && std::holds_alternative<std::int64_t>(attribute);
    std::string value =
        bits ? fmt::format("{:#x}", static_cast<std::uint64_t>(std::get<std::int64_t>(attribute)))
             : std::visit(AttributePrinter{}, attribute);
    text += (text.empty() ? "" : ", ") + key + " = " + value;
  }
  return " {" + text + "}";
}

std::string op_text(const TensorFunction& function, const TensorOp& op) {
  auto value_name = [&](ValueId id) { return "%" + function.value(id).name; };
  std::string text = "  " + join(op.results, value_name) + " = " + op.name;
  if (!op.operands.empty()) text += " " + join(op.operands, value_name);
  text += attributes_text(op) + " : ";
  text += join(op.results, [&](ValueId id) { return function.type(id).str(); });
  if (op.name == "constant")
    text += fmt::format("  ; {}", value_of_bits(op.dtype("dtype"), op.integer("bits")));
  return text + "\n";
}

std::string parameter_text(const TensorValue& value) {
  if (value.scalar) return fmt::format("%{}: scalar {}", value.name, name(value.type.dtype));
  return fmt::format("%{}: {}", value.name, value.type.str());
}

}  // namespace

std::string print(const TensorFunction& function) {
  std::string text = "func @" + function.name + "(";
  text += join(function.parameters, [&](ValueId id) { return parameter_text(function.value(id)); }) + ") {\n";
  for (const Cond& assumption : function.assumptions)
    text += "  assume " + assumption.expr().str() + " == 0\n";
  for (const TensorOp& op : function.ops) text += op_text(function, op);
  text += "  return";
  for (std::size_t i = 0; i < function.results.size(); ++i)
    text += (i ? ", %" : " %") + function.value(function.results[i]).name;
  return text + "\n}\n";
}

}  // namespace bufferproof::model
