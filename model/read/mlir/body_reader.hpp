// Reads one func.func into a FunctionBuilder. Private to this folder.
//
// One member function per family of operations, found by the operation's name in one table
// (body_reader.cpp); names of regions are scoped, so `%in` may recur.
// Tested by tests/model/body_mlir_test.cpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/body/body_text.hpp"
#include "model/body/builder.hpp"
#include "model/read/mlir/attributes.hpp"
#include "model/read/mlir/types.hpp"

namespace bufferproof::model::mlir {

/// Affine maps and other aliases (`#map = affine_map<...>`) of a module: name to raw value.
using Aliases = std::map<std::string_view, std::string_view>;

/// The left side of an operation, its name and place.
struct Statement {
  std::string_view op;
  std::vector<std::string_view> names;  ///< `%a, %b =`; one name with a count for `%a:2 =`
  std::size_t results = 0;
  SourceLocation where;
};

struct Operands {
  std::vector<ValueId> values;
  std::vector<Type> types;
};

/// `ins(...)`, `outs(...)`, dictionaries and trailing attributes of a structured operation.
struct Structured {
  Dict attributes;
  Operands ins;
  Operands outs;
  std::vector<std::int64_t> axes;  ///< of `dimensions = [...]` or `permutation = [...]`
};

class BodyReader {
 public:
  BodyReader(Lexer& lexer, const Aliases& aliases, std::vector<BodyNote>& notes)
      : lexer_(lexer), aliases_(aliases), notes_(notes), builder_("") {}

  /// Current token: after `func.func`. nullopt for a declaration without a body.
  std::optional<TensorFunction> read_function(std::string& name);

 private:
  using Handler = void (BodyReader::*)(const Statement&);
  static const std::unordered_map<std::string_view, Handler>& handlers();

  // body_reader.cpp: the frame
  void read_parameters();
  void read_parameter(std::string_view name, std::size_t index);
  void read_result_types();
  void read_statement();
  Statement read_left_side();
  void dispatch(const Statement& statement);
  std::vector<ValueId> read_return();
  [[noreturn]] void unsupported(const Statement& statement, const std::string& why = "") const;

  // names and types
  void define(std::string_view name, const std::vector<ValueId>& values);
  void define(const Statement& statement, ValueId value);
  void define_all(const Statement& statement, const std::vector<ValueId>& values);
  ValueId use();
  std::vector<ValueId> use_list();
  void check_type(ValueId id, const Type& type);
  ValueId typed(ValueId id);                  ///< refuses accumulators outside their combiner
  std::vector<SymExpr> shape_of(ValueId id);  ///< resolved
  TensorType to_tensor_type(const Type& type, const std::string& hint);
  SymExpr integer_of(ValueId id, const SourceLocation& where);
  /// `[0, %x, 4]`: constants and sizes
  std::vector<SymExpr> read_mixed_sizes();
  Operands read_operands();
  Structured read_structured();
  Dict read_dict_alias();

  // scalar_ops.cpp: arith, math, also on region arguments
  void read_constant(const Statement& statement);
  void read_dense(const Statement& statement, std::string_view raw);
  void read_arith(const Statement& statement);
  void read_compare(const Statement& statement);
  void read_select(const Statement& statement);
  void read_cast_like(const Statement& statement);
  bool fold_integers(const Statement& statement, std::string_view op, const std::vector<ValueId>& operands);
  bool combine(const Statement& statement, const std::vector<ValueId>& operands);
  void emit_elementwise(const Statement& statement, std::string_view op, std::vector<ValueId> operands);
  /// Repeats rank-0 operands to the shape of the others.
  void level_shapes(std::vector<ValueId>& operands, const SourceLocation& where);
  void read_linalg_index(const Statement& statement);
  /// `select` on sizes: min, max, or the side that is provably taken. True if it was one.
  bool fold_select(const Statement& statement, const std::vector<ValueId>& operands);

  // affine_ops.cpp
  void read_affine(const Statement& statement);
  std::string_view raw_map(std::string_view raw, const Statement& statement) const;

  // structured_ops.cpp: linalg and hfusion on tensors
  void read_fill(const Statement& statement);
  void read_elemwise(const Statement& statement);
  void read_named_elementwise(const Statement& statement);
  void read_plain_unary(const Statement& statement, std::string_view op);
  void read_compare_fn(const Statement& statement);
  void read_cast(const Statement& statement);
  void read_bitcast(const Statement& statement);
  void read_broadcast(const Statement& statement);
  void read_transpose(const Statement& statement);
  void read_matmul(const Statement& statement);
  void read_store(const Statement& statement);
  void read_arange(const Statement& statement);
  void read_gather(const Statement& statement);
  void read_reduce_with_index(const Statement& statement);
  void read_cumulative(const Statement& statement);
  void finish_structured(const Statement& statement, const Structured& parts, std::vector<ValueId> results);
  void elementwise_into(const Statement& statement, const Structured& parts, std::string_view op);

  // region_ops.cpp: reduce and generic
  void read_reduce(const Statement& statement);
  void read_generic(const Statement& statement);
  void read_map(const Statement& statement);
  std::vector<ValueId> read_region(const std::vector<ValueId>& arguments, bool block_header);
  std::vector<ValueId> fold_results(const Statement& statement, const std::vector<ValueId>& yields,
                                    const std::vector<ValueId>& inits, const std::vector<std::int64_t>& dims);
  AffineMap map_of(std::string_view raw, const Statement& statement);
  std::vector<AffineMap> read_maps(std::string_view raw, const Statement& statement);
  ValueId to_iteration_space(ValueId value, const AffineMap& map, const std::vector<SymExpr>& space,
                             const SourceLocation& where);
  ValueId from_iteration_space(ValueId value, const AffineMap& map, const std::vector<std::int64_t>& kept,
                               const SourceLocation& where);
  std::vector<SymExpr> iteration_space(const std::vector<AffineMap>& maps, const std::vector<ValueId>& values,
                                       const Statement& statement);

  // tensor_ops.cpp
  void read_empty(const Statement& statement);
  void read_dim(const Statement& statement);
  void read_expand_shape(const Statement& statement);
  void read_collapse_shape(const Statement& statement);
  void read_extract_slice(const Statement& statement);
  void read_insert_slice(const Statement& statement);
  void read_concat(const Statement& statement);
  void read_pad(const Statement& statement);
  void read_tensor_cast(const Statement& statement);
  void read_extract(const Statement& statement);
  void read_from_elements(const Statement& statement);
  void read_splat(const Statement& statement);
  void read_reshape(const Statement& statement);
  void read_insert(const Statement& statement);
  void read_plain_bitcast(const Statement& statement);
  void read_mark(const Statement& statement);
  struct Window {
    std::vector<SymExpr> offsets, sizes;
    std::vector<std::int64_t> strides;
    Attributes attributes() const { return {{"offsets", offsets}, {"sizes", sizes}, {"strides", strides}}; }
  };
  Window read_window(const Statement& statement);
  void read_positions();
  ValueId crop(ValueId value, std::vector<SymExpr>& low, std::vector<SymExpr>& high,
               const Statement& statement);
  std::vector<std::vector<std::int64_t>> read_groups();

  /// An accumulator (a region's init argument) or a fold of it, where a value stands.
  struct Fold {
    std::string fn;  ///< empty: the accumulator itself
    std::size_t accumulator = 0;
    ValueId element = -1;
  };
  static constexpr ValueId kFirstFold = -1000;
  ValueId add_fold(Fold fold);
  const Fold* fold_of(ValueId id) const;

  Lexer& lexer_;
  const Aliases& aliases_;
  std::vector<BodyNote>& notes_;
  FunctionBuilder builder_;
  std::vector<std::unordered_map<std::string_view, std::vector<ValueId>>> scopes_;
  std::vector<Fold> folds_;
  std::vector<Type> result_types_;
  /// Comparisons of sizes, for `select`: (op, left, right) by the compared value.
  struct SizeComparison {
    std::string op;
    SymExpr left, right;
  };
  std::map<ValueId, SizeComparison> comparisons_;
  std::vector<SymExpr> space_;  ///< of the innermost linalg.generic, for linalg.index
  int region_depth_ = 0;
  std::set<std::string_view> positions_;  ///< block arguments of a padding's region, which are not followed
};

}  // namespace bufferproof::model::mlir
