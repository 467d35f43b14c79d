// Types of MLIR text: tensors with `?` sizes and scalars; everything else is known by its spelling only.
//
// Tested by tests/model/body_mlir_test.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/dtype.hpp"
#include "model/read/mlir/lexer.hpp"

namespace bufferproof::model::mlir {

struct Type {
  enum class Kind : std::uint8_t { tensor, scalar, index, other };
  Kind kind = Kind::other;
  DType dtype = DType::i64;
  std::vector<std::optional<std::int64_t>> dims;  ///< nullopt: `?`
  std::string_view text;                          ///< as written, in the lexer's text
  SourceLocation where;
};

/// Reads one type. An element type outside the set gives Kind::other, never an error.
Type read_type(Lexer& lexer);
/// `T1, T2, ...`
std::vector<Type> read_type_list(Lexer& lexer);

}  // namespace bufferproof::model::mlir
