// Builds a TensorFunction operation by operation, inferring types as it goes.
//
// Sizes the text leaves open (`?`) get symbols; where an operation needs two sizes equal, the younger such
// symbol is replaced by the other size everywhere, so equal sizes end up as equal expressions. An equality
// that cannot be settled so becomes an assumption of the function. Tested by
// tests/model/body_function_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "model/ops/op_registry.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::model {

class FunctionBuilder {
 public:
  explicit FunctionBuilder(std::string name, SourceLocation where = {});

  /// A symbol for a size the text does not state.
  SymExpr open_size(const std::string& hint);
  ValueId parameter(const std::string& name, TensorType type);
  /// A bare scalar; an integer one may stand for a size, its symbol is its name.
  ValueId scalar_parameter(const std::string& name, DType dtype);

  /// Adds an operation and returns its results. Throws InputError where a rule is violated or an operation is
  /// not in the registry.
  std::vector<ValueId> add(TensorOp op);
  ValueId add(std::string_view op, std::vector<ValueId> operands, Attributes attributes,
              const SourceLocation& where);
  /// A literal with this bit pattern (low bytes of `bits`).
  ValueId constant(DType dtype, std::int64_t bits, const SourceLocation& where);
  /// A literal of a floating or integer type, rounded to nearest from a double.
  ValueId number(DType dtype, double value, const SourceLocation& where);
  ValueId size(const SymExpr& value, const SourceLocation& where);
  /// Repeats along new and size-1 axes, aligned to the right as PyTorch does; returns `value` if nothing
  /// changes.
  ValueId broadcast_to(ValueId value, const std::vector<SymExpr>& shape, const SourceLocation& where);
  ValueId reshape(ValueId value, const std::vector<SymExpr>& shape, const SourceLocation& where);
  ValueId cast(ValueId value, DType dtype, const SourceLocation& where, std::string_view round = "rint");

  void require_equal(const SymExpr& a, const SymExpr& b, const SourceLocation& where, std::string_view what);
  const TensorValue& value(ValueId id) const { return function_.value(id); }
  /// The type under everything known so far about sizes; valid until the builder changes.
  const TensorType& type(ValueId id) const;
  SymExpr resolve(const SymExpr& size) const;
  std::vector<SymExpr> resolve(const std::vector<SymExpr>& sizes) const;
  /// A name for printing; made unique.
  void rename(ValueId id, const std::string& name);
  void mark_scalar(ValueId id);
  void set_integer(ValueId id, const SymExpr& value);

  TensorFunction finish(std::vector<ValueId> results);
  const TensorFunction& function() const { return function_; }

 private:
  friend class BuilderInference;
  ValueId add_value(TensorValue value);
  void unify(const SymExpr& a, const SymExpr& b);
  bool replace(const SymExpr& symbol, const SymExpr& by);
  std::string unique_name(const std::string& name);

  mutable TensorFunction function_;            ///< shapes of values are resolved when they are asked for
  mutable std::vector<std::size_t> resolved_;  ///< per value: replacements its shape has seen
  std::map<std::string, SymExpr, std::less<>> replaced_;
  std::map<std::string, std::size_t, std::less<>> open_;  ///< open sizes in order of their birth
  std::map<std::string, int, std::less<>> names_;
};

/// Bit pattern of a number in an element type, rounded to nearest even; integers must fit.
std::int64_t bits_of(DType dtype, double value);
/// Value of a floating bit pattern.
double value_of_bits(DType dtype, std::int64_t bits);

}  // namespace bufferproof::model
