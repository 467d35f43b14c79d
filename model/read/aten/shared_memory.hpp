// Which value a tensor of the text holds after in-place calls.
//
// The idea: a body is made of values that never change, an in-place call of the text changes memory. After it
// the destination's name means the new value; every older value that may share its memory is stale, and
// using one is not supported, rather than read as if nothing had happened. Views share memory with what they
// are views of; a reshape may. Tested by tests/model/body_in_place_test.cpp.
#pragma once

#include <map>
#include <optional>

#include "model/tensor_function.hpp"

namespace bufferproof::model::aten {

class SharedMemory {
 public:
  /// `function` grows while this looks at it.
  explicit SharedMemory(const TensorFunction& function) : function_(function) {}

  /// `result` (the newest operation's) is what the destination's memory holds from now on.
  void stored(ValueId destination, ValueId result);
  /// nullopt: the value's memory was written through another name.
  std::optional<ValueId> now(ValueId id) const;

 private:
  ValueId owner(ValueId id) const;
  ValueId newest(ValueId id) const;

  const TensorFunction& function_;
  mutable std::vector<ValueId> owners_;         ///< per value whose memory it may live in
  mutable std::map<ValueId, ValueId> renamed_;  ///< destination to what it holds; shortened when walked
  std::map<ValueId, std::int32_t> writes_;      ///< owner to the last operation that wrote its memory
};

}  // namespace bufferproof::model::aten
