// The tensor dialect: single elements, splats, reshapes without groups, bit casts, hints.
#include "model/read/mlir/body_reader.hpp"

namespace bufferproof::model::mlir {

void BodyReader::read_extract(const Statement& statement) {
  ValueId tensor = typed(use());
  std::vector<SymExpr> offsets = read_mixed_sizes();
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  check_type(tensor, read_type(lexer_));
  ValueId id = tensor;
  if (!offsets.empty()) {
    Window window{offsets, std::vector<SymExpr>(offsets.size(), SymExpr(1)),
                  std::vector<std::int64_t>(offsets.size(), 1)};
    id = builder_.reshape(builder_.add("slice", {tensor}, window.attributes(), statement.where), {},
                          statement.where);
  }
  define(statement, id);
}

void BodyReader::read_from_elements(const Statement& statement) {
  std::vector<ValueId> elements;
  if (lexer_.peek().kind == Token::Kind::value) elements = use_list();
  lexer_.expect(":");
  Type type = read_type(lexer_);
  if (elements.empty() || type.kind != Type::Kind::tensor)
    unsupported(statement, "of " + std::string(type.text));
  std::vector<ValueId> ones;
  for (ValueId id : elements) ones.push_back(builder_.reshape(typed(id), {SymExpr(1)}, statement.where));
  ValueId flat = builder_.add("concat", ones, {{"dim", std::int64_t{0}}}, statement.where);
  ValueId id = builder_.reshape(flat, to_tensor_type(type, "elements").shape, statement.where);
  define(statement, id);
}

void BodyReader::read_splat(const Statement& statement) {
  ValueId value = typed(use());
  std::vector<SymExpr> sizes;
  if (lexer_.peek().is_punct("[")) sizes = read_mixed_sizes();
  lexer_.expect(":");
  Type type = read_type(lexer_);
  if (type.kind != Type::Kind::tensor) unsupported(statement, "of " + std::string(type.text));
  TensorType to = to_tensor_type(type, "splat");
  std::size_t next = 0;
  for (std::size_t i = 0; i < type.dims.size() && next < sizes.size(); ++i)
    if (!type.dims[i]) to.shape[i] = sizes[next++];
  define(statement, builder_.broadcast_to(value, to.shape, statement.where));
}

/// `%x(%shape) : (T, tensor<2xi64>) -> U`: U says the sizes; a single `?` is what is left of the elements.
void BodyReader::read_reshape(const Statement& statement) {
  ValueId operand = typed(use());
  lexer_.expect("(");
  typed(use());
  lexer_.expect(")");
  lexer_.expect(":");
  lexer_.skip_balanced();
  lexer_.expect("->");
  Type to = read_type(lexer_);
  if (to.kind != Type::Kind::tensor) unsupported(statement, "to " + std::string(to.text));
  std::vector<SymExpr> shape;
  SymExpr known = 1;
  std::optional<std::size_t> open;
  for (const auto& dim : to.dims) {
    if (!dim && open) unsupported(statement, "two open sizes");
    if (!dim) open = shape.size();
    shape.emplace_back(dim.value_or(1));
    known = known * shape.back();
  }
  if (open && known.constant() == 0) unsupported(statement, "an open size beside a size of 0");
  if (open) shape[*open] = floordiv(product(shape_of(operand)), known);
  ValueId id = builder_.reshape(operand, shape, statement.where);
  check_type(id, to);
  define(statement, id);
}

/// One element replaced.
void BodyReader::read_insert(const Statement& statement) {
  ValueId element = typed(use());
  if (!lexer_.accept_word("into")) lexer_.fail("'into'");
  ValueId base = typed(use());
  std::vector<SymExpr> offsets = read_mixed_sizes();
  lexer_.expect(":");
  check_type(base, read_type(lexer_));
  std::vector<SymExpr> one(offsets.size(), SymExpr(1));
  Window window{offsets, one, std::vector<std::int64_t>(offsets.size(), 1)};
  ValueId source = builder_.reshape(element, one, statement.where);
  define(statement, builder_.add("insert_slice", {source, base}, window.attributes(), statement.where));
}

/// `%x : T -> U` (hivm), `%x : T to U` (tensor): the same bytes under another element type.
void BodyReader::read_plain_bitcast(const Statement& statement) {
  ValueId operand = typed(use());
  lexer_.expect(":");
  check_type(operand, read_type(lexer_));
  if (!lexer_.accept_word("to")) lexer_.expect("->");
  Type to = read_type(lexer_);
  if (to.kind != Type::Kind::tensor) unsupported(statement, "to " + std::string(to.text));
  ValueId id = builder_.add("bitcast", {operand}, {{"dtype", to.dtype}}, statement.where);
  check_type(id, to);
  define(statement, id);
}

/// A hint to the compiler: no meaning.
void BodyReader::read_mark(const Statement& statement) {
  use();
  while (lexer_.peek().is_word("keys") || lexer_.peek().is_word("values"))
    unsupported(statement, "with keys");
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  read_type(lexer_);
}

}  // namespace bufferproof::model::mlir
