#include "simulator/body/dependence.hpp"

#include <algorithm>

#include "model/ops/op_registry.hpp"

namespace bufferproof::simulator {

using model::Box;
using model::BoxPart;
using model::BoxParts;
using model::TensorFunction;
using model::TensorOp;
using model::ValueId;

namespace {

constexpr std::size_t kMostBoxes = 64;

std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }

void collect(const Box& box, std::size_t most, Index& index, std::vector<Index>& out) {
  if (out.size() >= most) return;
  if (index.size() == box.axes.size()) return out.push_back(index);
  const model::Interval& range = box.axes[index.size()];
  const std::int64_t end = range.end.constant().value_or(0);
  for (std::int64_t i = range.begin.constant().value_or(0); i < end && out.size() < most; i += range.step) {
    index.push_back(i);
    collect(box, most, index, out);
    index.pop_back();
  }
}

}  // namespace

Box element_box(const Index& index) {
  Box box;
  for (const std::int64_t i : index) box.axes.push_back({i, i + 1, 1});
  return box;
}

std::vector<Index> elements_of(const Box& box, std::size_t most) {
  std::vector<Index> out;
  Index index;
  collect(box, most, index, out);
  return out;
}

void add_elements(BoxParts& parts, BoxPart part, const model::TensorType& type) {
  model::add_part(parts, std::move(part), model::full_box(type.shape), {}, kMostBoxes);
}

std::vector<BoxParts> values_read(const TensorFunction& function, std::size_t result,
                                  const BoxParts& wanted) {
  std::vector<BoxParts> demand(function.values.size());
  demand[at(function.results.at(result))] = wanted;
  for (auto op = function.ops.rbegin(); op != function.ops.rend(); ++op) {
    const model::OpRule& rule = *model::OpRegistry::shipped().find(op->name);
    const model::OpContext context{function, *op};
    for (std::size_t r = 0; r < op->results.size(); ++r)
      for (const BoxPart& box : demand[at(op->results[r])])
        for (std::size_t k = 0; k < op->operands.size(); ++k)
          for (BoxPart& part : rule.reads(context, r, box.box, k)) {
            part.exact = part.exact && box.exact;
            add_elements(demand[at(op->operands[k])], std::move(part), context.operand(k));
          }
  }
  return demand;
}

std::vector<BoxParts> elements_read(const TensorFunction& function, std::size_t result,
                                    const BoxParts& wanted) {
  std::vector<BoxParts> demand = values_read(function, result, wanted);
  std::vector<BoxParts> out;
  for (const ValueId id : function.parameters) out.push_back(std::move(demand[at(id)]));
  return out;
}

BoxParts elements_reached(const TensorFunction& function, std::size_t parameter, const Index& element,
                          std::size_t result) {
  std::vector<BoxParts> reached(function.values.size());
  reached[at(function.parameters.at(parameter))] = {{element_box(element), true}};
  for (const TensorOp& op : function.ops) {
    const model::OpRule& rule = *model::OpRegistry::shipped().find(op.name);
    const model::OpContext context{function, op};
    for (std::size_t k = 0; k < op.operands.size(); ++k)
      for (const BoxPart& box : reached[at(op.operands[k])])
        for (std::size_t r = 0; r < op.results.size(); ++r)
          for (BoxPart& part : rule.spread(context, k, box.box, r)) {
            part.exact = part.exact && box.exact;
            add_elements(reached[at(op.results[r])], std::move(part), context.result(r));
          }
  }
  return reached[at(function.results.at(result))];
}

}  // namespace bufferproof::simulator
