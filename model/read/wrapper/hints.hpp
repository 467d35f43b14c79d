// What a wrapper says elsewhere about the tensors it handles: shapes asserted later, symbols taken from
// sizes, the example inputs of the benchmark part.
//
// Collected before the statements are followed, because a handle's layout is needed where it is made and is
// often asserted only after. Nothing here has an effect of its own. Tested by
// tests/model/read_wrapper_test.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/dtype.hpp"
#include "model/read/python/ast.hpp"

namespace bufferproof::model::wrapper {

/// A layout as text of the wrapper; symbols are looked up when it is needed.
struct LayoutText {
  const python::Expr* sizes = nullptr;
  const python::Expr* strides = nullptr;
  std::optional<DType> dtype;
};

/// What one function body says.
class FunctionHints {
 public:
  explicit FunctionHints(std::span<const python::Stmt* const> body) { collect(body); }

  /// The layout asserted for `name`, or for a name it is handed on to (b = a, b = a[i]). index < 0: `name`
  /// itself.
  std::optional<LayoutText> layout(std::string_view name, int index = -1) const;
  /// How many elements of the tuple `name` are used: 1 + the highest index; 0 if it is never subscripted.
  int tuple_size(std::string_view name) const;
  /// `s0 = arg0_1`: the symbol that the input is; empty if it is none.
  std::string_view symbol_of_input(std::string_view name) const;
  /// `s0 = x_size[0]` where x_size is x.size(): the symbol that is size (or stride) `axis` of x; empty if
  /// none.
  std::string_view symbol_of_size(std::string_view tensor, std::size_t axis) const;

 private:
  struct Use {
    std::string_view name;
    int index = -1;
  };
  void collect(std::span<const python::Stmt* const> body);
  void assignment(const python::Stmt& statement);
  void assertion(const python::Expr& call);
  void one_assertion(const python::Expr* tensor, const LayoutText& text);
  std::optional<LayoutText> layout(std::string_view name, int index, int budget) const;

  std::unordered_map<std::string_view, LayoutText> asserted_;
  std::unordered_map<std::string_view, std::vector<Use>> handed_on_;  ///< source -> names and element index
  std::unordered_map<std::string_view, int> tuple_size_;
  std::unordered_map<std::string_view, std::string_view> symbol_of_input_;
  std::unordered_map<std::string_view, std::string_view> sizes_of_;  ///< x_size -> x
  std::unordered_map<std::string_view, std::vector<std::pair<std::size_t, std::string_view>>> symbol_of_size_;
};

/// One example input of get_args() or benchmark_compiled_module().
struct ExampleInput {
  std::string_view name;
  std::optional<std::int64_t> integer;
  std::optional<std::vector<std::int64_t>> sizes;
  std::vector<std::int64_t> strides;
  std::optional<DType> dtype;
};

/// The example inputs in the order of the entry point's arguments; empty if the file has no benchmark part.
std::vector<ExampleInput> example_inputs(const python::Module& module);

/// "torch.float32" and the like as an expression.
std::optional<DType> dtype_of(const python::Expr& expr);
/// For types the model does not have (float8, complex, uint32): the integer type of the same size, which is
/// all that writing and reading need. nullopt where there is none of that size, and for what is no type.
std::optional<DType> dtype_of_size(const python::Expr& expr);
/// Is it the name of a size symbol: s0, u3, z1, zuf0?
bool is_symbol_name(std::string_view name);

}  // namespace bufferproof::model::wrapper
