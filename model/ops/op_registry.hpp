// The one table of tensor operations: per name its shape rule, its access sets and its definedness rule.
//
// The idea: definedness and reads are two directions of the same index map, so a rule states both per box:
// where an undefined box of operand k shows up in a result, and what of operand k a box of a result reads.
// Adding an operation is one file here (model/ops/<op>.cpp) and one in kernels_ref under the same name.
// Tested by tests/model/body_ops_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/body/region.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::model {

/// What a rule sees of an operation whose types are known.
struct OpContext {
  const TensorFunction& function;
  const TensorOp& op;
  SizeBounds bounds = {};

  const TensorType& operand(std::size_t i) const { return function.type(op.operands.at(i)); }
  const TensorType& result(std::size_t i = 0) const { return function.type(op.results.at(i)); }
};

/// Shape inference: operand types, attributes, and size equalities the operation needs.
class InferContext {
 public:
  /// The types are somebody else's and outlive this.
  InferContext(const TensorOp& op, std::vector<const TensorType*> operands)
      : op(op), operands_(std::move(operands)) {}
  virtual ~InferContext() = default;

  const TensorOp& op;
  const TensorType& operand(std::size_t i) const { return *operands_.at(i); }
  std::size_t operand_count() const { return operands_.size(); }

  /// Sizes that must agree: different constants fail; anything else not equal is handed to `assume_equal`.
  void require_equal(const SymExpr& a, const SymExpr& b, std::string_view what);
  void require_same_shape(const TensorType& a, const TensorType& b);
  void require(bool holds, std::string_view expected, std::string_view found);
  /// An axis number in [0, rank).
  std::size_t axis(std::int64_t value, std::size_t rank);
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

 private:
  virtual void assume_equal(const SymExpr& a, const SymExpr& b) = 0;
  std::vector<const TensorType*> operands_;
};

/// What eager PyTorch returns for the operation, as far as strides and aliasing go.
enum class EagerResult : std::uint8_t {
  fresh,        ///< a new contiguous tensor
  elementwise,  ///< a new tensor laid out by the stride-propagation rules of elementwise operations
  view,         ///< a view of operand 0 (OpRule::view_strides says how; a reshape may have to copy)
  unknown       ///< a new tensor whose strides are not modelled
};

struct OpRule {
  std::string_view name;
  std::size_t least_operands = 0;
  std::size_t most_operands = 0;
  std::vector<TensorType> (*infer)(InferContext&) = nullptr;
  /// Elements of `result` that are undefined because `box` of `operand` is.
  BoxParts (*spread)(const OpContext&, std::size_t operand, const Box& box, std::size_t result) = nullptr;
  /// Elements of `operand` that `box` of `result` reads.
  BoxParts (*reads)(const OpContext&, std::size_t result, const Box& box, std::size_t operand) = nullptr;
  /// Elements the operation itself leaves undefined; null: none.
  BoxParts (*born)(const OpContext&, std::size_t result) = nullptr;
  EagerResult eager = EagerResult::fresh;
  /// Strides of the view; nullopt where eager PyTorch has to copy instead.
  std::optional<std::vector<SymExpr>> (*view_strides)(const OpContext&,
                                                      const std::vector<SymExpr>&) = nullptr;
};

class OpRegistry {
 public:
  OpRegistry() = default;
  OpRegistry(OpRegistry&&) = default;
  /// The shipped table; built once, read only.
  static const OpRegistry& shipped();
  const OpRule* find(std::string_view name) const;
  const std::map<std::string_view, OpRule>& rules() const { return rules_; }
  void add(const OpRule& rule);

 private:
  std::map<std::string_view, OpRule> rules_;
  std::unordered_map<std::string_view, const OpRule*> by_name_;  ///< into `rules_`
};

/// Building blocks shared by rules.
BoxParts same_box(const OpContext&, std::size_t, const Box& box, std::size_t);
/// Any undefined element may reach every result element; not exact.
BoxParts spread_everywhere(const OpContext& context, std::size_t operand, const Box& box, std::size_t result);
/// Reads the whole operand; not exact.
BoxParts read_all(const OpContext& context, std::size_t result, const Box& box, std::size_t operand);

/// Comparison, boolean and float-class results are i1; see elementwise.cpp for the list.
bool is_elementwise(std::string_view op);

}  // namespace bufferproof::model
