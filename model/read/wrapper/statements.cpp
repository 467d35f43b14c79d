// Statements, one kind after another.
#include <algorithm>

#include "model/read/wrapper/evaluator.hpp"

namespace bufferproof::model::wrapper {
namespace {

/// Names a statement mentions, for what an unsupported one may touch.
void mentioned(const Expr* expr, std::vector<std::string_view>& into) {
  if (!expr) return;
  if (expr->kind == ExprKind::name) into.push_back(expr->text);
  for (const Expr* item : expr->items) mentioned(item, into);
}

void mentioned(const Stmt& statement, std::vector<std::string_view>& into) {
  for (const Expr* target : statement.targets) mentioned(target, into);
  mentioned(statement.value, into);
  mentioned(statement.extra, into);
  for (const Stmt* inner : statement.body) mentioned(*inner, into);
  for (const Stmt* inner : statement.orelse) mentioned(*inner, into);
}

void assigned(const Stmt& statement, std::vector<std::string_view>& into) {
  if (statement.kind == StmtKind::assign || statement.kind == StmtKind::annotated ||
      statement.kind == StmtKind::augmented)
    for (const Expr* target : statement.targets) mentioned(target, into);
  for (const Stmt* inner : statement.body) assigned(*inner, into);
  for (const Stmt* inner : statement.orelse) assigned(*inner, into);
}

}  // namespace

Evaluator::Flow Evaluator::execute(std::span<const Stmt* const> body) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    following_ = body.subspan(i + 1);
    const Flow flow = execute(*body[i]);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const Stmt& statement) {
  std::vector<std::string> outer;
  outer.swap(temporaries_);
  std::unordered_map<std::string, std::string> outer_moved;
  outer_moved.swap(moved_);
  builder_.at(statement.at);
  Flow flow = Flow::next;
  try {
    flow = dispatch(statement);
  } catch (const Outside& reason) {
    builder_.at(statement.at);
    outside(statement, reason.what);
    if (statement.kind == StmtKind::return_ && !in_branch_) flow = Flow::returned;
  }
  end_statement();
  outer.swap(temporaries_);
  outer_moved.swap(moved_);
  return flow;
}

Evaluator::Flow Evaluator::dispatch(const Stmt& statement) {
  switch (statement.kind) {
    case StmtKind::expr:
      expression_statement(*statement.value);
      break;
    case StmtKind::assign:
      assign(statement);
      break;
    case StmtKind::annotated:
      if (statement.value)
        store(*statement.targets[0], eval(*statement.value, wanted(*statement.targets[0])),
              Bind::Kind::alias);
      break;
    case StmtKind::augmented:
      throw Outside{"an augmented assignment"};
    case StmtKind::del:
      del(statement);
      break;
    case StmtKind::with:
      return with(statement);
    case StmtKind::if_:
      return if_(statement);
    case StmtKind::while_:
      return while_(statement);
    case StmtKind::for_:
      for_(statement);
      break;
    case StmtKind::return_:
      return_(statement);
      return Flow::returned;
    case StmtKind::break_:
      return Flow::broke;
    case StmtKind::assert_:
      assert_(statement);
      break;
    case StmtKind::import:
    case StmtKind::from:
      import_names(statement, frame().variables);
      break;
    case StmtKind::pass:
    case StmtKind::global:
      break;
    case StmtKind::def: {
      Value function = Value::of(Value::Kind::function, std::string(statement.text));
      function.function = &statement;
      frame().variables[statement.text].value = function;
      break;
    }
    default:
      throw Outside{"a statement of a kind that wrappers do not have"};
  }
  return Flow::next;
}

void Evaluator::assign(const Stmt& statement) {
  const Expr& value = *statement.value;
  const Expr& first = *statement.targets[0];
  // b = a; del a: the name changes, the tensor stays.
  const bool second_name = value.kind == ExprKind::name && first.kind == ExprKind::name &&
                           first.text != value.text && statement.targets.size() == 1;
  const bool rename = second_name && is_released_next(value.text);
  if (first.kind == ExprKind::name) rename_before_view(value, first.text);
  const Value result = eval(value, wanted(first));
  const Bind::Kind how = rename                            ? Bind::Kind::rename
                         : second_name && is_reuse(result) ? Bind::Kind::reuse
                                                           : Bind::Kind::alias;
  for (const Expr* target : statement.targets) store(*target, result, how);
  if (rename && result.is(Value::Kind::handle)) frame().variables[value.text].deleted = true;
}

void Evaluator::expression_statement(const Expr& value) {
  if (value.kind == ExprKind::string || value.kind == ExprKind::constant) return;
  if (value.kind != ExprKind::call) throw Outside{"the expression " + python::str(value, 60)};
  eval(value, kDiscard);
}

void Evaluator::del(const Stmt& statement) {
  std::vector<std::string> freed;
  for (const Expr* target : statement.targets) {
    if (target->kind != ExprKind::name) throw Outside{"the deletion of " + python::str(*target, 60)};
    const auto found = frame().variables.find(target->text);
    if (found == frame().variables.end()) {
      if (globals_.count(target->text) == 0)
        freed.emplace_back(target->text);  // never bound: the engines tell
      continue;
    }
    Variable& variable = found->second;
    if (variable.partial) throw Outside{"the deletion of a name that one branch only binds"};
    if (variable.deleted) {
      // Renamed away by `b = a; del a`, or deleted twice, which is a fault of the program.
      if (variable.value.is(Value::Kind::handle) && state_.freed.count(variable.value.name))
        freed.push_back(variable.value.name);
      state_.freed.insert(variable.value.name);
      continue;
    }
    release(variable.value, freed);
    variable.deleted = true;
  }
  state_.freed.insert(freed.begin(), freed.end());
  builder_.free(std::move(freed));
}

/// Device guards and profiler ranges have no effect; a stream context changes the current stream inside.
Evaluator::Flow Evaluator::with(const Stmt& statement) {
  const std::string before = state_.current_stream;
  for (const Expr* context : statement.targets) {
    const Value value = eval(*context);
    if (const auto stream = stream_of(value)) {
      state_.current_stream = *stream;
    } else if (!value.is(Value::Kind::unknown) && !value.is(Value::Kind::none) &&
               !value.is(Value::Kind::path)) {
      throw Outside{"the context " + python::str(*context, 60)};
    }
  }
  const Flow flow = execute(statement.body);
  state_.current_stream = before;
  return flow;
}

void Evaluator::return_(const Stmt& statement) {
  frame().result = statement.value ? eval(*statement.value) : Value{};
  if (!frame().top) {
    if (in_branch_) throw Outside{"a return inside a branch"};
    // What the expression made lives on in the caller's statement.
    temporaries_after_return_ = std::move(temporaries_);
    temporaries_.clear();
    return;
  }
  emit_return();
  temporaries_.clear();
}

void Evaluator::emit_return() {
  Return node;
  node.after_everything = false;
  node.stream = state_.current_stream;
  std::vector<std::string> handles;
  collect_handles(frame().result, handles);
  for (const auto& [input, callers] : state_.mutated_inputs) handles.push_back(callers);
  for (const std::string& handle : handles) {
    Return::Item item;
    item.name = handle;
    item.set.whole = true;
    item.from.kind = From::Kind::intended;
    node.items.push_back(std::move(item));
  }
  builder_.step(std::move(node));
}

/// Python asserts carry bounds of symbols; those over tensors (nan_asserts) only read.
void Evaluator::assert_(const Stmt& statement) {
  std::vector<std::string_view> names;
  mentioned(statement.value, names);
  std::vector<std::string> handles;
  for (std::string_view name : names) collect_handles(lookup(name), handles);
  if (handles.empty()) return refine(*statement.value);
  for (const std::string& handle : handles) read_on_host(handle, "assert");
}

/// A condition that holds from here on (an assert, `if not c: raise`) narrows the range of a symbol.
void Evaluator::refine(const Expr& condition) {
  if (condition.kind == ExprKind::boolean && condition.text == "and") {
    for (const Expr* part : condition.items) refine(*part);
    return;
  }
  if (condition.kind != ExprKind::compare) return;
  const auto side = [&](const Expr& expr) -> std::optional<SymExpr> {
    try {
      return integer(expr);
    } catch (const Outside&) {
      return std::nullopt;
    }
  };
  const auto left = side(*condition.items[0]), right = side(*condition.items[1]);
  if (!left || !right) return;
  const bool turned = left->is_constant();
  const auto name = (turned ? *right : *left).as_symbol();
  const auto bound = (turned ? *left : *right).constant();
  Symbol* symbol = name ? builder_.find_symbol(*name) : nullptr;
  if (!symbol || !bound) return;
  const std::string_view op = condition.text;
  const bool at_least = op == (turned ? "<=" : ">="), at_most = op == (turned ? ">=" : "<=");
  const bool more = op == (turned ? "<" : ">"), less = op == (turned ? ">" : "<");
  std::int64_t lo = symbol->lo, hi = symbol->hi.value_or(INT64_MAX);
  if (at_least || op == "==") lo = std::max(lo, *bound);
  if (at_most || op == "==") hi = std::min(hi, *bound);
  if (more && *bound < INT64_MAX) lo = std::max(lo, *bound + 1);
  if (less && *bound > INT64_MIN) hi = std::min(hi, *bound - 1);
  if (lo > hi) return;  // never true: the program raises there, which no proof needs
  symbol->lo = lo;
  if (hi != INT64_MAX) symbol->hi = hi;
}

void Evaluator::import_names(const Stmt& statement, Variables& into) {
  const std::string module = statement.kind == StmtKind::from ? std::string(statement.text) + "." : "";
  for (const python::ImportName& name : statement.names) {
    const std::string_view first = name.text.substr(0, name.text.find('.'));
    const bool whole = statement.kind == StmtKind::from || !name.alias.empty();
    const std::string_view bound = !name.alias.empty() ? name.alias : whole ? name.text : first;
    into[bound].value = Value::of(Value::Kind::path, module + std::string(whole ? name.text : first));
  }
}

/// All that the statement names is unknown afterwards.
void Evaluator::outside(const Stmt& statement, const std::string& what) {
  std::set<std::string> touched;
  std::vector<std::string_view> names;
  mentioned(statement, names);
  for (std::string_view name : names) {
    std::vector<std::string> handles;
    const Variable* variable = find_variable(name);
    if (variable && !variable->partial) collect_handles(variable->value, handles);
    touched.insert(handles.begin(), handles.end());
  }
  names.clear();
  assigned(statement, names);
  for (std::string_view name : names) {
    const Variable* variable = find_variable(name);
    if (variable && (!variable->value.is(Value::Kind::none) || !variable->value.name.empty()) &&
        !variable->deleted)
      continue;
    const std::string made = builder_.alloc(prefix() + std::string(name), std::nullopt, std::nullopt);
    Value value = Value::handle(made);
    value.owned = true;
    frame().variables[name] = Variable{.value = value};
    touched.insert(made);
  }
  builder_.unsupported(what, touched);
}

}  // namespace bufferproof::model::wrapper
