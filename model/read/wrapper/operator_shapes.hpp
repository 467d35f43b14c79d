// Shapes and element types of what common operators return, for wrappers that assert none (NPU files switch
// asserts off).
//
// Only layouts that are certain: row-major results of row-major operands. Anything else stays unknown; then
// the result's size is unknown to the checker too. Tested by tests/model/read_wrapper_schema_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.hpp"
#include "model/layout.hpp"

namespace bufferproof::model::wrapper {

/// An operand of an operator, as far as it is known.
struct Operand {
  std::string name;  ///< of the schema's argument
  bool tensor = false;
  std::optional<Layout> layout;                  ///< of a tensor
  std::optional<DType> dtype;                    ///< of a tensor, or of a `dtype` argument
  std::optional<std::vector<SymExpr>> integers;  ///< a list of integers, or one integer
  std::optional<bool> truth;
  std::vector<Operand> items;  ///< of a list of tensors
};

/// nullptr: there is none of this name.
const Operand* find_operand(const std::vector<Operand>& operands, std::string_view name);
/// Python's axis number, negative ones from the back; nullopt: not constant, or not below `rank`.
std::optional<std::size_t> axis_of(const SymExpr& axis, std::size_t rank);

struct ResultShape {
  std::optional<Layout> layout;
  std::optional<DType> dtype;
  std::optional<std::vector<SymExpr>> sizes;  ///< known without the strides
};

/// One entry per result; entries that are not there are unknown. `op` without namespace and overload: "bmm".
std::vector<ResultShape> infer_results(std::string_view op, const std::vector<Operand>& operands);

/// Of a result: the layout the wrapper asserts, unless the operator is known to return other sizes (C7).
std::optional<Layout> layout_of_result(const std::optional<Layout>& asserted, const ResultShape& inferred);

}  // namespace bufferproof::model::wrapper
