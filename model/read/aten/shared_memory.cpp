#include "model/read/aten/shared_memory.hpp"

#include <utility>

#include "model/ops/op_registry.hpp"

namespace bufferproof::model::aten {

ValueId SharedMemory::owner(ValueId id) const {
  while (owners_.size() < function_.values.size()) {
    auto next = static_cast<ValueId>(owners_.size());
    const TensorOp* op = function_.producer(next);
    const OpRule* rule = op ? OpRegistry::shipped().find(op->name) : nullptr;
    bool view = rule && rule->eager == EagerResult::view;
    owners_.push_back(view ? owners_[static_cast<std::size_t>(op->operands[0])] : next);
  }
  return owners_[static_cast<std::size_t>(id)];
}

void SharedMemory::stored(ValueId destination, ValueId result) {
  ValueId memory = owner(destination);
  renamed_[destination] = result;
  writes_[memory] = function_.value(result).op;
}

ValueId SharedMemory::newest(ValueId id) const {
  ValueId last = id;
  for (auto next = renamed_.find(last); next != renamed_.end(); next = renamed_.find(last))
    last = next->second;
  while (id != last) id = std::exchange(renamed_[id], last);  // the next walk is short
  return last;
}

std::optional<ValueId> SharedMemory::now(ValueId id) const {
  if (writes_.empty()) return id;
  id = newest(id);
  auto write = writes_.find(owner(id));
  if (write != writes_.end() && function_.value(id).op < write->second) return std::nullopt;
  return id;
}

}  // namespace bufferproof::model::aten
