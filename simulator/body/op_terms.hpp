// The operand elements one element of an operation's result is computed from, one by one.
//
// By the op registry's index maps; products of convolution and matmul come in pairs. Sizes of the function
// are numbers (with_sizes). Contents do not count: of a gather every element that may be chosen. Tested by
// tests/simulator/births_test.cpp and tests/simulator/value_path_test.cpp.
#pragma once

#include <functional>

#include "simulator/body/dependence.hpp"

namespace bufferproof::simulator {

struct OpElement {
  const model::TensorFunction& function;
  const model::TensorOp& op;
  std::size_t result = 0;
  Index index;
};

/// Elements of one operand, in row-major order within each box.
void for_each_read(const OpElement& of, std::size_t operand, const std::function<void(const Index&)>& f);

/// Whether the operation sums products of operands 0 and 1.
bool sums_products(const model::TensorOp& op, const model::TensorFunction& function);
/// f(element of operand 0, element of operand 1) per product; the first is null where it is padding.
void for_each_product(const OpElement& of, const std::function<void(const Index*, const Index&)>& f);

/// The operation only moves or creates elements.
bool moves_elements(std::string_view op);

}  // namespace bufferproof::simulator
