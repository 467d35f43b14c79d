#include "simulator/launch_body.hpp"

#include <algorithm>
#include <map>

#include "simulator/body/execute.hpp"

namespace bufferproof::simulator {

using model::TensorFunction;

namespace {

/// Parameters that in-place calls of a traced graph overwrite whole, and the value each holds in the end
/// (E4).
std::map<std::size_t, model::ValueId> stored_parameters(const TensorFunction& body) {
  std::map<std::size_t, model::ValueId> out;
  for (const model::TensorOp& op : body.ops) {
    if (op.name != "overwrite") continue;
    model::ValueId id = op.operands[0];
    const model::TensorOp* made = body.producer(id);
    for (; made && made->name == "overwrite"; made = body.producer(id)) id = made->operands[0];
    if (!made) out[static_cast<std::size_t>(body.value(id).position)] = op.results[0];
  }
  return out;
}

void fix(model::SymExpr& size, const model::Valuation& sizes) {
  const auto number = size.evaluate(sizes);
  if (!number) throw ExecutionError("size " + size.str() + " has no value for these arguments");
  size = model::SymExpr(*number);
}

}  // namespace

BodyPointer body_of(const model::KernelDef& kernel, const model::Variant& road) {
  if (road.fallback && kernel.fx_body) return kernel.fx_body;
  return kernel.body ? kernel.body : kernel.fx_body;
}

void add_stored_inputs(BodyPointer& body, std::vector<std::string>& outputs,
                       const std::vector<std::string>& inputs) {
  std::shared_ptr<TensorFunction> more;
  for (const auto& [position, value] : stored_parameters(*body)) {
    if (position >= inputs.size()) continue;
    if (std::find(outputs.begin(), outputs.end(), inputs[position]) != outputs.end()) continue;
    if (!more) {
      more = std::make_shared<TensorFunction>(*body);
      outputs.resize(more->results.size());
    }
    more->results.push_back(value);
    outputs.push_back(inputs[position]);
  }
  if (more) body = std::move(more);
}

TensorFunction with_sizes(const TensorFunction& function, const model::Valuation& sizes) {
  TensorFunction out = function;
  for (model::TensorValue& value : out.values) {
    for (model::SymExpr& size : value.type.shape) fix(size, sizes);
    if (value.integer) fix(*value.integer, sizes);
  }
  for (model::TensorOp& op : out.ops)
    for (auto& [key, attribute] : op.attributes)
      if (auto* list = std::get_if<std::vector<model::SymExpr>>(&attribute))
        for (model::SymExpr& size : *list) fix(size, sizes);
  out.assumptions.clear();
  return out;
}

}  // namespace bufferproof::simulator
