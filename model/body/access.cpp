#include "model/body/access.hpp"

#include <algorithm>

#include "model/ops/op_registry.hpp"

namespace bufferproof::model {

namespace {

/// Per value: it depends on the contents of some tensor parameter, so inputs exist that choose either way.
std::vector<bool> depends_on_data(const TensorFunction& function) {
  std::vector<bool> depends(function.values.size(), false);
  auto at = [&](ValueId id) { return depends[static_cast<std::size_t>(id)]; };
  for (ValueId id : function.parameters) depends[static_cast<std::size_t>(id)] = !function.value(id).scalar;
  for (const TensorOp& op : function.ops) {
    bool any = op.name == "loaded" || std::any_of(op.operands.begin(), op.operands.end(), at);
    for (ValueId id : op.results) depends[static_cast<std::size_t>(id)] = any;
  }
  return depends;
}

/// The operand whose contents decide what is read of the others; none: -1.
int chooser(const TensorOp& op) {
  if (op.name == "select") return 0;
  return op.name == "gather" || op.name == "take" ? 1 : -1;
}

/// An in-place call on a parameter's memory, or on a view of it: what it stores is seen by others (E4).
bool stores_to_parameter(const TensorFunction& function, const TensorOp& op) {
  if (op.name != "overwrite") return false;
  ValueId id = op.operands[0];
  for (const TensorOp* made = function.producer(id); made; made = function.producer(id)) {
    if (OpRegistry::shipped().find(made->name)->eager != EagerResult::view) return false;
    id = made->operands[0];
  }
  return true;
}

}  // namespace

namespace {

void add_demand(const TensorFunction& function, ValueId id, BoxPart part, std::vector<BoxParts>& demand) {
  add_part(demand[static_cast<std::size_t>(id)], std::move(part), full_box(function.type(id).shape));
}

void walk_back(const TensorFunction& function, std::vector<BoxParts>& demand) {
  const std::vector<bool> data = depends_on_data(function);
  for (auto op = function.ops.rbegin(); op != function.ops.rend(); ++op) {
    const OpRule& rule = *OpRegistry::shipped().find(op->name);
    OpContext context{function, *op};
    const int by = chooser(*op);
    const bool either = by >= 0 && data[static_cast<std::size_t>(op->operands[static_cast<std::size_t>(by)])];
    for (std::size_t r = 0; r < op->results.size(); ++r)
      for (const BoxPart& wanted : demand[static_cast<std::size_t>(op->results[r])])
        for (std::size_t k = 0; k < op->operands.size(); ++k)
          for (BoxPart& part : rule.reads(context, r, wanted.box, k)) {
            part.exact = (part.exact || either) && wanted.exact;
            add_demand(function, op->operands[k], std::move(part), demand);
          }
  }
}

}  // namespace

std::vector<BoxParts> demanded_elements(const TensorFunction& function) {
  std::vector<BoxParts> demand(function.values.size());
  const auto all_of = [&](ValueId id) {
    add_demand(function, id, {full_box(function.type(id).shape), true}, demand);
  };
  for (ValueId id : function.results) all_of(id);
  for (const TensorOp& op : function.ops)
    if (stores_to_parameter(function, op)) all_of(op.results[0]);
  walk_back(function, demand);
  return demand;
}

std::vector<BoxParts> elements_behind(const TensorFunction& function, std::size_t result, const Box& wanted) {
  std::vector<BoxParts> demand(function.values.size());
  add_demand(function, function.results[result], {wanted, true}, demand);
  walk_back(function, demand);
  return demand;
}

}  // namespace bufferproof::model
