// A kernel body as SSA tensor operations: what MLIR named-op text, torch-dialect text and FX text all become.
//
// The idea: few operations, each pure (value semantics), each with one rule in the op registry
// (model/ops/op_registry.hpp) that knows its shapes, what it reads and which elements it leaves undefined.
// Sizes are symbolic. Destination-passing operands (`outs`) are gone: an operation that overwrites its
// destination does not read it; a reduction's init is an operand like any other.
// Nothing is executed here. Tested by tests/model/body_function_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/dtype.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::model {

using ValueId = std::int32_t;

struct TensorType {
  DType dtype = DType::f32;
  std::vector<SymExpr> shape;

  std::size_t rank() const { return shape.size(); }
  /// "f32[4, s0]"
  std::string str() const;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

/// Numbers, names, element types, axis lists, and sizes in elements.
using Attribute =
    std::variant<std::int64_t, std::string, DType, std::vector<std::int64_t>, std::vector<SymExpr>>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

struct TensorOp {
  std::string name;  ///< a name of the op registry
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  Attributes attributes;
  SourceLocation where;

  /// Attribute access; an absent attribute or another type is a programming error (asserted).
  std::int64_t integer(std::string_view key) const;
  const std::string& text(std::string_view key) const;
  DType dtype(std::string_view key) const;
  const std::vector<std::int64_t>& integers(std::string_view key) const;
  const std::vector<SymExpr>& sizes(std::string_view key) const;
  bool has(std::string_view key) const { return attributes.find(key) != attributes.end(); }
};

struct TensorValue {
  std::string name;
  TensorType type;
  bool scalar = false;             ///< a bare f32 or index of the text, not a 0-d tensor
  std::optional<SymExpr> integer;  ///< the value itself, where it is a size or computed from sizes
  std::int32_t op = -1;            ///< producing operation; -1: a parameter
  std::int32_t position = 0;       ///< which parameter, or which result of `op`
};

struct TensorFunction {
  std::string name;
  std::vector<TensorValue> values;
  std::vector<ValueId> parameters;  ///< in the order of the kernel call: tensors and sizes interleaved
  std::vector<TensorOp> ops;        ///< every operand is defined before its use
  std::vector<ValueId> results;     ///< one value may stand here twice
  std::vector<Cond> assumptions;    ///< on sizes, which the text's types rely on
  SourceLocation where;

  const TensorValue& value(ValueId id) const { return values.at(static_cast<std::size_t>(id)); }
  const TensorType& type(ValueId id) const { return value(id).type; }
  /// Producing operation, or null for a parameter.
  const TensorOp* producer(ValueId id) const;
  std::vector<TensorType> parameter_types() const;
  std::vector<TensorType> result_types() const;
};

/// Throws InputError at the first operation that is unknown, misuses a value, or whose types do not follow
/// from its rule.
void verify(const TensorFunction& function);

/// One readable text per function, in the project's own notation; `parse_tensor_function` reads it back.
std::string print(const TensorFunction& function);
/// Throws InputError with the position in `text`.
TensorFunction parse_tensor_function(std::string_view text, const SourceLocation& origin = {});

/// Equal up to the names of values, source positions and the function's name.
bool same_body(const TensorFunction& a, const TensorFunction& b);

}  // namespace bufferproof::model
