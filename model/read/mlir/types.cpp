#include "model/read/mlir/types.hpp"

namespace bufferproof::model::mlir {
namespace {

using Kind = Token::Kind;

std::size_t end_of(const Token& token) {
  return token.offset + token.text.size() + (token.kind == Kind::type ? 1 : 0);
}

/// Element type: the current token. Leaves it consumed.
void read_element(Lexer& lexer, Type& type) {
  Token token = lexer.take();
  if (token.is_word("index")) {
    type.dtype = DType::i64;
  } else if (auto dtype = token.kind == Kind::word ? parse_dtype(token.text) : std::nullopt) {
    type.dtype = *dtype;
  } else {
    type.kind = Type::Kind::other;
  }
}

void read_tensor(Lexer& lexer, Type& type) {
  type.kind = Type::Kind::tensor;
  if (!lexer.peek().is_punct("<")) lexer.fail("'<' after 'tensor'");
  lexer.take();
  if (lexer.peek().is_punct("*")) {
    type.kind = Type::Kind::other;
    while (!lexer.peek().is_punct(">") && lexer.peek().kind != Kind::end) lexer.take();
  } else {
    type.dims = lexer.read_dimensions();
    if (lexer.peek().kind != Kind::word && lexer.peek().kind != Kind::type) lexer.fail("an element type");
    read_element(lexer, type);
    if (lexer.accept(",")) lexer.skip_value();
    if (lexer.peek().is_punct("<")) lexer.skip_balanced();
  }
  lexer.expect(">");
}

}  // namespace

Type read_type(Lexer& lexer) {
  Type type;
  type.where = lexer.here();
  std::size_t begin = lexer.peek().offset;
  const Token token = lexer.peek();
  std::size_t end = end_of(token);
  if (lexer.accept_word("tensor")) {
    read_tensor(lexer, type);
    end = lexer.peek().offset;
  } else if (lexer.accept_word("index")) {
    type.kind = Type::Kind::index;
  } else if (token.is_punct("(")) {
    lexer.skip_balanced();
    end = lexer.peek().offset;
  } else if (token.kind == Kind::word || token.kind == Kind::type) {
    lexer.take();
    auto dtype = token.kind == Kind::word ? parse_dtype(token.text) : std::nullopt;
    type.kind = dtype ? Type::Kind::scalar : Type::Kind::other;
    if (dtype) type.dtype = *dtype;
    if (!dtype && lexer.peek().is_punct("<")) {
      lexer.skip_balanced();
      end = lexer.peek().offset;
    }
  } else {
    lexer.fail("a type");
  }
  std::string_view text = lexer.text_from(begin, end);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  type.text = text.substr(0, 100);
  return type;
}

std::vector<Type> read_type_list(Lexer& lexer) {
  std::vector<Type> types;
  do {
    types.push_back(read_type(lexer));
  } while (lexer.accept(","));
  return types;
}

}  // namespace bufferproof::model::mlir
