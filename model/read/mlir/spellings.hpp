// The one table of the MLIR reader: how linalg, hfusion, arith and math spell the operations of the registry.
//
// Tested by tests/model/body_mlir_test.cpp.
#pragma once

#include <optional>
#include <string_view>

namespace bufferproof::model::mlir {

/// `#linalg.unary_fn<exp>`, `#hfusion.compare_fn<veq>`, ... : the registry's name of the function inside the
/// brackets; nullopt where it has none.
std::optional<std::string_view> function_op(std::string_view enumeration, std::string_view value);

/// An operation of arith or math, or a named elementwise operation of linalg.
struct Spelling {
  enum class Form : std::uint8_t {
    elementwise,  ///< result type is the operand type
    cast,         ///< "x : A to B"
    compare,      ///< predicate first
    select
  };
  std::string_view text;
  std::string_view op;
  Form form = Form::elementwise;
  std::string_view fold = {};  ///< what reducing with it means, empty if it is not a fold
};
const Spelling* find_spelling(std::string_view text);
/// Predicate of arith.cmpf / arith.cmpi; nullopt where the registry has none (ordered/unordered mixes).
std::optional<std::string_view> compare_predicate(std::string_view predicate, bool floating);
/// `linalg.add`, `linalg.exp`, ... named elementwise operations: registry name, or nullopt.
std::optional<std::string_view> named_elementwise(std::string_view text);

}  // namespace bufferproof::model::mlir
