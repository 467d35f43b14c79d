// Attribute dictionaries, affine maps and other bracketed attributes of MLIR text.
//
// Values stay raw text; what an operation needs of them is read by name.
// Tested by tests/model/body_mlir_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "model/read/mlir/lexer.hpp"

namespace bufferproof::model::mlir {

struct DictEntry {
  std::string_view key;
  std::string_view value;  ///< raw text; empty for a unit attribute
};
using Dict = std::vector<DictEntry>;

/// `{a = 1, b}`; the current token is the brace.
Dict read_dict(Lexer& lexer);
/// Raw value, or empty.
std::string_view find_entry(const Dict& dict, std::string_view key);
/// `#linalg.unary_fn<exp>` split into "unary_fn" and "exp"; empty where it has another form.
struct EnumValue {
  std::string_view enumeration;
  std::string_view value;
};
EnumValue read_enum(std::string_view raw);
/// `[0, 1]` at the current token, plain integers only.
std::vector<std::int64_t> read_integers(Lexer& lexer);

/// One result of an affine map: a dimension, or a constant. Anything else: neither.
struct MapResult {
  int dim = -1;
  bool zero = false;
};
struct AffineMap {
  std::size_t dims = 0;
  std::vector<MapResult> results;
  bool projection = true;  ///< every result is a plain dimension or the constant 0
};
/// The text between `affine_map<` and `>`: `(d0, d1) -> (d0)`.
AffineMap read_affine_map(std::string_view raw, const SourceLocation& where);

}  // namespace bufferproof::model::mlir
