// Follows the statements of a wrapper with what each name holds, and emits the Program's steps.
//
// One class, its methods grouped by file: evaluator.cpp (module level, frames), statements.cpp, bindings.cpp
// (names and lists that own handles), control_flow.cpp, expressions.cpp, integers.cpp, calls.cpp, tensors.cpp
// (allocation, views, methods), launches.cpp (kernels), extern_calls.cpp (operators by schema),
// library_calls.cpp (what they are called with), streams.cpp. Private to this folder. Tested through
// tests/model/read_wrapper_test.cpp.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "model/library_call.hpp"
#include "model/read/wrapper/hints.hpp"
#include "model/read/wrapper/operator_shapes.hpp"
#include "model/read/wrapper/program_builder.hpp"
#include "model/read/wrapper/schema.hpp"
#include "model/read/wrapper/value.hpp"

namespace bufferproof::model::wrapper {

using python::Expr;
using python::ExprKind;
using python::Stmt;
using python::StmtKind;

/// A statement that is not understood; becomes an Unsupported step.
struct Outside {
  std::string what;
};

class Evaluator {
 public:
  Evaluator(const python::Module& module, const SchemaTable& schemas, ProgramBuilder& builder);
  /// Raises InputError if the module has no entry point.
  void run();

 private:
  /// The wanted name of a value that nobody takes.
  static constexpr const char* kDiscard = "!";
  static constexpr std::size_t kMostFrames = 64;
  static constexpr int kMostCalls = 20'000;   ///< inlined; functions that call others twice multiply
  static constexpr int kMostNestedLoops = 6;  ///< each loop is followed twice, so nesting doubles the work

  struct Variable {
    Value value;
    bool deleted = false;
    bool borrowed = false;  ///< a parameter: the caller owns what it holds
    bool partial = false;   ///< bound on one of the ways that met only: what it is afterwards is not followed
  };
  using Variables = std::unordered_map<std::string_view, Variable>;
  struct Frame {
    Variables variables;
    std::string prefix;  ///< of names made here: "", "partition_0."
    const FunctionHints* hints = nullptr;
    bool top = false;
    Value result;
  };
  enum class Flow : std::uint8_t { next, returned, broke };

  // evaluator.cpp
  void define(const Stmt& statement);
  void define_assignment(const Stmt& statement);
  void define_class(const Stmt& statement);
  void add_kernel(KernelDef kernel);
  const FunctionHints& hints_of(const Stmt& function);
  void run_entry(const Stmt& entry);
  Value inline_call(const Stmt& function, std::vector<Value> arguments);
  Value input_value(std::string_view name, std::size_t position);
  std::optional<Layout> input_layout(std::string_view name, const ExampleInput* example);
  Layout layout_of_example(std::string_view name, const ExampleInput& example);

  // statements.cpp
  Flow execute(std::span<const Stmt* const> body);
  Flow execute(const Stmt& statement);
  Flow dispatch(const Stmt& statement);
  void assign(const Stmt& statement);
  void expression_statement(const Expr& value);
  void del(const Stmt& statement);
  Flow with(const Stmt& statement);
  void return_(const Stmt& statement);
  void emit_return();
  void assert_(const Stmt& statement);
  void import_names(const Stmt& statement, Variables& into);
  void outside(const Stmt& statement, const std::string& what);
  void refine(const Expr& condition);

  // bindings.cpp
  Variable* find_variable(std::string_view name);
  Value lookup(std::string_view name);
  std::string wanted(const Expr& target) const;
  void store(const Expr& target, const Value& value, Bind::Kind how);
  void store_name(std::string_view name, const Value& value, Bind::Kind how);
  void store_element(const Expr& target, const Value& value);
  void unpack(const Expr& target, const Value& value);
  Value own(const std::string& wanted, const Value& value, Bind::Kind how);
  std::string own_handle(const std::string& wanted, const std::string& handle, Bind::Kind how);
  void release(const Value& value, std::vector<std::string>& freed);
  void end_statement();
  std::string temporary(std::string handle);
  static std::string named(const std::string& wanted, const std::string& otherwise);
  std::string handle_of(const Value& value);
  static bool is_buffer_name(std::string_view name);
  void collect_handles(const Value& value, std::vector<std::string>& into);
  bool is_released_next(std::string_view name) const;
  void rename_before_view(const Expr& value, std::string_view target);
  bool is_reuse(const Value& value);

  // control_flow.cpp
  Flow if_(const Stmt& statement);
  Flow branch(const Cond& condition, const Stmt& statement);
  Flow while_(const Stmt& statement);
  bool is_entered(const Expr& test);
  bool precedes_entered_loop(const Expr& test);
  void loop(std::span<const Stmt* const> body, const Stmt* exit, std::span<const Stmt* const> rest,
            const Expr* condition, std::int64_t least);
  void for_(const Stmt& statement);
  static Variables copy(const Variables& from);
  void merge(Variables& then_variables, Variables& else_variables, Block& then_block, Block& else_block);
  void end_of_life(Variable& variable);
  void hand_over(const std::string& name, const std::string& from);
  Value merge(const std::string& name, const Value& a, const Value& b, Block& then_block, Block& else_block);
  Value enter_loop(const std::string& name, const Value& before, const Value& after);
  void close_loop(const Value& carried, const Value& now);

  // expressions.cpp
  Value eval(const Expr& expr, const std::string& wanted = "");
  std::string real_text(const Expr& expr);
  Value eval_list(const Expr& expr);
  Value attribute(const Expr& expr);
  Value subscript(const Expr& expr, const std::string& wanted);
  Value element(const Value& base, const Expr& index, const std::string& wanted);
  Value axis(const Value& sizes, std::int64_t at, const std::string& wanted);
  std::size_t in_range(std::int64_t at, std::size_t size) const;
  Value conditional(const Expr& expr, const std::string& wanted);
  std::string path_of(const Expr& expr);

  // integers.cpp
  SymExpr integer(const Expr& expr);
  void assume_size(const std::string& name);
  SymExpr integer(const Value& value, const Expr& expr);
  SymExpr arithmetic(const Expr& expr);
  std::optional<SymExpr> integer_call(std::string_view function, const Expr& call);
  Cond condition(const Expr& expr);
  Cond comparison(const Expr& expr);
  Cond truth_of(const Value& value, const std::string& what);
  std::vector<SymExpr> integers(const Expr& sequence);
  std::optional<Layout> layout(const Expr* sizes, const Expr* strides);
  std::optional<Layout> layout_of(const std::optional<LayoutText>& text);

  // calls.cpp
  Value call(const Expr& call, const std::string& wanted);
  Value call_path(const std::string& path, const Expr& call, const std::string& wanted);
  bool is_without_effect(const std::string& path) const;
  std::vector<Value> arguments(const Expr& call);
  static const Expr* positional(const Expr& call, std::size_t index);
  static const Expr* keyword(const Expr& call, std::string_view name);
  /// The keyword argument, else the positional one; null if neither is there.
  static const Expr* argument(const Expr& call, std::size_t index, std::string_view name);

  // tensors.cpp
  std::optional<Value> tensor_call(std::string_view function, const Expr& call, const std::string& wanted);
  Value allocate(std::string_view function, const Expr& call, const std::string& wanted);
  Value reinterpret(const Expr& call, const std::string& wanted, bool absolute);
  Value pool_slice(const Expr& call, const std::string& wanted);
  Value view_dtype(const std::string& base, const Expr& dtype, const std::string& wanted);
  void assert_layout(std::string_view function, const Expr& call);
  void one_assert_layout(const Expr& tensor, const Expr& sizes, const Expr& strides,
                         std::optional<DType> dtype);
  Value method(const std::string& handle, std::string_view name, const Expr& call, const std::string& wanted);
  Value item(const std::string& handle, const std::string& wanted);
  std::string transposed(const std::string& handle, const std::string& wanted);
  std::optional<LayoutText> hint_for(const std::string& wanted) const;

  // launches.cpp
  Value launch(int index, const Expr& call, const std::string& wanted, bool returns);
  Argument launch_argument(const Value& value, const Parameter* parameter);
  std::vector<Name> outputs_of(const KernelDef& kernel, const std::vector<Argument>& arguments);
  Value opaque(const std::string& name, const std::vector<std::string>& handles, const std::string& wanted,
               bool returns);
  const Expr& unwrapped(const Expr& expr);
  Name launch_stream(const Expr& call);
  bool reads_constants(const KernelDef& kernel, const Launch& launch) const;
  std::set<std::string> constant_outputs(const KernelDef& kernel, const Launch& launch) const;

  // extern_calls.cpp
  /// The arguments of a call in the schema's order; `none` where the call gives nothing.
  struct Bound {
    std::vector<Value> values;
    const OperatorSchema* schema = nullptr;

    /// The tensor (or list) of an alias set.
    const Value* of_alias(const std::string& alias) const;
  };
  Value extern_kernel(const std::string& name, const Expr& call, const std::string& wanted);
  Value operator_call(const std::string& path, const Expr& call, const std::string& wanted,
                      std::vector<Value> positional);
  Value operator_call(const std::string& path, const OperatorSchema& schema, const Expr& call,
                      std::vector<Value> positional, const std::string& wanted);
  std::optional<Value> special_operator(const std::string& name, const std::string& overload,
                                        const Expr& call, const std::vector<Value>& positional,
                                        const std::string& wanted);
  const OperatorSchema* find_schema(const std::string& name, const std::optional<std::string>& overload,
                                    std::size_t positional, const Expr& call);
  Bound bind_arguments(const OperatorSchema& schema, const Expr& call, std::vector<Value> positional);
  void add_clauses(const SchemaArgument& argument, const std::string& handle, const OperatorSchema& schema,
                   std::vector<Clause>& reads, std::vector<Clause>& writes);
  Operand operand(const std::string& name, const Value& value);
  std::vector<Operand> operands_of(const Bound& bound);
  static std::string operator_name(const OperatorSchema& schema);
  std::vector<Operand> extern_operands(const std::string& op, const std::vector<Value>& positional,
                                       const std::map<std::string, Value>& keywords);
  Within load_order(const std::string& op, std::size_t at);
  void store_as_computed(const std::vector<ResultShape>& shapes, Clause& write);
  Value result_value(const OperatorSchema& schema, const Bound& bound, const std::string& wanted,
                     std::vector<std::string>& made);
  struct OperatorCall {
    const std::string& op;  ///< without namespace and overload
    const std::vector<Operand>& operands;
    std::int64_t item = 0;  ///< of a list of results
  };
  Value one_result(const SchemaResult& result, const ResultShape& shape, const Bound& bound,
                   const OperatorCall& called, const std::string& wanted, std::vector<std::string>& made);
  std::string new_result(const std::string& wanted, std::optional<Layout> layout, std::optional<DType> dtype);
  std::optional<Layout> result_hint(const std::string& wanted);
  void issue(const std::string& kernel, std::vector<Clause> clauses, std::vector<Name> outputs,
             bool collective, std::shared_ptr<const LibraryCall> call);

  // library_calls.cpp
  CallOperand call_operand(const Value& value, bool tensor);
  std::shared_ptr<const LibraryCall> library_call(const OperatorSchema& schema, const Bound& bound,
                                                  const Value& result, const std::vector<std::string>& made);
  std::shared_ptr<const LibraryCall> library_call(const std::string& op, const std::vector<Value>& positional,
                                                  const std::map<std::string, Value>& keywords,
                                                  const std::string& out);
  void note_outputs(const std::vector<Name>& outputs, const std::set<std::string>& constant = {});

  // streams.cpp
  std::optional<Value> stream_call(const std::string& path, const Expr& call, const std::string& wanted);
  Value new_stream(const std::string& wanted);
  Value stream_method(const Value& stream, std::string_view name, const Expr& call,
                      const std::string& wanted);
  Value event_method(const Value& event, std::string_view name, const Expr& call);
  void synchronize_device();
  void wait_stream(const std::string& waiting, const std::string& awaited);
  static std::string external_object(const Value& index);
  std::optional<Value> torch_stream_operator(const std::string& op, const std::vector<Value>& operands);
  std::optional<Value> npu_stream_operator(const std::string& op, const Expr& call);
  std::optional<std::string> stream_of(const Value& value);
  void wait_tensor(const std::string& handle);
  void read_on_host(const std::string& handle, const std::string& what);

  Frame& frame() { return frames_.back(); }
  const std::string& prefix() const { return frames_.back().prefix; }

  const python::Module& module_;
  const SchemaTable& schemas_;
  ProgramBuilder& builder_;

  Variables globals_;
  std::unordered_map<std::string_view, int> kernels_;
  std::vector<std::shared_ptr<const std::string>> kernel_names_;  ///< what the keys above point into
  std::vector<Value> partitions_;
  const Stmt* entry_ = nullptr;
  const Expr* docstring_ = nullptr;
  std::vector<ExampleInput> examples_;
  std::vector<std::string> inputs_of_example_size_;  ///< see layout_of_example
  std::unordered_map<const Stmt*, FunctionHints> hints_;
  std::unordered_map<std::string, std::optional<OperatorSchema>>
      found_schemas_;  ///< by operator and form of the call

  std::vector<Frame> frames_;
  std::span<const Stmt* const> following_;  ///< statements after the one being followed, in its block
  std::vector<std::string> temporaries_;    ///< handles this statement made and nobody owns yet
  std::vector<std::string> temporaries_after_return_;   ///< those of an inlined function's return statement
  std::unordered_map<std::string, std::string> moved_;  ///< temporaries that got an owner in this statement
  int loops_ = 0;
  int calls_ = 0;
  bool in_branch_ = false;
  bool ahead_ = false;  ///< a statement is looked at before those that bind the sizes in it

  /// What a trial run of a loop body must not leave behind.
  struct State {
    std::string current_stream = "default";
    std::set<std::string> streams = {"default"};  ///< that work may have been given
    std::unordered_map<std::string, std::string>
        in_flight;                                      ///< storage -> event of the collective that fills it
    std::map<std::string, std::string> mutated_inputs;  ///< input -> the caller's own handle of it
    std::unordered_map<std::string, std::string> constants;  ///< module-level None -> its handle
    std::unordered_set<std::string> freed;                   ///< names given up so far
  };
  State state_;
};

}  // namespace bufferproof::model::wrapper
