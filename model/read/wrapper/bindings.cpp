// Names and lists, and the handles they keep alive.
//
// Every Python name that holds a tensor has a handle name of its own in the program, and so has every element
// of a list that is kept; `del`, rebinding and the end of an inlined function free them. A handle a statement
// makes is a temporary until a name takes it.
#include <algorithm>
#include <array>
#include <cctype>

#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {

Evaluator::Variable* Evaluator::find_variable(std::string_view name) {
  const auto local = frame().variables.find(name);
  if (local != frame().variables.end()) return &local->second;
  const auto global = globals_.find(name);
  return global != globals_.end() ? &global->second : nullptr;
}

/// A name nobody bound stands for itself: a size symbol, a module, or a tensor that is used before it exists.
Value Evaluator::lookup(std::string_view name) {
  const Variable* variable = find_variable(name);
  if (variable && variable->partial)
    throw Outside{std::string(name) + ", which is bound in a branch or loop before and used after it"};
  return variable ? variable->value : Value::of(Value::Kind::path, std::string(name));
}

/// How the handle bound to this target is to be called.
std::string Evaluator::wanted(const Expr& target) const {
  const bool simple = target.kind == ExprKind::name || target.kind == ExprKind::subscript;
  return simple ? prefix() + python::str(target, 100) : "";
}

std::string Evaluator::named(const std::string& wanted, const std::string& otherwise) {
  return wanted.empty() || wanted == kDiscard ? otherwise : wanted;
}

std::string Evaluator::temporary(std::string handle) {
  temporaries_.push_back(handle);
  return handle;
}

/// The handle a value stands for where a tensor is needed; empty if it is none.
std::string Evaluator::handle_of(const Value& value) {
  if (value.is(Value::Kind::handle)) {
    const auto moved = moved_.find(value.name);
    return moved == moved_.end() ? value.name : moved->second;
  }
  if (value.is(Value::Kind::none) && !value.name.empty()) {
    // constant0 = None at module level: filled in when the module is loaded.
    std::string& handle = state_.constants[value.name];
    if (handle.empty()) handle = builder_.input(value.name, std::nullopt, std::nullopt);
    return handle;
  }
  const bool undefined = value.is(Value::Kind::path) && value.name.find('.') == std::string::npos;
  return undefined ? value.name : std::string{};
}

/// What generated code calls a tensor: buf12, arg3_1, primals_4. Sizes (s0, u1), devices and functions are
/// none.
bool Evaluator::is_buffer_name(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kPrefixes{"buf",       "arg",  "primals_",
                                                             "tangents_", "pool", "constant"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() &&
           std::isdigit(static_cast<unsigned char>(name[prefix.size()])) != 0;
  });
}

void Evaluator::collect_handles(const Value& value, std::vector<std::string>& into) {
  if (value.is(Value::Kind::list)) {
    for (const Value& item : *value.items) collect_handles(item, into);
  } else if (value.is(Value::Kind::handle)) {
    into.push_back(handle_of(value));
  } else if (value.is(Value::Kind::none)) {
    if (std::string handle = handle_of(value); !handle.empty()) into.push_back(std::move(handle));
  } else if (value.is(Value::Kind::path) && is_buffer_name(value.name)) {
    into.push_back(value.name);  // nobody bound it: C6 finds it
  }
}

/// Is `name` deleted by the next statements, with only assertions of other names between? Then b = a; del a
/// is a rename, however it is laid out.
bool Evaluator::is_released_next(std::string_view name) const {
  const auto is_it = [&](const Expr* target) {
    return target->kind == ExprKind::name && target->text == name;
  };
  for (const Stmt* next : following_) {
    if (next->kind == StmtKind::del) return std::any_of(next->targets.begin(), next->targets.end(), is_it);
    const bool assertion = next->kind == StmtKind::expr && next->value->kind == ExprKind::call &&
                           next->value->items[0]->text.substr(0, 7) == "assert_" &&
                           next->value->items.size() > 1 && next->value->items[1]->text != name;
    if (!assertion) return false;
  }
  return false;
}

/// `b = reinterpret_tensor(a, sizes, strides, 0); del a  # reuse` (`as_strided` in 2.0): the memory of a is
/// handed on in another layout. a is renamed first, so that views of a keep what they had (C3), as after
/// `b = a; del a`.
void Evaluator::rename_before_view(const Expr& value, std::string_view target) {
  if (value.kind != ExprKind::call) return;
  const std::string_view function = value.items[0]->text;
  if (function.find("reinterpret_tensor") == std::string::npos && function != "as_strided") return;
  const Expr* tensor = positional(value, 0);
  const Expr* offset = positional(value, 3);
  const bool at_start = !offset || (offset->kind == ExprKind::integer && offset->value == 0);
  if (!tensor || tensor->kind != ExprKind::name || tensor->text == target || !at_start) return;
  const auto found = frame().variables.find(tensor->text);
  if (found == frame().variables.end() || found->second.deleted || found->second.borrowed) return;
  Value& held = found->second.value;
  if (!held.is(Value::Kind::handle) || !held.owned || !is_released_next(tensor->text)) return;
  held.name = builder_.bind(prefix() + std::string(tensor->text), handle_of(held), Bind::Kind::rename);
}

/// Is `b = value` a later tenant of the same memory? Names of pool slices are not deleted when their contents
/// are done with, but what has been written is not merely given a second name: `buf1 = buf0  # reuse`, `buf6
/// = buf0  # alloc`. A name given to a slice before anything is in it is a part of it (`# alias`).
bool Evaluator::is_reuse(const Value& value) {
  if (!value.is(Value::Kind::handle)) return false;
  const std::string handle = handle_of(value);
  const HandleInfo* known = builder_.find(handle);
  return known && known->pool_slice && builder_.was_written(handle);
}

/// The handle under a name of its own: takes a temporary over, else makes a second name of it.
std::string Evaluator::own_handle(const std::string& wanted, const std::string& handle, Bind::Kind how) {
  const auto temporary = std::find(temporaries_.begin(), temporaries_.end(), handle);
  if (temporary != temporaries_.end()) {
    temporaries_.erase(temporary);
    if (handle == wanted) return handle;
    std::string owned = builder_.bind(wanted, handle, Bind::Kind::alias);
    builder_.step(Free{{handle}});
    moved_[handle] = owned;
    return owned;
  }
  return builder_.bind(wanted, handle, how);
}

Value Evaluator::own(const std::string& wanted, const Value& value, Bind::Kind how) {
  if (value.is(Value::Kind::handle)) {
    Value owned = Value::handle(own_handle(wanted, handle_of(value), how));
    owned.owned = true;
    return owned;
  }
  if (!value.is(Value::Kind::list)) return value;
  for (std::size_t i = 0; i < value.items->size(); ++i) {
    Value& item = (*value.items)[i];
    if (!item.owned) item = own(wanted + "[" + std::to_string(i) + "]", item, Bind::Kind::alias);
  }
  return value;
}

void Evaluator::store(const Expr& target, const Value& value, Bind::Kind how) {
  switch (target.kind) {
    case ExprKind::name:
      return store_name(target.text, value, how);
    case ExprKind::tuple:
    case ExprKind::list:
      return unpack(target, value);
    case ExprKind::subscript:
      return store_element(target, value);
    default:
      throw Outside{"an assignment to " + python::str(target, 60)};
  }
}

void Evaluator::store_name(std::string_view name, const Value& value, Bind::Kind how) {
  Variable& variable = frame().variables[name];
  const bool itself = value.is(Value::Kind::handle) && variable.value.is(Value::Kind::handle) &&
                      !variable.deleted && handle_of(value) == variable.value.name;
  if (itself) return;  // x = copy_misaligned(x)
  Value owned = own(prefix() + std::string(name), value, how);
  std::vector<std::string> freed;
  if (!variable.deleted && !variable.borrowed) release(variable.value, freed);
  for (std::string& handle : freed)
    if (!owned.is(Value::Kind::handle) || handle != owned.name) temporary(std::move(handle));
  variable = Variable{.value = std::move(owned)};
}

void Evaluator::store_element(const Expr& target, const Value& value) {
  const Value list = eval(*target.items[0]);
  const auto index = integer(*target.items[1]).constant();
  if (!list.is(Value::Kind::list) || !index || *index < 0 ||
      *index >= static_cast<std::int64_t>(list.items->size()))
    throw Outside{"an assignment to " + python::str(target, 60)};
  Value& element = (*list.items)[static_cast<std::size_t>(*index)];
  const Value before = element;
  element = own(wanted(target), value, Bind::Kind::alias);
  std::vector<std::string> freed;
  if (before.owned) release(before, freed);
  for (std::string& handle : freed) temporary(std::move(handle));
}

void Evaluator::unpack(const Expr& target, const Value& value) {
  if (value.is(Value::Kind::inputs)) {
    for (std::size_t i = 0; i < target.items.size(); ++i) {
      if (target.items[i]->kind != ExprKind::name) throw Outside{"inputs unpacked into other than names"};
      const std::string_view name = target.items[i]->text;
      frame().variables[name] = Variable{.value = input_value(name, i)};
    }
    return;
  }
  if (!value.is(Value::Kind::list)) throw Outside{"the unpacking of " + python::str(target, 60)};
  if (value.items->size() != target.items.size())
    throw InputError(builder_.where(), std::to_string(target.items.size()) + " values to unpack",
                     std::to_string(value.items->size()));
  const List items = *value.items;
  for (std::size_t i = 0; i < items.size(); ++i) store(*target.items[i], items[i], Bind::Kind::alias);
}

/// Names of handles that nobody holds any more once `value` is dropped.
void Evaluator::release(const Value& value, std::vector<std::string>& freed) {
  if (value.is(Value::Kind::handle)) {
    freed.push_back(value.name);
  } else if (value.is(Value::Kind::list)) {
    for (const Value& item : *value.items)
      if (item.owned) release(item, freed);
  }
}

/// What the statement made and nobody took is gone.
void Evaluator::end_statement() {
  std::vector<std::string> names;
  for (const std::string& name : temporaries_) {
    const bool again = std::find(names.begin(), names.end(), name) != names.end();
    if (!again) names.push_back(name);
  }
  temporaries_.clear();
  moved_.clear();
  state_.freed.insert(names.begin(), names.end());
  builder_.free(std::move(names));
}

}  // namespace bufferproof::model::wrapper
