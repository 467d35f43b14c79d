// The verifier of TensorFunction: names, order of definition, operand counts, and types by the rules.
//
// Tested by tests/model/body_function_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "model/ops/op_registry.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::model {
namespace {

/// Equalities a rule needs must be structural or stand among the function's assumptions.
class VerifyInference : public InferContext {
 public:
  VerifyInference(const TensorFunction& function, const TensorOp& op, std::vector<const TensorType*> operands)
      : InferContext(op, std::move(operands)), function_(function) {}

 private:
  void assume_equal(const SymExpr& a, const SymExpr& b) override {
    Cond wanted = Cond::eq(a, b);
    const auto& known = function_.assumptions;
    bool stated = std::any_of(known.begin(), known.end(), [&](const Cond& cond) { return cond == wanted; });
    require(stated, "equal sizes, or an assumption that they are", a.str() + " and " + b.str());
  }
  const TensorFunction& function_;
};

void require(bool holds, const SourceLocation& where, std::string_view expected, const std::string& found) {
  if (!holds) throw InputError(where, std::string(expected), found);
}

void verify_types(const TensorFunction& function, const TensorOp& op, const OpRule& rule) {
  std::vector<const TensorType*> operands;
  for (ValueId id : op.operands) operands.push_back(&function.type(id));
  VerifyInference inference(function, op, std::move(operands));
  std::vector<TensorType> types = rule.infer(inference);
  require(types.size() == op.results.size(), op.where,
          fmt::format("{} results of '{}'", types.size(), op.name), fmt::format("{}", op.results.size()));
  for (std::size_t i = 0; i < types.size(); ++i)
    require(types[i] == function.type(op.results[i]), op.where,
            fmt::format("'{}' to give {}", op.name, types[i].str()), function.type(op.results[i]).str());
}

void verify_op(const TensorFunction& function, std::size_t index, std::vector<bool>& defined) {
  const TensorOp& op = function.ops[index];
  const OpRule* rule = OpRegistry::shipped().find(op.name);
  require(rule != nullptr, op.where, "an operation of the registry", "'" + op.name + "'");
  bool count = op.operands.size() >= rule->least_operands && op.operands.size() <= rule->most_operands;
  require(count, op.where, fmt::format("{} to {} operands", rule->least_operands, rule->most_operands),
          fmt::format("{}", op.operands.size()));
  for (ValueId id : op.operands)
    require(id >= 0 && static_cast<std::size_t>(id) < defined.size() && defined[static_cast<std::size_t>(id)],
            op.where, "operands defined before their use", fmt::format("value {} in '{}'", id, op.name));
  verify_types(function, op, *rule);
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    auto id = static_cast<std::size_t>(op.results[i]);
    require(id < defined.size() && !defined[id], op.where, "each value defined once",
            fmt::format("value {}", id));
    const TensorValue& value = function.values[id];
    bool linked =
        value.op == static_cast<std::int32_t>(index) && value.position == static_cast<std::int32_t>(i);
    require(linked, op.where, "values that know their operation", "'" + value.name + "'");
    defined[id] = true;
  }
}

}  // namespace

void verify(const TensorFunction& function) {
  std::vector<bool> defined(function.values.size(), false);
  for (ValueId id : function.parameters) defined.at(static_cast<std::size_t>(id)) = true;
  for (std::size_t i = 0; i < function.ops.size(); ++i) verify_op(function, i, defined);
  for (ValueId id : function.results)
    require(id >= 0 && static_cast<std::size_t>(id) < defined.size() && defined[static_cast<std::size_t>(id)],
            function.where, "results that are defined", fmt::format("value {}", id));
}

}  // namespace bufferproof::model
