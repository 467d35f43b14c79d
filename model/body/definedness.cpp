#include "model/body/definedness.hpp"

#include <fmt/format.h>

#include "model/ops/op_registry.hpp"

namespace bufferproof::model {
namespace {

constexpr std::size_t kMostBoxes = 32;

using Undefined = std::vector<UndefinedElements>;

void add(Undefined& into, UndefinedElements elements, const TensorType& type) {
  if (provably_empty(elements.box)) return;
  for (const UndefinedElements& known : into)
    if ((known.exact || !elements.exact) && contains(known.box, elements.box)) return;
  if (into.size() < kMostBoxes) return into.push_back(std::move(elements));
  elements.box = full_box(type.shape);
  elements.exact = false;
  into.assign(1, elements);
}

std::string born_reason(const TensorOp& op) {
  if (op.name == "empty") return "contents of a fresh tensor (tensor.empty) that nothing wrote";
  if (op.name == "pad") return "padding without a value";
  return "'" + op.name + "' leaves it undefined";
}

/// Names how the elements went on, once: an init or a gap is what a reader of the message looks for.
std::string spread_reason(const TensorOp& op, std::size_t operand, const UndefinedElements& from) {
  if (op.name == "reduce" && operand == 1) return from.reason + ", used as the init of a reduction";
  if (op.name == "matmul" && operand == 2) return from.reason + ", used as the accumulator of a matmul";
  if (op.name == "insert_slice" && operand == 1) return from.reason + ", outside an inserted slice";
  return from.reason;
}

void run(const TensorFunction& function, const TensorOp& op, const OpRule& rule,
         std::vector<Undefined>& state) {
  OpContext context{function, op};
  for (std::size_t r = 0; r < op.results.size(); ++r) {
    Undefined& into = state[static_cast<std::size_t>(op.results[r])];
    if (rule.born)
      for (BoxPart& part : rule.born(context, r))
        add(into, {std::move(part.box), part.exact, born_reason(op), op.where}, context.result(r));
    for (std::size_t k = 0; k < op.operands.size(); ++k)
      for (const UndefinedElements& from : state[static_cast<std::size_t>(op.operands[k])])
        for (BoxPart& part : rule.spread(context, k, from.box, r))
          add(into, {std::move(part.box), part.exact && from.exact, spread_reason(op, k, from), from.origin},
              context.result(r));
  }
}

}  // namespace

std::vector<std::vector<UndefinedElements>> undefined_elements(const TensorFunction& function) {
  std::vector<Undefined> state(function.values.size());
  for (const TensorOp& op : function.ops) run(function, op, *OpRegistry::shipped().find(op.name), state);
  return state;
}

}  // namespace bufferproof::model
