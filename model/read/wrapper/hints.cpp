#include "model/read/wrapper/hints.hpp"

#include <algorithm>
#include <cctype>

namespace bufferproof::model::wrapper {
namespace {

using python::Expr;
using python::ExprKind;
using python::Stmt;
using python::StmtKind;

std::string_view name_of(const Expr* expr) {
  return expr && expr->kind == ExprKind::name ? expr->text : std::string_view{};
}

/// The last part of a callee's name: assert_size_stride of torch._C._dynamo.guards.assert_size_stride.
std::string_view callee(const Expr& call) {
  const Expr& function = *call.items[0];
  return function.kind == ExprKind::name || function.kind == ExprKind::attribute ? function.text
                                                                                 : std::string_view{};
}

const Expr* keyword(const Expr& call, std::string_view name) {
  for (const Expr* argument : call.items.subspan(1))
    if (argument->kind == ExprKind::keyword && argument->text == name) return argument->items[0];
  return nullptr;
}

const Expr* positional(const Expr& call, std::size_t index) {
  if (index + 1 >= call.items.size()) return nullptr;
  const Expr* argument = call.items[index + 1];
  return argument->kind == ExprKind::keyword || argument->kind == ExprKind::starred ? nullptr : argument;
}

bool is_sequence(const Expr* expr) {
  return expr && (expr->kind == ExprKind::tuple || expr->kind == ExprKind::list);
}

std::optional<std::int64_t> integer_of(const Expr& expr) {
  if (expr.kind == ExprKind::integer) return expr.value;
  if (expr.kind == ExprKind::unary && expr.text == "-" && expr.items[0]->value) return -*expr.items[0]->value;
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> integers_of(const Expr* expr) {
  if (!is_sequence(expr)) return std::nullopt;
  std::vector<std::int64_t> out;
  for (const Expr* item : expr->items) {
    const auto value = integer_of(*item);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

}  // namespace

bool is_symbol_name(std::string_view name) {
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos || digits == 0 || digits > 3) return false;
  const std::string_view letters = name.substr(0, digits);
  if (letters != "s" && letters != "u" && letters != "z" && letters != "zuf" && letters != "zf") return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(digits), name.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<DType> dtype_of(const Expr& expr) {
  const std::string name = python::dotted_name(expr);
  return name.empty() ? std::nullopt : parse_dtype(name);
}

std::optional<DType> dtype_of_size(const Expr& expr) {
  if (const auto known = dtype_of(expr)) return known;
  const std::string name = python::dotted_name(expr);
  const auto starts = [&](std::string_view prefix) { return name.compare(0, prefix.size(), prefix) == 0; };
  for (std::string_view byte :
       {"torch.float8_", "torch.float4_", "torch.bits8", "torch.quint8", "torch.qint8", "torch.uint4"})
    if (starts(byte)) return DType::u8;
  if (name == "torch.uint16") return DType::i16;
  if (name == "torch.uint32" || name == "torch.complex32" || name == "torch.qint32") return DType::i32;
  if (name == "torch.uint64" || name == "torch.complex64" || name == "torch.cfloat") return DType::i64;
  return std::nullopt;
}

void FunctionHints::collect(std::span<const Stmt* const> body) {
  for (const Stmt* statement : body) {
    if (statement->kind == StmtKind::assign) assignment(*statement);
    if (statement->kind == StmtKind::expr && statement->value->kind == ExprKind::call)
      assertion(*statement->value);
    if (statement->kind == StmtKind::def || statement->kind == StmtKind::class_) continue;
    collect(statement->body);
    collect(statement->orelse);
  }
}

void FunctionHints::assignment(const Stmt& statement) {
  const std::string_view target = name_of(statement.targets[0]);
  const Expr& value = *statement.value;
  if (target.empty()) return;
  if (const std::string_view source = name_of(&value); !source.empty()) {
    handed_on_[source].push_back({target, -1});
    if (is_symbol_name(target)) symbol_of_input_.emplace(source, target);
  } else if (value.kind == ExprKind::call && callee(value) == "size" && value.items.size() == 1) {
    const Expr& method = *value.items[0];
    if (method.kind == ExprKind::attribute) sizes_of_[target] = name_of(method.items[0]);
  } else if (value.kind == ExprKind::subscript) {
    const std::string_view source = name_of(value.items[0]);
    const auto index = integer_of(*value.items[1]);
    if (source.empty() || !index || *index < 0 || *index > 4096) return;
    if (const auto sizes = sizes_of_.find(source); sizes != sizes_of_.end()) {
      symbol_of_size_[sizes->second].emplace_back(static_cast<std::size_t>(*index), target);
      return;
    }
    handed_on_[source].push_back({target, static_cast<int>(*index)});
    int& size = tuple_size_[source];
    size = std::max(size, static_cast<int>(*index) + 1);
  }
}

void FunctionHints::one_assertion(const Expr* tensor, const LayoutText& text) {
  if (const std::string_view name = name_of(tensor); !name.empty()) asserted_.emplace(name, text);
}

void FunctionHints::assertion(const Expr& call) {
  const std::string_view function = callee(call);
  const Expr* tensor = positional(call, 0);
  LayoutText text{positional(call, 1), positional(call, 2), std::nullopt};
  if (!tensor || !is_sequence(text.sizes) || !is_sequence(text.strides)) return;
  if (function == "assert_size_stride") {
    one_assertion(tensor, text);
  } else if (function == "assert_tensor_metadata") {
    if (const Expr* dtype = positional(call, 3)) text.dtype = dtype_of(*dtype);
    one_assertion(tensor, text);
  } else if (function == "assert_size_stride_grouped" && is_sequence(tensor)) {
    const std::size_t count =
        std::min({tensor->items.size(), text.sizes->items.size(), text.strides->items.size()});
    for (std::size_t i = 0; i < count; ++i)
      if (is_sequence(text.sizes->items[i]) && is_sequence(text.strides->items[i]))
        one_assertion(tensor->items[i], {text.sizes->items[i], text.strides->items[i], std::nullopt});
  }
}

std::optional<LayoutText> FunctionHints::layout(std::string_view name, int index) const {
  return layout(name, index, 64);
}

std::optional<LayoutText> FunctionHints::layout(std::string_view name, int index, int budget) const {
  if (index < 0) {
    const auto found = asserted_.find(name);
    if (found != asserted_.end()) return found->second;
  }
  const auto uses = handed_on_.find(name);
  if (uses == handed_on_.end() || budget <= 0) return std::nullopt;
  for (const Use& use : uses->second) {
    if (use.index != index || use.name == name) continue;
    if (auto found = layout(use.name, -1, budget - 8)) return found;
  }
  return std::nullopt;
}

int FunctionHints::tuple_size(std::string_view name) const {
  const auto found = tuple_size_.find(name);
  return found == tuple_size_.end() ? 0 : found->second;
}

std::string_view FunctionHints::symbol_of_input(std::string_view name) const {
  const auto found = symbol_of_input_.find(name);
  return found == symbol_of_input_.end() ? std::string_view{} : found->second;
}

std::string_view FunctionHints::symbol_of_size(std::string_view tensor, std::size_t axis) const {
  const auto found = symbol_of_size_.find(tensor);
  if (found == symbol_of_size_.end()) return {};
  for (const auto& [of, symbol] : found->second)
    if (of == axis) return symbol;
  return {};
}

namespace {

ExampleInput example_of(std::string_view name, const Expr& value) {
  ExampleInput example;
  example.name = name;
  example.integer = integer_of(value);
  if (value.kind != ExprKind::call || callee(value) != "rand_strided") return example;
  example.sizes = integers_of(positional(value, 0));
  if (auto strides = integers_of(positional(value, 1))) example.strides = *strides;
  if (example.sizes && example.strides.size() != example.sizes->size()) example.sizes.reset();
  const Expr* dtype = keyword(value, "dtype");
  if (dtype || (dtype = positional(value, 3))) example.dtype = dtype_of_size(*dtype);
  return example;
}

/// The list of names in `return [a, b]`, `call([a, b])` or `lambda: call([a, b])`; null if there is none.
const Expr* argument_list(const Stmt& statement) {
  const Expr* value = statement.value;
  if (!value) return nullptr;
  if (statement.kind == StmtKind::return_ && value->kind == ExprKind::list) return value;
  if (value->kind == ExprKind::lambda) value = value->items[0];
  if (value->kind == ExprKind::call && callee(*value) == "call") {
    const Expr* list = positional(*value, 0);
    if (is_sequence(list)) return list;
  }
  return nullptr;
}

/// Puts the examples into the order in which the entry point gets them.
std::vector<ExampleInput> in_order(const std::vector<ExampleInput>& examples, const Expr* order) {
  if (!order) return examples;
  std::unordered_map<std::string_view, const ExampleInput*> by_name;
  for (const ExampleInput& example : examples) by_name[example.name] = &example;
  std::vector<ExampleInput> out;
  for (const Expr* item : order->items) {
    const auto found = by_name.find(name_of(item));
    out.push_back(found != by_name.end() ? *found->second : example_of(name_of(item), *item));
  }
  return out;
}

}  // namespace

std::vector<ExampleInput> example_inputs(const python::Module& module) {
  for (std::string_view wanted : {"get_args", "benchmark_compiled_module"}) {
    for (const Stmt* statement : module.body) {
      if (statement->kind != StmtKind::def || statement->text != wanted) continue;
      std::vector<ExampleInput> examples;
      const Expr* order = nullptr;
      for (const Stmt* line : statement->body) {
        if (const Expr* list = argument_list(*line)) order = list;
        if (line->kind != StmtKind::assign || line->value->kind == ExprKind::lambda) continue;
        const std::string_view name = name_of(line->targets[0]);
        if (!name.empty()) examples.push_back(example_of(name, *line->value));
      }
      if (order || !examples.empty()) return in_order(examples, order);
    }
  }
  return {};
}

}  // namespace bufferproof::model::wrapper
