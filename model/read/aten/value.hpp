// Arguments and results of aten calls: what torch-dialect text and FX text both consist of.
//
// Tested by tests/model/body_fx_test.cpp and tests/model/body_torch_dialect_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/tensor_function.hpp"

namespace bufferproof::model::aten {

struct Value {
  enum class Kind : std::uint8_t { none, tensor, integer, real, boolean, text, dtype, list };
  Kind kind = Kind::none;
  ValueId tensor = -1;
  SymExpr integer;
  double real = 0;
  bool boolean = false;
  std::string text;  ///< of a string; of `dtype`, a spelling that is no element type of ours
  DType dtype = DType::f32;
  std::vector<Value> items;

  static Value of_tensor(ValueId id);
  static Value of_integer(SymExpr value);
  static Value of_real(double value);
  static Value of_bool(bool value);
  static Value of_text(std::string text);
  static Value of_dtype(DType dtype);
  static Value of_list(std::vector<Value> items);

  bool is(Kind wanted) const { return kind == wanted; }
  bool is_number() const { return kind == Kind::integer || kind == Kind::real || kind == Kind::boolean; }
};

/// One call: `aten.add.Tensor`, `prims.convert_element_type.default`, ... Overload names may be missing.
struct Call {
  std::string op;
  std::vector<Value> arguments;
  std::map<std::string, Value, std::less<>> keywords;
  SourceLocation where;

  /// By position, else by keyword; null if absent or None.
  const Value* find(std::size_t position, std::string_view keyword) const;
};

}  // namespace bufferproof::model::aten
