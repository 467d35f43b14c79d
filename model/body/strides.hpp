// Strides and aliasing of eager execution: what the FX fallback of a body would return (E4, B1s).
//
// Follows PyTorch: view operations move strides, elementwise operations allocate by the order of their
// operands' strides (TensorIterator), everything else is contiguous or unknown. Symbolic sizes are taken to
// be at least 2, as backed dynamic sizes are; an order that does not follow from that is `unknown`. Tested by
// tests/model/body_strides_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "model/tensor_function.hpp"

namespace bufferproof::model {

struct EagerTensor {
  std::optional<std::vector<SymExpr>> strides;  ///< nullopt: not known
  ValueId base = -1;                            ///< the value whose storage it is a view of; itself if fresh
  std::optional<SymExpr> offset = SymExpr(0);   ///< from the base's first element
};

/// Row-major strides of a shape, as PyTorch gives a fresh tensor.
std::vector<SymExpr> contiguous_strides(const std::vector<SymExpr>& shape);
/// Row-major up to the strides of size-1 axes. `unknown` answers count as false.
bool is_contiguous(const std::vector<SymExpr>& shape, const std::vector<SymExpr>& strides);

/// Layout of the result of an elementwise operation on operands of one shape with these strides; nullopt
/// where the symbolic sizes do not decide it.
std::optional<std::vector<SymExpr>> elementwise_strides(const std::vector<SymExpr>& shape,
                                                        const std::vector<std::vector<SymExpr>>& operands);

/// One entry per value. `parameter_strides`: per parameter, absent means contiguous.
std::vector<EagerTensor> eager_tensors(
    const TensorFunction& function,
    const std::vector<std::optional<std::vector<SymExpr>>>& parameter_strides = {});

}  // namespace bufferproof::model
