// Types of torch-dialect text: `!torch.vtensor<[4,?],f32>`, `!torch.int`, and others by their spelling.
//
// Tested by tests/model/body_torch_dialect_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/dtype.hpp"
#include "model/read/mlir/lexer.hpp"

namespace bufferproof::model::torch_dialect {

struct TorchType {
  enum class Kind : std::uint8_t { tensor, integer, other };
  Kind kind = Kind::other;
  DType dtype = DType::f32;
  std::vector<std::optional<std::int64_t>> dims;
  std::string text;
  SourceLocation where;
};

TorchType read_torch_type(mlir::Lexer& lexer);
/// `T`, `T1, T2` or `(T1, T2)`
std::vector<TorchType> read_torch_results(mlir::Lexer& lexer);

}  // namespace bufferproof::model::torch_dialect
