#include "model/read/fx/annotation.hpp"

#include "model/body/text_reader.hpp"

namespace bufferproof::model::fx {

using Kind = mlir::Token::Kind;

Annotation read_annotation(std::string_view text, const SourceLocation& where) {
  Annotation out;
  mlir::Lexer lexer(text, where, mlir::Comments::semicolon);
  if (lexer.accept_word("Tensor") && lexer.peek().kind == Kind::string)
    return read_annotation(lexer.take().text, where);
  if (lexer.accept_word("Sym")) {
    lexer.expect("(");
    out.size = read_size(lexer);
    return out;
  }
  auto dtype = lexer.peek().kind == Kind::word ? parse_dtype(lexer.peek().text) : std::nullopt;
  if (!dtype) return out;
  lexer.take();
  TensorType type{*dtype, {}};
  lexer.expect("[");
  while (!lexer.accept("]")) {
    if (!type.shape.empty()) lexer.expect(",");
    type.shape.push_back(read_size(lexer));
    if (type.shape.size() > 64) lexer.fail("a tensor of at most 64 dimensions");
  }
  out.tensor = std::move(type);
  return out;
}

}  // namespace bufferproof::model::fx
