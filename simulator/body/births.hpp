// Where in a body NaN and infinity come into being.
//
// The body runs once more, operation by operation. An element is born NaN where the result is and no operand
// it depends on is; born infinite where no such operand is infinite or NaN. Which operand elements those are
// is exact for elementwise operations, sums, matrix products and convolutions; where it is not, an element
// that may depend on a NaN is taken to. At most 2^26 terms of a result are looked at. Tested by
// tests/simulator/births_test.cpp.
#pragma once

#include "simulator/body/execute.hpp"
#include "simulator/body/op_terms.hpp"

namespace bufferproof::simulator {

struct Birth {
  std::string op;    ///< the operation's name
  std::string kind;  ///< "0*inf", "inf-inf", "0/0", "inf/inf", "x/0", "sqrt(<0)", "log(<0)", "log(0)",
                     ///< "overflow", "domain"
  model::SourceLocation where;
  std::vector<std::int64_t> element;  ///< the first one, of the operation's result
  std::int64_t count = 0;             ///< how many elements
};

/// An element of the operation's operand.
using OperandValue = std::function<double(std::size_t operand, const Index& element)>;
/// Birth::kind of an element that is NaN or infinite; "" when it came with an operand.
std::string birth_kind(const OpElement& of, double value, const OperandValue& operand);

/// In the order of the operations; one entry per operation and kind. Throws what execute does.
std::vector<Birth> find_births(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                               const ExecuteOptions& options = {});

}  // namespace bufferproof::simulator
