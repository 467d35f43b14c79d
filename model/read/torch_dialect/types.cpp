#include "model/read/torch_dialect/types.hpp"

namespace bufferproof::model::torch_dialect {

using Kind = mlir::Token::Kind;

namespace {

/// `<[4,?],f32>`; an element type outside the set leaves the type `other`.
void read_vtensor(mlir::Lexer& lexer, TorchType& type) {
  type.kind = TorchType::Kind::tensor;
  lexer.expect("<");
  if (!lexer.accept("[")) lexer.fail("a shape", "tensors without a known rank are not read");
  while (!lexer.accept("]")) {
    if (!type.dims.empty()) lexer.expect(",");
    if (lexer.accept("?")) {
      type.dims.emplace_back();
    } else {
      auto size = mlir::to_int64(lexer.expect(Kind::integer, "a size or '?'").text);
      if (!size) lexer.fail("a size below 2^63");
      type.dims.emplace_back(*size);
    }
    if (type.dims.size() > 64) lexer.fail("a tensor of at most 64 dimensions");
  }
  lexer.expect(",");
  auto dtype = parse_dtype(lexer.peek().text);
  if (dtype && lexer.peek().kind == Kind::word) {
    type.dtype = *dtype;
  } else {
    type.kind = TorchType::Kind::other;
  }
  lexer.take();
  while (!lexer.peek().is_punct(">") && lexer.peek().kind != Kind::end) lexer.take();
  lexer.expect(">");
}

}  // namespace

TorchType read_torch_type(mlir::Lexer& lexer) {
  TorchType type;
  type.where = lexer.here();
  if (lexer.peek().is_punct("(")) {
    lexer.skip_balanced();
    type.text = "a group of types";
    return type;
  }
  mlir::Token token = lexer.expect(Kind::type, "a torch type");
  std::size_t begin = token.offset;
  if (token.text == "torch.vtensor") {
    read_vtensor(lexer, type);
  } else {
    if (token.text == "torch.int") type.kind = TorchType::Kind::integer;
    if (lexer.peek().is_punct("<")) lexer.skip_balanced();
  }
  std::string_view text = lexer.text_from(begin, lexer.peek().offset);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  type.text = text.substr(0, 100);
  return type;
}

std::vector<TorchType> read_torch_results(mlir::Lexer& lexer) {
  std::vector<TorchType> types;
  bool bracketed = lexer.accept("(");
  if (bracketed && lexer.accept(")")) return types;
  do {
    types.push_back(read_torch_type(lexer));
    if (lexer.peek().is_punct("{") && bracketed) lexer.skip_balanced();
  } while (lexer.accept(","));
  if (bracketed) lexer.expect(")");
  return types;
}

}  // namespace bufferproof::model::torch_dialect
