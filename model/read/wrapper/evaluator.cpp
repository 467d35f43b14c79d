// The module level: definitions, the entry point, inlined functions, inputs.
#include "model/read/wrapper/evaluator.hpp"

#include <algorithm>
#include <utility>

#include "model/read/python/parser.hpp"
#include "model/read/wrapper/kernel_defs.hpp"
#include "model/read/wrapper/wrapper.hpp"

namespace bufferproof::model::wrapper {

Evaluator::Evaluator(const python::Module& module, const SchemaTable& schemas, ProgramBuilder& builder)
    : module_(module), schemas_(schemas), builder_(builder) {}

void Evaluator::run() {
  frames_.emplace_back();  // for expressions at module level
  for (const Stmt* statement : module_.body) {
    builder_.at(statement->at);
    define(*statement);
  }
  frames_.clear();
  if (!entry_)
    throw InputError(module_.locate({1, 1}), "an entry point 'def call(args)' or 'class Runner' with it",
                     "none",
                     globals_.contains("CppWrapperCodeCache")
                         ? "this wrapper is written in C++; compile with TORCHINDUCTOR_CPP_WRAPPER=0 and "
                           "give what is emitted then"
                         : "is this a whole output_code.py?");
  examples_ = example_inputs(module_);
  run_entry(*entry_);
}

void Evaluator::define(const Stmt& statement) {
  const Expr* docstring = nullptr;
  switch (statement.kind) {
    case StmtKind::import:
    case StmtKind::from:
      import_names(statement, globals_);
      break;
    case StmtKind::assign:
      define_assignment(statement);
      break;
    case StmtKind::class_:
      define_class(statement);
      break;
    case StmtKind::def:
      if (auto kernel = kernel_of_function(statement, module_)) {
        add_kernel(std::move(*kernel));
      } else {
        if (statement.text == "call") entry_ = &statement;
        Value function = Value::of(Value::Kind::function, std::string(statement.text));
        function.function = &statement;
        globals_[statement.text].value = function;
      }
      break;
    case StmtKind::expr:
      if (statement.value->kind == ExprKind::string) docstring = statement.value;
      break;
    default:
      break;  // __main__ and the like: nothing there touches the tensors of `call`
  }
  docstring_ = docstring;
}

void Evaluator::define_class(const Stmt& statement) {
  for (const Stmt* member : statement.body)
    if (member->kind == StmtKind::def && member->text == "call") entry_ = member;
}

void Evaluator::define_assignment(const Stmt& statement) {
  const Expr& target = *statement.targets[0];
  const Expr& value = *statement.value;
  if (target.kind != ExprKind::name) return;
  if (auto kernel = kernel_of_call(target.text, value, docstring_, module_)) {
    const Expr* choices = value.items[0]->text == "multi_kernel" ? positional(value, 1) : nullptr;
    if (choices && choices->kind == ExprKind::list && !choices->items.empty()) {
      // One of several kernels with the same parameters, chosen at run time.
      const auto first = kernels_.find(choices->items[0]->text);
      if (first != kernels_.end()) {
        const std::string name = kernel->name;
        kernel = builder_.program().kernels[static_cast<std::size_t>(first->second)];
        kernel->name = name;
      }
    }
    return add_kernel(std::move(*kernel));
  }
  Variable& variable = globals_[target.text];
  if (value.kind == ExprKind::call && path_of(*value.items[0]) == "Runner") {
    if (const Expr* list = argument(value, 0, "partitions")) {
      const Value partitions = eval(*list);
      if (partitions.is(Value::Kind::list)) partitions_ = *partitions.items;
    }
    variable.value = Value::of(Value::Kind::unknown, "Runner");
  } else if (value.kind == ExprKind::constant && value.text == "None") {
    variable.value =
        Value::of(Value::Kind::none, std::string(target.text));  // a constant put in after loading
  } else if (value.kind == ExprKind::integer || value.kind == ExprKind::constant) {
    variable.value = eval(value);
  } else if (value.kind == ExprKind::name && kernels_.count(value.text)) {
    // A DVM kernel is built under another name.
    KernelDef copy = builder_.program().kernels[static_cast<std::size_t>(kernels_.at(value.text))];
    copy.name = target.text;
    add_kernel(std::move(copy));
  } else if (const std::string path = path_of(value); !path.empty()) {
    variable.value = Value::of(Value::Kind::path, path);
  } else {
    variable.value = Value::of(Value::Kind::unknown, std::string(target.text));
  }
}

void Evaluator::add_kernel(KernelDef kernel) {
  auto& kernels = builder_.program().kernels;
  Value value = Value::of(Value::Kind::kernel, kernel.name);
  value.index = static_cast<int>(kernels.size());
  kernels.push_back(std::move(kernel));
  // The key must outlive this call: kernel names stand in the module's text, but `kernels` may move.
  const auto name = std::make_shared<const std::string>(value.name);
  kernel_names_.push_back(name);
  kernels_[*name] = value.index;
  globals_[*name].value = value;
}

const FunctionHints& Evaluator::hints_of(const Stmt& function) {
  return hints_.try_emplace(&function, function.body).first->second;
}

void Evaluator::run_entry(const Stmt& entry) {
  Frame top;
  top.top = true;
  top.hints = &hints_of(entry);
  if (!entry.params.empty())
    top.variables[entry.params.back().name].value = Value::of(Value::Kind::inputs, "args");
  frames_.push_back(std::move(top));
  if (execute(entry.body) != Flow::returned)
    throw InputError(module_.locate(entry.at), "a 'return' at the end of call", "none",
                     "the file seems truncated");
  frames_.clear();
  std::string names;
  for (const std::string& name : inputs_of_example_size_) names += (names.empty() ? "" : ", ") + name;
  if (!names.empty())
    builder_.assume("input sizes that equal a dynamic size's example value are that size: " + names);
}

/// Follows the body of a function of the file as if it stood here; its names get a prefix.
Value Evaluator::inline_call(const Stmt& function, std::vector<Value> arguments) {
  if (frames_.size() >= kMostFrames)
    throw InputError(builder_.where(), "calls at most 64 deep", "a deeper one",
                     "does a function call itself?");
  if (++calls_ > kMostCalls)
    throw InputError(builder_.where(), "at most 20,000 calls of the file's own functions", "more");
  Frame inner;
  inner.prefix = builder_.fresh(std::string(function.text)) + ".";
  inner.hints = &hints_of(function);
  for (std::size_t i = 0; i < function.params.size() && i < arguments.size(); ++i) {
    Variable& parameter = inner.variables[function.params[i].name];
    parameter.value = std::move(arguments[i]);
    parameter.borrowed = true;
  }
  const SourceLocation call_site = builder_.where();
  frames_.push_back(std::move(inner));
  const std::span<const Stmt* const> following = following_;
  const bool in_branch = std::exchange(in_branch_, false);
  execute(function.body);
  following_ = following;
  in_branch_ = in_branch;
  std::vector<std::string> freed;
  std::vector<std::string_view> names;
  for (const auto& [name, variable] : frame().variables)
    if (!variable.borrowed && !variable.deleted) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (std::string_view name : names) release(frame().variables[name].value, freed);
  Value result = std::move(frame().result);
  frames_.pop_back();
  builder_.at(call_site);
  freed.insert(freed.end(), temporaries_after_return_.begin(), temporaries_after_return_.end());
  temporaries_after_return_.clear();
  for (std::string& handle : freed) temporary(std::move(handle));
  return result;
}

/// The value of the `position`th input, called `name` by the entry point.
Value Evaluator::input_value(std::string_view name, std::size_t position) {
  const ExampleInput* example = nullptr;
  for (const ExampleInput& candidate : examples_)
    if (candidate.name == name) example = &candidate;
  if (!example && position < examples_.size()) example = &examples_[position];
  const std::string_view symbol = frame().hints->symbol_of_input(name);
  const bool integer = example ? example->integer.has_value() : !symbol.empty();
  if (integer || (!symbol.empty() && !(example && example->sizes))) {
    const std::string_view called = symbol.empty() ? name : symbol;
    const SymExpr value = builder_.symbol(called);
    Symbol& known = *builder_.find_symbol(called);
    if (symbol.empty()) known.lo = 2;  // sizes of 0 and 1 are compiled as constants
    if (example && example->integer) {
      known.value = example->integer;
      known.lo = std::min(known.lo, *example->integer);
    }
    return Value::integer(value);
  }
  std::optional<Layout> layout = input_layout(name, example);
  std::optional<DType> dtype = example ? example->dtype : std::nullopt;
  if (const auto hint = frame().hints->layout(name); hint && hint->dtype) dtype = hint->dtype;
  return Value::handle(builder_.input(std::string(name), std::move(layout), dtype));
}

/// As asserted in the body, else as the example has it.
std::optional<Layout> Evaluator::input_layout(std::string_view name, const ExampleInput* example) {
  if (const auto hint = frame().hints->layout(name)) {
    auto asserted = layout_of(hint);
    if (asserted && example && example->sizes && example->sizes->size() == asserted->rank())
      for (std::size_t i = 0; i < asserted->rank(); ++i)
        if (const auto symbol = asserted->sizes[i].as_symbol())
          if (Symbol* known = builder_.find_symbol(*symbol)) known->value = (*example->sizes)[i];
    return asserted;
  }
  if (example && example->sizes) return layout_of_example(name, *example);
  return std::nullopt;
}

/// An example has numbers only: where a number is a symbol's value it is taken to be that symbol. Inductor
/// gives equal dynamic sizes one symbol, so what can be wrong is a constant that happens to be equal; that is
/// an assumption.
Layout Evaluator::layout_of_example(std::string_view name, const ExampleInput& example) {
  const auto symbolic = [&](std::int64_t value) -> SymExpr {
    for (const Symbol& symbol : builder_.program().symbols)
      if (symbol.value == value && value > 1) return SymExpr::symbol(symbol.name);
    return value;
  };
  std::vector<SymExpr> numbers(example.sizes->begin(), example.sizes->end());
  Layout plain{numbers, {example.strides.begin(), example.strides.end()}, 0};
  Layout out = plain;
  bool guessed = false;
  for (std::size_t i = 0; i < out.rank(); ++i) {
    if (const std::string_view symbol = frame().hints->symbol_of_size(name, i); !symbol.empty()) {
      out.sizes[i] = builder_.symbol(symbol);
      builder_.find_symbol(symbol)->value = (*example.sizes)[i];
    } else {
      out.sizes[i] = symbolic((*example.sizes)[i]);
      guessed |= !out.sizes[i].is_constant();
    }
  }
  if (plain.is_contiguous()) {
    out.strides = contiguous(out.sizes).strides;
  } else {
    for (SymExpr& stride : out.strides) stride = symbolic(*stride.constant());
  }
  if (guessed) inputs_of_example_size_.emplace_back(name);
  return out;
}

std::vector<Program> read_wrappers(std::string text, const std::string& file, const SchemaTable& schemas) {
  std::vector<Program> programs;
  for (python::SourceText& source : python::split_sources(std::move(text), file)) {
    const python::Module module = python::parse_module(std::move(source));
    Program program;
    program.dialect = Dialect::wrapper;
    program.file = file;
    ProgramBuilder builder(program, module);
    try {
      Evaluator(module, schemas, builder).run();
      builder.finish();
    } catch (const OverflowError& error) {
      throw InputError(builder.where(), "sizes and offsets of 64 bits", error.what());
    }
    programs.push_back(std::move(program));
  }
  if (programs.empty())
    throw InputError({std::make_shared<const std::string>(file), 0, 0}, "an output code in this log", "none");
  return programs;
}

bool looks_like_wrapper(std::string_view text) {
  const std::string_view head = text.substr(0, 1U << 16);
  for (std::string_view mark :
       {"async_compile", "torch._inductor", "output_code", "Output code:", "torch.ops", "def call("})
    if (head.find(mark) != std::string_view::npos) return true;
  return false;
}

}  // namespace bufferproof::model::wrapper
