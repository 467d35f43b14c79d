// Where in a body the wrong value of one result element comes from: an element of a parameter, or an
// operation that makes NaN of numbers.
//
// The body runs twice, on the operands it had and on those it should have had, and keeps the elements the
// asked one depends on. From the result backwards, each operation's most telling wrong operand element is
// taken: the NaN for a NaN, the chosen one of a select or gather, the one that wins of a maximum, the largest
// change of a sum. Tested by tests/simulator/value_path_test.cpp.
#pragma once

#include <optional>

#include "simulator/body/births.hpp"

namespace bufferproof::simulator {

/// Where a wrong value came into being: by operation `op` of a body. `kind` as of births; "constant" and
/// "undefined" for what a body has without operands, "another computation" when the body itself gives
/// something else of the right operands (`op` is then empty).
struct ValueBirth {
  std::string kind;
  std::string op;
  model::SourceLocation where;
  Index element;  ///< of the operation's result
};

/// One of the two; neither: the values do not say.
struct ValuePath {
  std::optional<std::size_t> parameter;
  Index element;  ///< of the parameter
  std::optional<ValueBirth> birth;
};

/// `right`: the operands of the golden run, empty if not known; only NaN and infinity can be followed then.
/// Throws what execute does.
ValuePath trace_value(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                      std::span<const BodyArgument> right, std::size_t result, const Index& element,
                      const kernels::NumericsProfile& numerics);

}  // namespace bufferproof::simulator
