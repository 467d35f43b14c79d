// Calls of extern kernels and of operators, by their schemas (rule E8).
#include <algorithm>

#include "model/read/aten/lowering.hpp"
#include "model/read/wrapper/evaluator.hpp"
#include "model/read/wrapper/operator_shapes.hpp"
#include "model/read/wrapper/view_shapes.hpp"

namespace bufferproof::model::wrapper {
namespace {

/// "torch.ops.aten.sum.dim_IntList"
struct OperatorPath {
  std::string space, op;
  std::optional<std::string> overload;
};

OperatorPath split_path(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = std::string("torch.ops.").size(); begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  if (parts.size() < 2 || parts.size() > 3) throw Outside{"the operator " + path};
  OperatorPath out{parts[0], parts[1], std::nullopt};
  if (parts.size() == 3) out.overload = parts[2];
  return out;
}

/// Options every factory function takes in Python, whatever its schema says.
bool is_tensor_option(std::string_view keyword) {
  return keyword == "dtype" || keyword == "device" || keyword == "layout" || keyword == "pin_memory" ||
         keyword == "requires_grad";
}

bool is_in_place(const OperatorSchema& schema) { return !schema.name.empty() && schema.name.back() == '_'; }

/// Stores to memory it is given for its results: `out`, or `values` and `indices`.
bool is_out_variant(const OperatorSchema& schema) {
  return schema.shipped && std::any_of(schema.arguments.begin(), schema.arguments.end(),
                                       [](const SchemaArgument& a) { return a.mutated && a.keyword_only; });
}

/// Functions of Inductor's table that have no aten schema.
bool is_inductors_own(std::string_view op) { return op == "_mm_plus_mm"; }

}  // namespace

const Value* Evaluator::Bound::of_alias(const std::string& alias) const {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!alias.empty() && schema->arguments[i].alias == alias) return &values[i];
  return nullptr;
}

std::optional<Layout> Evaluator::result_hint(const std::string& wanted) {
  return layout_of(hint_for(wanted));
}

std::string Evaluator::new_result(const std::string& wanted, std::optional<Layout> layout,
                                  std::optional<DType> dtype) {
  return temporary(builder_.alloc(named(wanted, "result"), std::move(layout), dtype));
}

/// extern_kernels.NAME: Inductor's own table of library calls. They read their arguments and write `out`, or
/// return a new tensor.
Value Evaluator::extern_kernel(const std::string& name, const Expr& call, const std::string& wanted) {
  const std::string op = name == "bias_addmm" ? "addmm" : name;
  const Expr* out = keyword(call, "out");
  std::vector<Value> values = arguments(call);
  const OperatorSchema* const schema = find_schema("aten::" + op, "default", 0, call);
  if (!out && schema)
    return operator_call("torch.ops.aten." + op + ".default", call, wanted, std::move(values));
  std::vector<std::string> inputs;
  for (const Value& value : values) collect_handles(value, inputs);
  const bool known = schema || schemas_.find("aten::" + op, std::nullopt, 0, {}) || is_inductors_own(op);
  if (!known) {  // E8
    for (const Expr* argument : call.items.subspan(1))
      if (argument->kind == ExprKind::keyword) collect_handles(eval(*argument->items[0]), inputs);
    return opaque("extern_kernels." + name, inputs, wanted, !out && wanted != kDiscard);
  }
  std::map<std::string, Value> keywords;
  for (const Expr* argument : call.items.subspan(1)) {
    if (argument->kind != ExprKind::keyword || argument->text == "out") continue;
    const Value& value = keywords[std::string(argument->text)] = eval(*argument->items[0]);
    collect_handles(value, inputs);
  }
  const std::string target =
      out ? handle_of(eval(*out)) : new_result(wanted, result_hint(wanted), std::nullopt);
  if (target.empty()) throw Outside{"an extern kernel whose out is no tensor"};
  std::vector<Clause> clauses;
  for (const std::string& input : inputs) clauses.push_back(whole(Clause::Kind::read, input));
  clauses.push_back(whole(Clause::Kind::write, target));
  if (out) {
    const std::vector<ResultShape> results = infer_results(op, extern_operands(op, values, keywords));
    store_as_computed(results, clauses.back());
    // C7: PyTorch refuses an `out` of another element type, unless it is asked for.
    if (results.size() == 1 && !keywords.contains("out_dtype"))
      clauses.back().compiled_for = results[0].dtype;
    for (Clause& clause : clauses) clause.within = Within::unordered;
    if (!values.empty() && handle_of(values[0]) == clauses[0].buffer.str())
      clauses[0].within = load_order(op, 0);
  }
  issue("extern_kernels." + name, std::move(clauses), {target}, false,
        library_call("aten." + op, values, keywords, target));
  return Value::handle(target);
}

/// Operands by the names of the operator's own schema, which has no `out`.
std::vector<Operand> Evaluator::extern_operands(const std::string& op, const std::vector<Value>& positional,
                                                const std::map<std::string, Value>& keywords) {
  const auto schema = schemas_.find("aten::" + op, "default", positional.size(), {});
  std::vector<Operand> out;
  for (std::size_t i = 0; schema && i < positional.size() && i < schema->arguments.size(); ++i)
    out.push_back(operand(schema->arguments[i].name, positional[i]));
  for (const auto& [name, value] : keywords) out.push_back(operand(name, value));
  return out;
}

const OperatorSchema* Evaluator::find_schema(const std::string& name,
                                             const std::optional<std::string>& overload,
                                             std::size_t positional, const Expr& call) {
  std::string key = name + "." + overload.value_or("?") + " " + std::to_string(positional);
  std::vector<std::string_view> keywords;
  for (const Expr* argument : call.items.subspan(1)) {
    if (argument->kind != ExprKind::keyword || is_tensor_option(argument->text)) continue;
    keywords.push_back(argument->text);
    key += " " + std::string(argument->text);
  }
  const auto [place, is_new] = found_schemas_.try_emplace(std::move(key));
  if (is_new) {
    std::optional<std::string_view> wanted;
    if (overload) wanted = *overload;
    place->second = schemas_.find(name, wanted, positional, keywords);
  }
  return place->second ? &*place->second : nullptr;
}

Value Evaluator::operator_call(const std::string& path, const Expr& call, const std::string& wanted,
                               std::vector<Value> positional) {
  const OperatorPath parts = split_path(path);
  const std::string name = parts.space + "::" + parts.op;
  if (parts.space == "npu_stream")
    if (auto done = npu_stream_operator(parts.op, call)) return *done;
  if (auto done = special_operator(name, parts.overload.value_or(""), call, positional, wanted)) return *done;
  if (const OperatorSchema* schema = find_schema(name, parts.overload, positional.size(), call))
    return operator_call(path, *schema, call, std::move(positional), wanted);
  std::vector<std::string> handles;
  for (const Value& value : positional) collect_handles(value, handles);
  for (const Expr* argument : call.items.subspan(1))
    if (argument->kind == ExprKind::keyword) collect_handles(eval(*argument->items[0]), handles);
  return opaque(path, handles, wanted, wanted != kDiscard);
}

/// Operators whose meaning is not in their schema.
std::optional<Value> Evaluator::special_operator(const std::string& name, const std::string& overload,
                                                 const Expr& call,
                                                 const std::vector<Value>& positional_values,
                                                 const std::string& wanted) {
  const std::string first = positional_values.empty() ? std::string{} : handle_of(positional_values[0]);
  if (name == "aten::view" && overload == "dtype" && positional(call, 1))
    return view_dtype(first, *positional(call, 1), wanted);
  if (name.starts_with("streams::")) return torch_stream_operator(name.substr(9), positional_values);
  if (name == "aten::as_strided") return reinterpret(call, wanted, true);
  if (name == "aten::item" || name == "aten::_local_scalar_dense") return item(first, wanted);
  if (name == "aten::sym_size" && positional(call, 1))
    return element(Value::of(Value::Kind::sizes, first), *positional(call, 1), wanted);
  if (name == "_c10d_functional::wait_tensor") {
    wait_tensor(first);
    return positional_values.at(0);
  }
  if (name.find("aten::_assert") == 0 || name.find("aten::_functional_assert") == 0) {
    if (!first.empty()) read_on_host(first, "assert");
    return Value{};
  }
  if (name == "aten::empty" || name == "aten::empty_strided") return allocate(name.substr(6), call, wanted);
  if (name == "aten::empty_like" || name == "aten::new_empty" || name == "aten::new_empty_strided" ||
      name == "aten::empty_permuted") {
    const HandleInfo* like = builder_.find(first);
    return Value::handle(new_result(wanted, result_hint(wanted), like ? like->dtype : std::nullopt));
  }
  if (name == "aten::set_" && positional_values.size() == 2) {
    const std::string target = handle_of(positional_values[1]);
    if (!first.empty() && !target.empty()) {  // rule S3
      builder_.step(Point{first, target});
      if (const HandleInfo* known = builder_.find(target)) builder_.info(first) = HandleInfo(*known);
      return positional_values[0];
    }
  }
  if (name == "aten::set_" || name == "aten::resize_" || name == "inductor::resize_storage_bytes_")
    throw Outside{"the operator " + name + ", which changes a tensor's storage"};
  return std::nullopt;
}

Evaluator::Bound Evaluator::bind_arguments(const OperatorSchema& schema, const Expr& call,
                                           std::vector<Value> positional) {
  Bound bound;
  bound.schema = &schema;
  bound.values.resize(schema.arguments.size());
  if (positional.size() > schema.arguments.size())
    throw Outside{"a call of " + schema.name + " with more arguments than its schema has"};
  std::move(positional.begin(), positional.end(), bound.values.begin());
  for (const Expr* argument : call.items.subspan(1)) {
    if (argument->kind != ExprKind::keyword) continue;
    const auto found = std::find_if(schema.arguments.begin(), schema.arguments.end(),
                                    [&](const SchemaArgument& a) { return a.name == argument->text; });
    if (found == schema.arguments.end() && is_tensor_option(argument->text)) continue;
    if (found == schema.arguments.end())
      throw Outside{"a call of " + schema.name +
                    " with an argument its schema does not have: " + std::string(argument->text)};
    bound.values[static_cast<std::size_t>(found - schema.arguments.begin())] = eval(*argument->items[0]);
  }
  return bound;
}

/// Reads come before writes. What a mutated argument's earlier contents mean: an `out` is not read, `op_`
/// reads what it changes, and of a custom operator's argument what nobody wrote yet is taken for an output.
void Evaluator::add_clauses(const SchemaArgument& argument, const std::string& handle,
                            const OperatorSchema& schema, std::vector<Clause>& reads,
                            std::vector<Clause>& writes) {
  bool read = !argument.mutated;
  if (argument.mutated && !argument.fresh && !argument.keyword_only)
    read = is_in_place(schema) || schema.shipped || argument.part || builder_.was_written(handle);
  if (argument.mutated && !schema.shipped && !is_in_place(schema) && !argument.fresh && !argument.part)
    builder_.assume(schema.name + " stores to all of its argument '" + argument.name + "'");
  if (read) reads.push_back(whole(Clause::Kind::read, handle));
  if (argument.mutated)
    writes.push_back(whole(argument.part ? Clause::Kind::modify : Clause::Kind::write, handle));
}

std::vector<Operand> Evaluator::operands_of(const Bound& bound) {
  std::vector<Operand> out;
  for (std::size_t i = 0; i < bound.values.size(); ++i)
    out.push_back(operand(bound.schema->arguments[i].name, bound.values[i]));
  return out;
}

std::string Evaluator::operator_name(const OperatorSchema& schema) {
  return schema.name.substr(schema.name.find("::") + 2);
}

/// C4: how a function with `out` loads its operand number `at` beside its stores. What a function can do in
/// place, it can do with `out`; `addmm` loads what it adds to with the element it ends in.
Within Evaluator::load_order(const std::string& op, std::size_t at) {
  if (aten::Lowering::is_pointwise(op)) return Within::in_place;
  if (at == 0 && schemas_.find("aten::" + op + "_", std::nullopt, 0, {})) return Within::in_place;
  return aten::Lowering::known("aten." + op) || is_inductors_own(op) ? Within::unordered : Within::unclear;
}

/// E2: an `out` of another size than the result is stored to from where it begins, as the result lies:
/// PyTorch resizes it in place. Only where the sizes are known to differ.
void Evaluator::store_as_computed(const std::vector<ResultShape>& shapes, Clause& write) {
  const HandleInfo* out = builder_.find(write.buffer.str());
  if (shapes.size() != 1 || !shapes[0].layout || !out || !out->layout) return;
  const std::vector<SymExpr>& given = out->layout->sizes;
  const std::vector<SymExpr>& due = shapes[0].layout->sizes;
  bool differ = given.size() != due.size();
  for (std::size_t i = 0; !differ && i < due.size(); ++i) {
    const auto gap = (given[i] - due[i]).constant();
    differ = gap && *gap != 0;
  }
  if (differ) write.as_layout = shapes[0].layout;
}

Value Evaluator::operator_call(const std::string& path, const OperatorSchema& schema, const Expr& call,
                               std::vector<Value> positional, const std::string& wanted) {
  const Bound bound = bind_arguments(schema, call, std::move(positional));
  std::vector<Clause> clauses, writes;
  std::vector<Name> outputs;
  const bool apart = is_out_variant(schema);
  for (std::size_t i = 0; i < bound.values.size(); ++i) {
    std::vector<std::string> handles;
    if (!schema.arguments[i].tensor) continue;
    if (const std::string undefined = handle_of(bound.values[i]); !undefined.empty())
      handles.push_back(undefined);
    else
      collect_handles(bound.values[i], handles);
    for (const std::string& handle : handles) {
      const std::size_t read = clauses.size();
      add_clauses(schema.arguments[i], handle, schema, clauses, writes);
      if (apart && clauses.size() > read) clauses[read].within = load_order(operator_name(schema), i);
      if (schema.arguments[i].mutated && !schema.arguments[i].part) outputs.emplace_back(handle);
    }
  }
  const bool has_out = std::any_of(schema.arguments.begin(), schema.arguments.end(),
                                   [](const SchemaArgument& a) { return a.mutated && a.name == "out"; });
  if (has_out && writes.size() == 1)
    store_as_computed(infer_results(operator_name(schema), operands_of(bound)), writes[0]);
  for (Clause& write : writes)
    if (apart) write.within = Within::unordered;
  std::vector<std::string> made;
  Value result = result_value(schema, bound, wanted, made);
  for (const std::string& handle : made) {
    writes.push_back(whole(Clause::Kind::write, handle));
    outputs.emplace_back(handle);
  }
  const bool works = !made.empty() || !writes.empty() || schema.results.empty();
  if (!works) return result;  // only views: no kernel runs
  clauses.insert(clauses.end(), writes.begin(), writes.end());
  issue(path, std::move(clauses), std::move(outputs), schema.name.find("_c10d_functional::") == 0,
        library_call(schema, bound, result, made));
  return result;
}

Operand Evaluator::operand(const std::string& name, const Value& value) {
  Operand out;
  out.name = name;
  if (value.is(Value::Kind::integer)) out.integers = {value.number};
  if (value.is(Value::Kind::truth) && (value.truth.is_true() || value.truth.is_false()))
    out.truth = value.truth.is_true();
  if (value.is(Value::Kind::path)) out.dtype = parse_dtype(value.name);
  if (value.is(Value::Kind::handle)) {
    out.tensor = true;
    if (const HandleInfo* known = builder_.find(handle_of(value))) {
      out.layout = known->layout;
      out.dtype = known->dtype;
    }
  }
  if (value.is(Value::Kind::list)) {
    std::vector<SymExpr> numbers;
    for (const Value& item : *value.items) {
      if (item.is(Value::Kind::integer)) numbers.push_back(item.number);
      out.items.push_back(operand("", item));
    }
    if (numbers.size() == value.items->size()) out.integers = std::move(numbers);
  }
  return out;
}

Value Evaluator::result_value(const OperatorSchema& schema, const Bound& bound, const std::string& wanted,
                              std::vector<std::string>& made) {
  if (schema.results.empty()) return Value{};
  const std::vector<Operand> operands = operands_of(bound);
  const std::string op = operator_name(schema);
  std::vector<ResultShape> shapes = infer_results(op, operands);
  shapes.resize(schema.results.size());
  const OperatorCall view{op, operands};
  if (schema.results.size() == 1) return one_result(schema.results[0], shapes[0], bound, view, wanted, made);
  List results;
  for (std::size_t i = 0; i < schema.results.size(); ++i)
    results.push_back(one_result(schema.results[i], shapes[i], bound, view,
                                 named(wanted, "result") + "[" + std::to_string(i) + "]", made));
  return Value::list(std::move(results));
}

Value Evaluator::one_result(const SchemaResult& result, const ResultShape& shape, const Bound& bound,
                            const OperatorCall& called, const std::string& wanted,
                            std::vector<std::string>& made) {
  if (!result.tensor)
    return Value::integer(builder_.fresh_symbol(named(wanted, "number"), INT32_MIN, std::nullopt));
  const Value* argument = bound.of_alias(result.alias);
  if (result.mutated && argument) return *argument;
  if (result.list) {
    List items;
    const std::string_view local = wanted.size() > prefix().size()
                                       ? std::string_view(wanted).substr(prefix().size())
                                       : std::string_view{};
    const int count = frame().hints ? frame().hints->tuple_size(local) : 0;
    SchemaResult single = result;
    single.list = false;
    for (int i = 0; i < count; ++i)
      items.push_back(one_result(single, {}, bound, {called.op, called.operands, i},
                                 wanted + "[" + std::to_string(i) + "]", made));
    return Value::list(std::move(items));
  }
  if (argument && argument->is(Value::Kind::handle)) {
    const std::string base = handle_of(*argument);
    auto layout = view_layout(called.op, called.operands, called.item);
    if (!layout && begins_with_operand(called.op)) layout = result_hint(wanted);
    return Value::handle(temporary(builder_.view(named(wanted, base + ".view"), base, layout, std::nullopt)));
  }
  made.push_back(new_result(wanted, layout_of_result(result_hint(wanted), shape), shape.dtype));
  return Value::handle(made.back());
}

/// A collective runs on a stream of its own, after what was issued and until somebody waits for it.
void Evaluator::issue(const std::string& kernel, std::vector<Clause> clauses, std::vector<Name> outputs,
                      bool collective, std::shared_ptr<const LibraryCall> call) {
  note_outputs(outputs);
  if (!collective)
    return builder_.launch(kernel, std::move(clauses), std::move(outputs), state_.current_stream,
                           std::move(call));
  const std::string begin = builder_.fresh("collective_begin"), done = builder_.fresh("collective_done");
  const std::string stream = "collectives";
  state_.streams.insert(stream);
  builder_.step(Signal{begin, state_.current_stream});
  builder_.step(Wait{begin, stream});
  for (const Name& output : outputs) state_.in_flight[builder_.storage_of(output.str())] = done;
  builder_.launch(kernel, std::move(clauses), std::move(outputs), stream);
  builder_.step(Signal{done, stream});
}

}  // namespace bufferproof::model::wrapper
