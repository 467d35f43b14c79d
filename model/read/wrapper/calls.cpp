// Calls: which of the known kinds a call is.
#include <algorithm>

#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {
namespace {

std::string_view last_part(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

bool begins(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace

const Expr* Evaluator::positional(const Expr& call, std::size_t index) {
  if (index + 1 >= call.items.size()) return nullptr;
  const Expr* argument = call.items[index + 1];
  return argument->kind == ExprKind::keyword || argument->kind == ExprKind::starred ? nullptr : argument;
}

const Expr* Evaluator::keyword(const Expr& call, std::string_view name) {
  for (const Expr* argument : call.items.subspan(1))
    if (argument->kind == ExprKind::keyword && argument->text == name) return argument->items[0];
  return nullptr;
}

const Expr* Evaluator::argument(const Expr& call, std::size_t index, std::string_view name) {
  const Expr* found = keyword(call, name);
  return found ? found : positional(call, index);
}

std::vector<Value> Evaluator::arguments(const Expr& call) {
  std::vector<Value> out;
  for (const Expr* argument : call.items.subspan(1)) {
    if (argument->kind == ExprKind::keyword) continue;
    if (argument->kind == ExprKind::starred) throw Outside{"starred arguments"};
    out.push_back(eval(*argument));
  }
  return out;
}

Value Evaluator::call(const Expr& expr, const std::string& wanted) {
  const Expr& callee = *expr.items[0];
  if (const std::string path = path_of(callee); !path.empty()) return call_path(path, expr, wanted);
  if (callee.kind == ExprKind::attribute) {
    // path_of knew no path, so the base is a value of this file.
    const Value base = eval(*callee.items[0]);
    if (base.is(Value::Kind::kernel))
      return launch(base.index, expr, wanted, wanted != kDiscard && callee.text != "run");
    if (base.is(Value::Kind::stream)) return stream_method(base, callee.text, expr, wanted);
    if (base.is(Value::Kind::event)) return event_method(base, callee.text, expr);
    if (base.is(Value::Kind::handle)) return method(handle_of(base), callee.text, expr, wanted);
    const bool list = base.is(Value::Kind::list);
    if (list && callee.text == "clear") {
      std::vector<std::string> freed;
      release(base, freed);
      base.items->clear();
      for (std::string& handle : freed) temporary(std::move(handle));
      return Value{};
    }
    if (base.is(Value::Kind::inputs) && callee.text == "clear")
      return Value{};  // the caller's list lets go; names hold
    if (base.is(Value::Kind::none) && !base.name.empty())
      if (const std::string constant = handle_of(base); !constant.empty())
        return method(constant, callee.text, expr, wanted);
    throw Outside{"the call " + python::str(callee, 60)};
  }
  const Value function = eval(callee);
  if (function.is(Value::Kind::function)) return inline_call(*function.function, arguments(expr));
  if (function.is(Value::Kind::kernel)) return launch(function.index, expr, wanted, wanted != kDiscard);
  throw Outside{"the call " + python::str(callee, 60)};
}

/// Calls that touch no tensor's data: devices, profilers, prints.
bool Evaluator::is_without_effect(const std::string& path) const {
  static const std::unordered_set<std::string_view> kNames = {"print",
                                                              "run_intermediate_hooks",
                                                              "set_device",
                                                              "start_graph",
                                                              "end_graph",
                                                              "range_push",
                                                              "range_pop",
                                                              "maybe_profile",
                                                              "record_function",
                                                              "_DeviceGuard",
                                                              "DeviceGuard",
                                                              "device",
                                                              "wait",
                                                              "AsyncCompile",
                                                              "CustomAsyncCompile",
                                                              "__enter__",
                                                              "__exit__",
                                                              "assert_alignment",
                                                              "_exchange_device",
                                                              "_maybe_exchange_device",
                                                              "StaticKernelCompiler",
                                                              "mark_step_begin",
                                                              "isinstance",
                                                              "len",
                                                              "dict",
                                                              "RecordFunctionFast",
                                                              "getLogger",
                                                              "debug",
                                                              "info"};
  return kNames.count(last_part(path)) > 0;
}

Value Evaluator::call_path(const std::string& path, const Expr& expr, const std::string& wanted) {
  const std::string_view function = last_part(path);
  if (begins(path, "aten.")) return call_path("torch.ops." + path, expr, wanted);  // cut out of its file
  if (begins(path, "extern_kernels.") || path.find(".extern_kernels.") != std::string::npos)
    return extern_kernel(std::string(function), expr, wanted);
  if (path.find("_alloc_from_pool") != std::string::npos) return pool_slice(expr, wanted);
  if (begins(path, "torch.ops.") && function.find("_reinterpret_tensor") == std::string::npos)
    return operator_call(path, expr, wanted, arguments(expr));
  if (auto made = tensor_call(function, expr, wanted)) return *made;
  if (auto made = stream_call(path, expr, wanted)) return *made;
  const Expr* text = path == "float" ? positional(expr, 0) : nullptr;  // float('-inf')
  if (text && text->kind == ExprKind::string)
    return Value::of(Value::Kind::unknown, python::string_value(*text));
  if (auto number = integer_call(function, expr)) return Value::integer(*number);
  if (is_without_effect(path)) return Value::of(Value::Kind::unknown, path);
  if (begins(path, "c_") || begins(path, "ctypes.")) {  // c_long(s0)
    const Expr* inner = positional(expr, 0);
    if (inner) return eval(*inner);
  }
  const bool torch_function = begins(path, "torch.") && path.find('.') == path.rfind('.');
  if (torch_function)
    return operator_call("torch.ops.aten." + std::string(function), expr, wanted, arguments(expr));
  throw Outside{"the call " + path};
}

}  // namespace bufferproof::model::wrapper
