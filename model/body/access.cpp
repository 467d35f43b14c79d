#include "model/body/access.hpp"

#include "model/ops/op_registry.hpp"

namespace bufferproof::model {

std::vector<BoxParts> demanded_elements(const TensorFunction& function) {
  std::vector<BoxParts> demand(function.values.size());
  auto add = [&](ValueId id, BoxPart part) {
    add_part(demand[static_cast<std::size_t>(id)], std::move(part), full_box(function.type(id).shape));
  };
  for (ValueId id : function.results) add(id, {full_box(function.type(id).shape), true});
  for (auto op = function.ops.rbegin(); op != function.ops.rend(); ++op) {
    const OpRule& rule = *OpRegistry::shipped().find(op->name);
    OpContext context{function, *op};
    for (std::size_t r = 0; r < op->results.size(); ++r)
      for (const BoxPart& wanted : demand[static_cast<std::size_t>(op->results[r])])
        for (std::size_t k = 0; k < op->operands.size(); ++k)
          for (BoxPart& part : rule.reads(context, r, wanted.box, k)) {
            part.exact = part.exact && wanted.exact;
            add(op->operands[k], std::move(part));
          }
  }
  return demand;
}

}  // namespace bufferproof::model
