// Branches and loops.
//
// A handle that a branch or a loop body rebinds is called by one name afterwards: both blocks end by renaming
// theirs to it. A loop body is followed twice, the first time only to see what it rebinds.
#include <algorithm>
#include <utility>

#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {
namespace {

bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.name != b.name) return false;
  if (a.is(Value::Kind::integer)) return a.number == b.number;
  if (a.is(Value::Kind::truth)) return a.truth == b.truth;
  if (!a.is(Value::Kind::list)) return true;
  return a.items->size() == b.items->size() &&
         std::equal(a.items->begin(), a.items->end(), b.items->begin(), same);
}

/// Only raises or ends the program: `if not (u0 >= 0): raise RuntimeError(...)`.
bool only_raises(std::span<const Stmt* const> body) {
  return body.size() == 1 && body[0]->kind == StmtKind::raise;
}

bool only_breaks(std::span<const Stmt* const> body) {
  return body.size() == 1 && body[0]->kind == StmtKind::break_;
}

/// Only asserts and asks: the loop over return_vars of nan_asserts.
bool only_asserts(std::span<const Stmt* const> body) {
  return std::all_of(body.begin(), body.end(), [](const Stmt* s) {
    return s->kind == StmtKind::assert_ || s->kind == StmtKind::pass ||
           (s->kind == StmtKind::if_ && only_asserts(s->body) && only_asserts(s->orelse));
  });
}

std::vector<std::string_view> sorted_names(const auto& a, const auto& b) {
  std::set<std::string_view> names;
  for (const auto& [name, variable] : a) names.insert(name);
  for (const auto& [name, variable] : b) names.insert(name);
  return {names.begin(), names.end()};
}

constexpr std::int64_t kLowest = INT32_MIN;

}  // namespace

Evaluator::Flow Evaluator::if_(const Stmt& statement) {
  if (only_raises(statement.body) && statement.orelse.empty()) {
    const Expr& test = *statement.value;
    if (test.kind == ExprKind::unary && test.text == "not") refine(*test.items[0]);
    return Flow::next;
  }
  Cond test = condition(*statement.value);
  if (precedes_entered_loop(*statement.value)) test = false;
  if (test.is_true()) return execute(statement.body);
  if (test.is_false()) return execute(statement.orelse);
  return branch(test, statement);
}

Evaluator::Flow Evaluator::branch(const Cond& test, const Stmt& statement) {
  const bool outer = in_branch_;
  in_branch_ = true;
  Branch node;
  node.condition = test;
  Variables else_variables = copy(frame().variables);
  std::set<std::string_view> before;
  for (const auto& [name, variable] : else_variables)
    if (!variable.deleted) before.insert(name);
  const std::string stream = state_.current_stream;
  Flow then_flow = Flow::next, else_flow = Flow::next;
  builder_.into(node.then_block, [&] { then_flow = execute(statement.body); });
  Variables then_variables = std::move(frame().variables);
  frame().variables = std::move(else_variables);
  const std::string then_stream = std::exchange(state_.current_stream, stream);
  builder_.into(node.else_block, [&] { else_flow = execute(statement.orelse); });
  in_branch_ = outer;
  builder_.at(statement.at);
  merge(then_variables, frame().variables, node.then_block, node.else_block);
  for (auto& [name, variable] : then_variables)  // given up on one way: used afterwards it is DEAD there
    if (before.contains(name)) variable.partial = false;
  frame().variables = std::move(then_variables);
  builder_.step(std::move(node));
  if (then_stream != state_.current_stream) throw Outside{"a branch that changes the current stream"};
  if (then_flow != Flow::next || else_flow != Flow::next)
    throw Outside{"a branch that ends the function or loop"};
  return Flow::next;
}

/// A copy whose lists are its own; lists that variables share stay shared.
Evaluator::Variables Evaluator::copy(const Variables& from) {
  Variables out = from;
  std::unordered_map<const List*, std::shared_ptr<List>> copies;
  const auto deep = [&](auto& self, Value& value) -> void {
    if (!value.is(Value::Kind::list)) return;
    auto& made = copies[value.items.get()];
    if (!made) {
      made = std::make_shared<List>(*value.items);
      for (Value& item : *made) self(self, item);
    }
    value.items = made;
  };
  for (auto& [name, variable] : out) deep(deep, variable.value);
  return out;
}

/// Makes `then_variables` what holds after the branch. What only one way through it leaves alive cannot be
/// used afterwards, so it ends with its block.
void Evaluator::merge(Variables& then_variables, Variables& else_variables, Block& then_block,
                      Block& else_block) {
  for (std::string_view name : sorted_names(then_variables, else_variables)) {
    const auto a = then_variables.find(name), b = else_variables.find(name);
    const bool has_a = a != then_variables.end() && !a->second.deleted;
    const bool has_b = b != else_variables.end() && !b->second.deleted;
    if (has_a && has_b) {
      if (!a->second.borrowed)
        a->second.value =
            merge(prefix() + std::string(name), a->second.value, b->second.value, then_block, else_block);
    } else if (has_a) {
      builder_.into(then_block, [&] { end_of_life(a->second); });
    } else if (has_b) {
      builder_.into(else_block, [&] { end_of_life(b->second); });
      then_variables[name] = b->second;
    }
  }
}

/// Frees what a variable holds where its block ends. Numbers stay known.
void Evaluator::end_of_life(Variable& variable) {
  std::vector<std::string> freed;
  if (!variable.borrowed) release(variable.value, freed);
  if (freed.empty()) return;
  variable.deleted = variable.partial = true;
  state_.freed.insert(freed.begin(), freed.end());
  builder_.free(std::move(freed));
}

/// Another name for what a variable holds, where ways meet. No memory changes hands as in `b = a; del a`:
/// what else the program calls by a name of its own is still the same tensor (S2).
void Evaluator::hand_over(const std::string& name, const std::string& from) {
  builder_.step(Bind{Bind::Kind::alias, name, from});
  builder_.step(Free{{from}});
}

Value Evaluator::merge(const std::string& name, const Value& a, const Value& b, Block& then_block,
                       Block& else_block) {
  if (same(a, b)) return a;
  if (a.is(Value::Kind::handle) && b.is(Value::Kind::handle)) {
    Value merged = Value::handle(builder_.fresh(name));
    merged.owned = true;
    const HandleInfo* one = builder_.find(a.name);
    const HandleInfo* other = builder_.find(b.name);
    HandleInfo known;
    if (one && other && one->layout && other->layout && *one->layout == *other->layout) known = *one;
    known.storage = merged.name;
    builder_.info(merged.name) = known;
    builder_.into(then_block, [&] { hand_over(merged.name, a.name); });
    builder_.into(else_block, [&] { hand_over(merged.name, b.name); });
    return merged;
  }
  if (a.is(Value::Kind::list) && b.is(Value::Kind::list) && a.items->size() == b.items->size()) {
    for (std::size_t i = 0; i < a.items->size(); ++i)
      (*a.items)[i] =
          merge(name + "[" + std::to_string(i) + "]", (*a.items)[i], (*b.items)[i], then_block, else_block);
    return a;
  }
  if (a.is(Value::Kind::integer) && b.is(Value::Kind::integer))
    return Value::integer(builder_.fresh_symbol(name, kLowest, std::nullopt));
  return a.is(Value::Kind::none) ? b : a;
}

/// A test whose answer is the same for all inputs of a size. What it is the file does not say; a loop that no
/// run enters would not have been emitted, as in `scan`, which counts from 0 to a length.
bool Evaluator::is_entered(const Expr& test) {
  if (test.kind != ExprKind::name) return false;
  const Value value = lookup(test.text);
  return value.is(Value::Kind::handle) && builder_.is_constant(value.name);
}

/// `if not should_loop: ...` right before `while should_loop:`.
bool Evaluator::precedes_entered_loop(const Expr& test) {
  if (test.kind != ExprKind::unary || test.text != "not" || following_.empty()) return false;
  const Stmt& next = *following_.front();
  const Expr& asked = *test.items[0];
  return next.kind == StmtKind::while_ && next.value->kind == ExprKind::name &&
         asked.text == next.value->text && is_entered(asked);
}

Evaluator::Flow Evaluator::while_(const Stmt& statement) {
  if (loops_ >= kMostNestedLoops) throw Outside{"loops nested more than 6 deep"};
  if (!statement.orelse.empty()) throw Outside{"a while loop with else"};
  const Expr& test = *statement.value;
  const bool forever = test.kind == ExprKind::constant && test.text == "True";
  if (!forever) {
    if (condition(test).is_false()) return Flow::next;
    const bool entered = is_entered(test);
    if (entered)
      builder_.assume("the loop at " + builder_.where().str() + " runs at least once: its first test '" +
                      std::string(test.text) + "' is computed from constants and sizes alone");
    loop(statement.body, nullptr, {}, &test, entered ? 1 : 0);
    return Flow::next;
  }
  for (std::size_t i = 0; i < statement.body.size(); ++i) {
    const Stmt& exit = *statement.body[i];
    if (exit.kind != StmtKind::if_ || !only_breaks(exit.body) || !exit.orelse.empty()) continue;
    loop(statement.body.first(i), &exit, statement.body.subspan(i + 1), nullptr, 0);
    return Flow::next;
  }
  throw Outside{"an endless loop"};
}

/// n >= least times { body; the test that may leave; rest }, then, where the test stands inside, body and
/// test once more.
void Evaluator::loop(std::span<const Stmt* const> body, const Stmt* exit, std::span<const Stmt* const> rest,
                     const Expr* test, std::int64_t least) {
  struct Inside {
    Evaluator& evaluator;
    const bool outer;
    ~Inside() {
      evaluator.in_branch_ = outer;
      --evaluator.loops_;
    }
  } const inside{*this, in_branch_};
  ++loops_;
  in_branch_ = true;
  const SourceLocation place = builder_.where();
  const auto once = [&](std::span<const Stmt* const> part) {
    if (execute(part) != Flow::next) throw Outside{"a loop that is left in its middle"};
  };
  const auto iteration = [&] {
    once(body);
    if (exit) condition(*exit->value);
    once(rest);
    if (test) condition(*test);
  };
  const Variables before = copy(frame().variables);
  const State state = state_;
  Variables changed;
  struct Undo {
    Evaluator& evaluator;
    const Variables& before;
    const State& state;
    ~Undo() {
      evaluator.frame().variables = copy(before);
      evaluator.state_ = state;
    }
  };
  {
    const Undo undo{*this, before, state};
    builder_.trial([&] {
      iteration();
      changed = std::move(frame().variables);
    });
  }
  builder_.at(place);
  std::vector<std::string_view> carried;
  for (std::string_view name : sorted_names(before, before)) {
    const Variable& old = before.at(name);
    const auto now = changed.find(name);
    if (old.deleted || old.borrowed || now == changed.end() || same(old.value, now->second.value)) continue;
    frame().variables[name].value = enter_loop(prefix() + std::string(name), old.value, now->second.value);
    carried.push_back(name);
  }
  const Variables at_entry = copy(frame().variables);
  Loop node;
  node.variable = builder_.fresh("iteration");
  node.count = builder_.fresh_symbol("iterations", least, std::nullopt);
  builder_.into(node.body, [&] {
    iteration();
    for (std::string_view name : carried) close_loop(at_entry.at(name).value, frame().variables[name].value);
    for (std::string_view name : sorted_names(frame().variables, at_entry))
      if (at_entry.count(name) == 0) end_of_life(frame().variables[name]);
  });
  for (std::string_view name : carried) frame().variables[name] = at_entry.at(name);
  builder_.step(std::move(node));
  if (exit) {
    once(body);
    condition(*exit->value);
  }
}

/// The name under which every iteration finds what the one before left.
Value Evaluator::enter_loop(const std::string& name, const Value& before, const Value& after) {
  if (before.is(Value::Kind::handle) && after.is(Value::Kind::handle)) {
    Value carried = Value::handle(builder_.bind(name, before.name, Bind::Kind::alias));
    builder_.step(Free{{before.name}});
    carried.owned = true;
    builder_.info(carried.name).storage = carried.name;
    return carried;
  }
  if (before.is(Value::Kind::list) && after.is(Value::Kind::list) &&
      before.items->size() == after.items->size()) {
    List items;
    for (std::size_t i = 0; i < before.items->size(); ++i) {
      const Value& old = (*before.items)[i];
      const Value& now = (*after.items)[i];
      items.push_back(same(old, now) ? old : enter_loop(name + "[" + std::to_string(i) + "]", old, now));
    }
    return Value::list(std::move(items));
  }
  if (before.is(Value::Kind::integer) && after.is(Value::Kind::integer))
    return Value::integer(builder_.fresh_symbol(name, kLowest, std::nullopt));
  return before;
}

void Evaluator::close_loop(const Value& carried, const Value& now) {
  if (carried.is(Value::Kind::handle) && now.is(Value::Kind::handle)) {
    if (carried.name != now.name) hand_over(carried.name, now.name);
  } else if (carried.is(Value::Kind::list) && now.is(Value::Kind::list) &&
             carried.items->size() == now.items->size()) {
    for (std::size_t i = 0; i < carried.items->size(); ++i) close_loop((*carried.items)[i], (*now.items)[i]);
  }
}

void Evaluator::for_(const Stmt& statement) {
  if (!only_asserts(statement.body)) throw Outside{"a for loop"};
  std::vector<std::string> handles;
  collect_handles(eval(*statement.value), handles);
  for (const std::string& handle : handles) read_on_host(handle, "assert");
}

}  // namespace bufferproof::model::wrapper
