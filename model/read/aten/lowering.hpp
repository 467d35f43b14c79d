// Aten calls to operations of a TensorFunction: the one table of aten spellings.
//
// Type promotion, implicit broadcasting and defaults are resolved here, so that a body reads the same whether
// it came as FX or as torch dialect. Composite functions (mean, var_mean, softmax, batch norm) are written
// out in the steps torch-mlir and eager PyTorch take, reductions of 16-bit types in f32. A call outside the
// table raises UnsupportedBody. Tested by tests/model/body_fx_test.cpp.
#pragma once

#include "model/body/body_text.hpp"
#include "model/body/builder.hpp"
#include "model/read/aten/shared_memory.hpp"
#include "model/read/aten/value.hpp"

namespace bufferproof::model::aten {

/// `aten.add.Tensor` without namespace and overload: "add". In-place spellings keep their underscore.
std::string_view base_name(std::string_view op);

class Lowering {
 public:
  explicit Lowering(FunctionBuilder& builder) : memory_(builder.function()), builder_(builder) {}

  Value lower(const Call& call);
  /// What the text's value holds after the in-place calls so far; one whose memory was written under another
  /// name is unsupported.
  Value now(const Value& value, const SourceLocation& where) const;
  /// Results of the function as they are after all in-place calls.
  std::vector<ValueId> results(const std::vector<Value>& values, const SourceLocation& where) const;
  static bool known(std::string_view op);
  /// An element of the result is computed from the elements of its index, broadcasting aside; "add", "relu".
  static bool is_pointwise(std::string_view name);

 private:
  using Handler = Value (Lowering::*)(const Call&);
  struct Row {
    std::string_view aten;
    Handler handler;
  };
  static const std::vector<Row> kRows;  ///< lowering_table.cpp
  static const std::map<std::string_view, Handler>& handlers();
  Value pure(const Call& call);

  // in_place.cpp
  Value in_place(const Call& call);
  Value into_out(const Call& call);
  Value overwrite(ValueId destination, const Value& value, const Call& call);
  static bool is_in_place(std::string_view name) {
    return name.size() > 1 && name.back() == '_' && name[0] != '_';
  }
  static bool can_work_in_place(std::string_view name);

  // pointwise.cpp
  Value pointwise(const Call& call);
  Value add_scaled(const Call& call);  ///< add, sub, rsub with alpha
  Value divide(const Call& call);
  Value power(const Call& call);
  Value compare(const Call& call);
  Value logical(const Call& call);
  Value where(const Call& call);
  Value clamp(const Call& call);
  Value silu(const Call& call);
  Value gelu(const Call& call);
  Value square(const Call& call);
  Value masked_fill(const Call& call);

  // conversions.cpp
  Value convert(const Call& call);
  Value copy(const Call& call);
  Value copy_into(const Call& call);
  Value identity(const Call& call);
  Value full(const Call& call);
  Value full_like(const Call& call);
  Value empty(const Call& call);
  Value scalar_tensor(const Call& call);
  Value arange(const Call& call);
  Value size_of(const Call& call);
  Value assertion(const Call& call);

  // views.cpp
  Value reshape(const Call& call);
  Value permute(const Call& call);
  Value transpose(const Call& call);
  Value expand(const Call& call);
  Value squeeze(const Call& call);
  Value unsqueeze(const Call& call);
  Value slice(const Call& call);
  Value select(const Call& call);
  Value unbind(const Call& call);
  Value split(const Call& call);
  Value cat(const Call& call);
  Value repeat(const Call& call);
  Value pad(const Call& call);
  Value slice_scatter(const Call& call);
  Value getitem(const Call& call);

  // reductions.cpp
  Value reduce(const Call& call);
  Value mean(const Call& call);
  Value var_mean(const Call& call);
  Value extreme_with_index(const Call& call);
  Value softmax(const Call& call);
  Value cumulative(const Call& call);
  Value batch_norm(const Call& call);

  // matrix.cpp
  Value matmul(const Call& call);
  Value addmm(const Call& call);
  Value addbmm(const Call& call);
  Value mv(const Call& call);
  Value add_product(const Call& call, ValueId input, ValueId product);
  Value convolution(const Call& call);
  Value max_pool(const Call& call);
  Value avg_pool(const Call& call);
  Value adaptive_avg_pool(const Call& call);
  Value gather(const Call& call);
  Value embedding(const Call& call);

  // arguments
  ValueId tensor(const Call& call, std::size_t position, std::string_view keyword);
  std::int64_t constant(const Call& call, std::size_t position, std::string_view keyword,
                        std::int64_t otherwise);
  SymExpr size(const Value& value, const Call& call);
  std::vector<SymExpr> sizes(const Value& value, const Call& call);
  std::vector<std::int64_t> constants(const Value& value, const Call& call);
  std::optional<DType> dtype(const Call& call, std::size_t position);
  std::size_t axis(std::int64_t value, std::size_t rank, const Call& call);
  /// Axes of a reduction, rising; all of them when absent or empty.
  std::vector<std::int64_t> axes(const Value* value, std::size_t rank, const Call& call);
  [[noreturn]] void unsupported(const Call& call, const std::string& why) const;

  // emission
  DType promote(const std::vector<Value>& operands) const;
  /// The operand in this element type and shape; numbers become literals.
  ValueId as(const Value& value, DType dtype, const std::vector<SymExpr>& shape, const Call& call);
  std::vector<SymExpr> broadcast_shape(const std::vector<Value>& operands, const Call& call);
  ValueId elementwise(std::string_view op, const std::vector<Value>& operands, DType compute,
                      const Call& call);
  /// Numbers in 16-bit types are used in f32 unless exact: what eager kernels compute in.
  DType compute_type(const std::vector<Value>& operands, DType dtype) const;
  ValueId emit(std::string_view op, std::vector<ValueId> operands, Attributes attributes, const Call& call) {
    return builder_.add(op, std::move(operands), std::move(attributes), call.where);
  }
  ValueId cast(ValueId id, DType dtype, const Call& call);
  ValueId fold(ValueId x, std::string_view fn, const std::vector<std::int64_t>& dims, bool keep,
               const Call& call);
  ValueId filled(DType dtype, double value, const std::vector<SymExpr>& shape, const Call& call);
  ValueId window(ValueId x, std::size_t axis, const SymExpr& start, const SymExpr& length, std::int64_t step,
                 const Call& call);
  std::vector<SymExpr> shape(ValueId id) const { return builder_.type(id).shape; }
  DType type(ValueId id) const { return builder_.value(id).type.dtype; }

  SharedMemory memory_;
  FunctionBuilder& builder_;
};

}  // namespace bufferproof::model::aten
