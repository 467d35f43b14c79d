// The tensor dialect: padding.
#include "model/read/mlir/body_reader.hpp"

namespace bufferproof::model::mlir {

using Kind = Token::Kind;

/// `(%i: index, %j: index)` of a padding's region.
void BodyReader::read_positions() {
  if (!lexer_.accept("(")) return;
  while (!lexer_.accept(")")) {
    positions_.insert(lexer_.expect(Kind::value, "a block argument").text);
    lexer_.expect(":");
    read_type(lexer_);
    lexer_.accept(",");
  }
}

/// Negative padding cuts elements off.
ValueId BodyReader::crop(ValueId value, std::vector<SymExpr>& low, std::vector<SymExpr>& high,
                         const Statement& statement) {
  std::vector<SymExpr> sizes = shape_of(value);
  if (low.size() != sizes.size() || high.size() != sizes.size()) return value;
  Window window{std::vector<SymExpr>(sizes.size(), SymExpr(0)), sizes,
                std::vector<std::int64_t>(sizes.size(), 1)};
  bool cuts = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (SymExpr* side : {&low[i], &high[i]}) {
      if (!provably_lt(*side, 0)) continue;
      if (side == &low[i]) window.offsets[i] = -*side;
      window.sizes[i] = window.sizes[i] + *side;
      *side = 0;
      cuts = true;
    }
  }
  return cuts ? builder_.add("slice", {value}, window.attributes(), statement.where) : value;
}

/// `%x low[..] high[..] { ^bb0(..): tensor.yield %v : f32 } : A to B`
void BodyReader::read_pad(const Statement& statement) {
  ValueId operand = typed(use());
  lexer_.accept_word("nofold");
  if (!lexer_.accept_word("low")) lexer_.fail("'low'");
  std::vector<SymExpr> low = read_mixed_sizes();
  if (!lexer_.accept_word("high")) lexer_.fail("'high'");
  std::vector<SymExpr> high = read_mixed_sizes();
  std::vector<ValueId> operands{operand};
  lexer_.expect("{");
  if (lexer_.peek().kind == Kind::caret) {
    lexer_.take();
    read_positions();
    lexer_.expect(":");
  }
  scopes_.emplace_back();
  if (scopes_.size() > 64) lexer_.fail("at most 64 nested regions");
  while (!lexer_.peek().is_word("tensor.yield") && !lexer_.peek().is_punct("}")) read_statement();
  if (lexer_.accept_word("tensor.yield")) {
    operands.push_back(typed(use()));
    lexer_.expect(":");
    check_type(operands.back(), read_type(lexer_));
  }
  scopes_.pop_back();
  lexer_.expect("}");
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  check_type(operand, read_type(lexer_));
  if (!lexer_.accept_word("to")) lexer_.fail("'to'");
  Type to = read_type(lexer_);
  positions_.clear();
  operands[0] = crop(operand, low, high, statement);
  ValueId id = builder_.add("pad", operands, {{"high", high}, {"low", low}}, statement.where);
  check_type(id, to);
  define(statement, id);
}

}  // namespace bufferproof::model::mlir
