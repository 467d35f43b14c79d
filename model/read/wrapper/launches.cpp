// Launches of the file's kernels.
#include <algorithm>

#include "model/read/wrapper/constant_stores.hpp"
#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {

/// x of c_void_p(x.data_ptr()), s0 of c_long(s0).
const Expr& Evaluator::unwrapped(const Expr& expr) {
  if (expr.kind != ExprKind::call || expr.items.empty()) return expr;
  const Expr& callee = *expr.items[0];
  const bool ctypes =
      callee.kind == ExprKind::name && callee.text.substr(0, 2) == "c_" && expr.items.size() == 2;
  if (ctypes) return unwrapped(*expr.items[1]);
  const bool pointer = callee.kind == ExprKind::attribute && callee.text == "data_ptr";
  return pointer ? *callee.items[0] : expr;
}

Argument Evaluator::launch_argument(const Value& value, const Parameter* parameter) {
  const bool pointer = !parameter || parameter->role != Role::scalar;
  std::string handle = value.is(Value::Kind::path) && !pointer ? std::string{} : handle_of(value);
  if (!handle.empty()) return {handle, std::nullopt};
  switch (value.kind) {
    case Value::Kind::integer:
      return {{}, value.number};
    case Value::Kind::none:
      return {{}, SymExpr::call("None", {})};
    case Value::Kind::truth:
      if (value.truth.is_true() || value.truth.is_false())
        return {{}, SymExpr(value.truth.is_true() ? 1 : 0)};
      return {{}, SymExpr::call("bool", {})};
    case Value::Kind::stream:
    case Value::Kind::path:
    case Value::Kind::text:
    case Value::Kind::unknown:
      return {{}, SymExpr::call(value.name.empty() ? "?" : value.name, {})};
    default:
      throw Outside{"a kernel argument that is neither tensor nor number"};
  }
}

/// The stream of `stream=` or of a trailing c_void_p(stream0); else the current one. A kernel on a variable
/// that was read before the current stream changed is rule B9's pattern.
Name Evaluator::launch_stream(const Expr& call) {
  std::optional<std::string> stream;
  if (const Expr* given = keyword(call, "stream")) stream = stream_of(eval(*given));
  if (!stream && call.items.size() > 1) {
    const Expr& last = unwrapped(*call.items.back());
    const Value value =
        last.kind == ExprKind::name || last.kind == ExprKind::attribute ? eval(last) : Value{};
    if (value.is(Value::Kind::stream)) stream = value.name;
  }
  if (stream && *stream != state_.current_stream)
    builder_.risk("B9", "the kernel runs on stream '" + *stream + "' although the current stream is '" +
                            state_.current_stream +
                            "': the stream variable was not read again after the switch");
  return stream.value_or(state_.current_stream);
}

/// Declared outputs by the kernel's parameters, or the last num_outputs tensors of the call.
std::vector<Name> Evaluator::outputs_of(const KernelDef& kernel, const std::vector<Argument>& arguments) {
  std::vector<Name> outputs;
  if (!kernel.parameters.empty()) {
    for (std::size_t i = 0; i < kernel.parameters.size() && i < arguments.size(); ++i) {
      const Role role = kernel.parameters[i].role;
      if ((role == Role::output || role == Role::in_out) && !arguments[i].handle.empty())
        outputs.push_back(arguments[i].handle);
    }
    return outputs;
  }
  const std::size_t count =
      static_cast<std::size_t>(std::max<std::int64_t>(0, kernel.num_outputs.value_or(0)));
  if (count > arguments.size())
    throw Outside{"a launch of " + kernel.name + " with fewer arguments than the kernel has outputs"};
  for (std::size_t i = arguments.size() - count; i < arguments.size(); ++i) {
    if (arguments[i].handle.empty()) throw Outside{"a launch of " + kernel.name + " with a number as output"};
    outputs.push_back(arguments[i].handle);
  }
  return outputs;
}

/// `returns`: the call's value is used, so a DVM kernel returns its outputs instead of taking them.
Value Evaluator::launch(int index, const Expr& call, const std::string& wanted, bool returns) {
  const KernelDef& kernel = builder_.program().kernels[static_cast<std::size_t>(index)];
  Launch node;
  node.kernel = kernel.name;
  node.definition = index;
  node.choice = kernel.name;
  node.stream = launch_stream(call);
  for (const Expr* argument : call.items.subspan(1)) {
    if (argument->kind == ExprKind::starred) throw Outside{"starred kernel arguments"};
    if (argument->kind == ExprKind::keyword) continue;
    const std::size_t at = node.arguments.size();
    const Parameter* parameter = at < kernel.parameters.size() ? &kernel.parameters[at] : nullptr;
    node.arguments.push_back(launch_argument(eval(unwrapped(*argument)), parameter));
    const Name& handle = node.arguments.back().handle;
    if (parameter && parameter->dtype && !handle.empty())
      builder_.learn_dtype(handle.str(), *parameter->dtype);
  }
  for (std::size_t at = node.arguments.size(); at < kernel.parameters.size(); ++at) {  // kern[grid](a, out=b)
    const Expr* given = keyword(call, kernel.parameters[at].name);
    if (!given) break;
    node.arguments.push_back(launch_argument(eval(unwrapped(*given)), &kernel.parameters[at]));
  }
  const bool known = !kernel.parameters.empty() || kernel.num_outputs;
  if (!known) {
    std::vector<std::string> handles;
    for (const Argument& argument : node.arguments)
      if (!argument.handle.empty()) handles.push_back(argument.handle.str());
    return opaque(kernel.name, handles, wanted, returns);
  }
  if (node.arguments.size() < kernel.parameters.size())
    throw Outside{"a launch of " + kernel.name + " with " + std::to_string(node.arguments.size()) +
                  " arguments; its text has " + std::to_string(kernel.parameters.size()) + " parameters"};
  Value result;
  if (returns && kernel.num_outputs) {
    List made;
    for (std::int64_t i = 0; i < *kernel.num_outputs && i < 1000; ++i) {
      const std::string name =
          *kernel.num_outputs == 1 ? wanted : named(wanted, "result") + "[" + std::to_string(i) + "]";
      made.push_back(Value::handle(new_result(name, result_hint(name), std::nullopt)));
      node.arguments.push_back({made.back().name, std::nullopt});
    }
    result = made.size() == 1 ? made[0] : Value::list(std::move(made));
  }
  node.outputs = outputs_of(kernel, node.arguments);
  note_outputs(node.outputs, constant_outputs(kernel, node));
  builder_.step(std::move(node));
  return result;
}

/// Whether all a launch reads follows from the program's text and sizes. In a branch or loop nothing is said
/// to.
bool Evaluator::reads_constants(const KernelDef& kernel, const Launch& launch) const {
  const auto reads_constant = [&](std::size_t at) {
    const Argument& argument = launch.arguments[at];
    if (argument.scalar) {
      const auto symbol = argument.scalar->as_symbol();
      return argument.scalar->constant() ||
             (symbol && symbol->front() == 's');  // a size (ProgramBuilder::symbol)
    }
    const bool output = at < kernel.parameters.size()
                            ? kernel.parameters[at].role == Role::output
                            : std::count(launch.outputs.begin(), launch.outputs.end(), argument.handle) > 0;
    return output || builder_.is_constant(argument.handle.str());
  };
  for (std::size_t at = 0; at < launch.arguments.size(); ++at)
    if (!reads_constant(at)) return false;
  return !in_branch_;
}

/// Outputs that hold what follows from text and sizes: because the launch reads nothing else, or stores
/// nothing else there.
std::set<std::string> Evaluator::constant_outputs(const KernelDef& kernel, const Launch& launch) const {
  std::set<std::string> out;
  if (reads_constants(kernel, launch))
    for (const Name& output : launch.outputs) out.insert(output.str());
  for (std::size_t i = 0; i < kernel.parameters.size() && !in_branch_; ++i)
    if (const Name& handle = launch.arguments[i].handle;
        !handle.empty() && stores_constants(kernel, kernel.parameters[i]))
      out.insert(handle.str());
  return out;
}

/// A kernel or operator whose effects nobody told: everything it gets becomes unknown (E8).
Value Evaluator::opaque(const std::string& name, const std::vector<std::string>& handles,
                        const std::string& wanted, bool returns) {
  std::vector<Clause> clauses;
  std::vector<Name> outputs;
  for (const std::string& handle : handles) clauses.push_back(whole(Clause::Kind::unknown, handle));
  Value result;
  if (returns) {
    const int count = frame().hints && wanted.size() > prefix().size()
                          ? frame().hints->tuple_size(std::string_view(wanted).substr(prefix().size()))
                          : 0;
    List made;
    for (int i = 0; i < std::max(count, 1); ++i) {
      const std::string element = count == 0 ? wanted : wanted + "[" + std::to_string(i) + "]";
      made.push_back(Value::handle(new_result(element, result_hint(element), std::nullopt)));
      clauses.push_back(whole(Clause::Kind::unknown, made.back().name));
    }
    result = count == 0 ? made[0] : Value::list(std::move(made));
  }
  builder_.launch(name, std::move(clauses), std::move(outputs), state_.current_stream);
  return result;
}

/// Remembers which inputs are written, so that the caller's own tensor is looked at when the program returns.
/// An input whose name was given up before was donated: nobody looks at it again.
void Evaluator::note_outputs(const std::vector<Name>& outputs, const std::set<std::string>& constant) {
  for (const Name& output : outputs) {
    const std::string handle = output.str();
    builder_.note_written(handle, constant.contains(handle));
    const std::string storage = builder_.storage_of(handle);
    if (!builder_.is_input(handle) || state_.freed.count(storage) || state_.mutated_inputs.count(storage))
      continue;
    state_.mutated_inputs[storage] = builder_.callers_view(storage);
  }
}

}  // namespace bufferproof::model::wrapper
