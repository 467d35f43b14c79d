// arith, math and constants: on scalars of the function, on tensors, and on region arguments, which stand for
// whole iteration spaces here. Integer arithmetic on sizes becomes size expressions.
#include <fmt/format.h>

#include <charconv>

#include "model/read/mlir/body_reader.hpp"
#include "model/read/mlir/spellings.hpp"

namespace bufferproof::model::mlir {

using Kind = Token::Kind;

namespace {

constexpr std::size_t kMostLiterals = 1U << 20;

/// A literal in `dtype`: decimal, or 0x... as a bit pattern when the type is floating.
std::int64_t literal_bits(Lexer& lexer, DType dtype) {
  if (lexer.accept_word("true")) return 1;
  if (lexer.accept_word("false")) return 0;
  bool negative = lexer.accept("-");
  Token token = lexer.peek();
  if (token.kind != Kind::integer && token.kind != Kind::real) lexer.fail("a number");
  bool hex = token.text.substr(0, 2) == "0x";
  if (hex) {
    std::uint64_t bits = 0;
    auto [end, error] =
        std::from_chars(token.text.data() + 2, token.text.data() + token.text.size(), bits, 16);
    bool fits = error == std::errc() &&
                (size_in_bytes(dtype) == 8 || bits < (std::uint64_t{1} << (8 * size_in_bytes(dtype))));
    if (!fits) lexer.fail("a bit pattern of the element type");
    lexer.take();
    return negative ? -static_cast<std::int64_t>(bits) : static_cast<std::int64_t>(bits);
  }
  if (!is_floating(dtype)) {
    auto value = to_int64((negative ? "-" : "") + std::string(token.text));
    if (!value) lexer.fail("an integer of 64 bits");
    lexer.take();
    return *value;
  }
  double value = 0;
  std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  lexer.take();
  return bits_of(dtype, negative ? -value : value);
}

/// `[[1, 2], [3, 4]]` flattened.
void read_literals(Lexer& lexer, DType dtype, std::vector<std::int64_t>& bits, int depth = 0) {
  if (depth > 32 || bits.size() > kMostLiterals) lexer.fail("a literal of at most 32 axes and 2^20 elements");
  if (!lexer.accept("[")) {
    bits.push_back(literal_bits(lexer, dtype));
    return;
  }
  bool first = true;
  while (!lexer.accept("]")) {
    if (!first) lexer.expect(",");
    first = false;
    read_literals(lexer, dtype, bits, depth + 1);
  }
}

/// Rounding of arith's conversions: to nearest between floats and from integers, towards zero to integers.
std::string_view rounding(DType from, DType to) {
  return is_floating(from) && !is_floating(to) ? "trunc" : "rint";
}

}  // namespace

void BodyReader::read_constant(const Statement& statement) {
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  if (lexer_.accept_word("dense")) {
    return read_dense(statement, lexer_.skip_balanced());
  }
  bool boolean = lexer_.peek().is_word("true") || lexer_.peek().is_word("false");
  if (boolean && !lexer_.peek().is_punct(":")) {
    bool value = lexer_.take().is_word("true");
    if (lexer_.accept(":")) read_type(lexer_);
    return define(statement, builder_.constant(DType::i1, value, statement.where));
  }
  // The type stands after the number: read it first, then the number again in that type.
  Lexer number = lexer_;
  lexer_.accept("-");
  lexer_.take();
  lexer_.expect(":");
  Type type = read_type(lexer_);
  if (type.kind != Type::Kind::scalar && type.kind != Type::Kind::index)
    unsupported(statement, std::string(type.text));
  ValueId id = builder_.constant(type.dtype, literal_bits(number, type.dtype), statement.where);
  builder_.mark_scalar(id);
  define(statement, id);
}

void BodyReader::read_dense(const Statement& statement, std::string_view raw) {
  lexer_.expect(":");
  Type type = read_type(lexer_);
  if (type.kind != Type::Kind::tensor) unsupported(statement, "dense of " + std::string(type.text));
  TensorType shape = to_tensor_type(type, "dense");
  Lexer values(raw, statement.where);
  if (values.peek().kind == Kind::string) unsupported(statement, "a literal in hexadecimal");
  std::vector<std::int64_t> bits;
  bool splat = !values.peek().is_punct("[");
  if (values.peek().kind != Kind::end) read_literals(values, type.dtype, bits);
  if (splat && bits.size() == 1) {
    ValueId one = builder_.constant(type.dtype, bits[0], statement.where);
    return define(statement, builder_.broadcast_to(one, shape.shape, statement.where));
  }
  define(statement, builder_.add("dense", {}, {{"bits", bits}, {"dtype", type.dtype}, {"shape", shape.shape}},
                                 statement.where));
}

void BodyReader::level_shapes(std::vector<ValueId>& operands, const SourceLocation& where) {
  std::size_t rank = 0;
  const std::vector<SymExpr>* widest = nullptr;
  std::vector<std::vector<SymExpr>> shapes;
  for (ValueId id : operands) shapes.push_back(shape_of(id));
  for (const auto& shape : shapes)
    if (shape.size() > rank) {
      rank = shape.size();
      widest = &shape;
    }
  if (!widest) return;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (shapes[i].empty()) operands[i] = builder_.broadcast_to(operands[i], *widest, where);
}

void BodyReader::emit_elementwise(const Statement& statement, std::string_view op,
                                  std::vector<ValueId> operands) {
  level_shapes(operands, statement.where);
  ValueId id = builder_.add(op, std::move(operands), {}, statement.where);
  if (builder_.type(id).rank() == 0) builder_.mark_scalar(id);
  define(statement, id);
}

/// Arithmetic on sizes: emits one `size` instead of an operation. True if it did.
bool BodyReader::fold_integers(const Statement& statement, std::string_view op,
                               const std::vector<ValueId>& operands) {
  if (operands.size() != 2) return false;
  std::vector<SymExpr> values;
  for (ValueId id : operands) {
    if (id < 0 || !builder_.value(id).integer || builder_.value(id).type.rank() != 0) return false;
    values.push_back(builder_.resolve(*builder_.value(id).integer));
  }
  bool positive = values[1].constant().value_or(0) > 0;
  std::optional<SymExpr> out;
  if (op == "add") out = values[0] + values[1];
  if (op == "sub") out = values[0] - values[1];
  if (op == "mul") out = values[0] * values[1];
  if (op == "max") out = max(values[0], values[1]);
  if (op == "min") out = min(values[0], values[1]);
  // Division rounds towards zero in arith: the same as the floor for sizes, which are not negative.
  if ((op == "div" || op == "divu" || op == "floordiv") && positive) out = floordiv(values[0], values[1]);
  if (op == "ceildiv" && positive) out = floordiv(values[0] + values[1] - SymExpr(1), values[1]);
  if ((op == "mod" || op == "modu") && positive) out = mod(values[0], values[1]);
  if (!out || builder_.value(operands[0]).type.dtype != DType::i64) return false;
  ValueId id = builder_.size(*out, statement.where);
  builder_.mark_scalar(id);
  define(statement, id);
  return true;
}

/// `fold(accumulator, element)` in a region. True if an operand was an accumulator.
bool BodyReader::combine(const Statement& statement, const std::vector<ValueId>& operands) {
  std::size_t accumulators = 0;
  for (ValueId id : operands) accumulators += id <= kFirstFold;
  if (accumulators == 0) return false;
  const Spelling* spelling = find_spelling(statement.op);
  if (accumulators != 1 || operands.size() != 2 || !spelling || spelling->fold.empty())
    unsupported(statement, "not a single fold of the accumulator");
  bool first = operands[0] <= kFirstFold;
  const Fold& accumulator = *fold_of(operands[first ? 0 : 1]);
  if (!accumulator.fn.empty()) unsupported(statement, "folds the accumulator twice");
  ValueId fold = add_fold({std::string(spelling->fold), accumulator.accumulator, operands[first ? 1 : 0]});
  define_all(statement, {fold});
  return true;
}

void BodyReader::read_arith(const Statement& statement) {
  std::vector<ValueId> operands = use_list();
  if (lexer_.accept_word("fastmath")) lexer_.skip_balanced();
  if (lexer_.accept_word("overflow")) lexer_.skip_balanced();
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  Type type = read_type(lexer_);
  while (lexer_.accept(",")) read_type(lexer_);
  if (lexer_.accept("->")) read_type(lexer_);
  for (ValueId id : operands) check_type(id, type);
  if (combine(statement, operands)) return;
  const Spelling* spelling = find_spelling(statement.op);
  if (fold_integers(statement, spelling->op, operands)) return;
  emit_elementwise(statement, spelling->op, std::move(operands));
}

void BodyReader::read_compare(const Statement& statement) {
  std::string_view predicate = lexer_.expect(Kind::word, "a predicate").text;
  lexer_.expect(",");
  std::vector<ValueId> operands = use_list();
  if (lexer_.accept_word("fastmath")) lexer_.skip_balanced();
  lexer_.expect(":");
  Type type = read_type(lexer_);
  for (ValueId id : operands) check_type(typed(id), type);
  auto op = compare_predicate(predicate, statement.op == "arith.cmpf");
  if (!op) unsupported(statement, "predicate " + std::string(predicate));
  if (operands.size() != 2)
    throw InputError(statement.where, "2 operands", fmt::format("{}", operands.size()));
  const auto& left = builder_.value(operands[0]).integer;
  const auto& right = builder_.value(operands[1]).integer;
  if (left && right)
    comparisons_[static_cast<ValueId>(builder_.function().values.size())] = {std::string(*op), *left, *right};
  emit_elementwise(statement, *op, std::move(operands));
}

bool BodyReader::fold_select(const Statement& statement, const std::vector<ValueId>& operands) {
  auto found = comparisons_.find(operands[0]);
  const auto& taken = builder_.value(operands[1]).integer;
  const auto& other = builder_.value(operands[2]).integer;
  if (found == comparisons_.end() || !taken || !other) return false;
  const auto& [op, left, right] = found->second;
  bool less = op == "lt" || op == "le";
  bool greater = op == "gt" || op == "ge";
  if (!less && !greater) return false;
  const SymExpr& low = less ? left : right;  // the condition reads low <(=) high
  const SymExpr& high = less ? right : left;
  bool strict = op == "lt" || op == "gt";
  std::optional<SymExpr> out;
  if (*taken == low && *other == high) out = smaller(low, high);
  if (*taken == high && *other == low) out = larger(low, high);
  if (strict ? provably_lt(low, high) : provably_le(low, high)) out = *taken;
  if (strict ? provably_le(high, low) : provably_lt(high, low)) out = *other;
  if (!out) return false;
  ValueId id = builder_.size(*out, statement.where);
  builder_.mark_scalar(id);
  define(statement, id);
  return true;
}

void BodyReader::read_select(const Statement& statement) {
  std::vector<ValueId> operands = use_list();
  lexer_.expect(":");
  std::vector<Type> types = read_type_list(lexer_);
  if (operands.size() != 3)
    throw InputError(statement.where, "3 operands", fmt::format("{}", operands.size()));
  for (std::size_t i = 1; i < 3; ++i) check_type(typed(operands[i]), types.back());
  if (fold_select(statement, operands)) return;
  emit_elementwise(statement, "select", std::move(operands));
}

void BodyReader::read_cast_like(const Statement& statement) {
  ValueId operand = use();
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  Type from = read_type(lexer_);
  if (!lexer_.accept_word("to")) lexer_.fail("'to'");
  Type to = read_type(lexer_);
  check_type(typed(operand), from);
  if (to.kind == Type::Kind::other) unsupported(statement, "to " + std::string(to.text));
  bool sizes =
      statement.op == "arith.index_cast" || statement.op == "arith.extsi" || statement.op == "arith.trunci";
  if (sizes && to.dtype == DType::i64 && builder_.value(operand).integer) {
    ValueId id = builder_.size(builder_.resolve(*builder_.value(operand).integer), statement.where);
    builder_.mark_scalar(id);
    return define(statement, id);
  }
  if (statement.op == "arith.truncf" && from.dtype == to.dtype)
    notes_.push_back(
        {BodyNote::Kind::truncation_to_same_type,
         fmt::format("'arith.truncf {} to {}' is no truncation: the compiler rejects this text, so every "
                     "compile of the kernel fails and it runs as its fallback",
                     name(from.dtype), name(to.dtype)),
         statement.where});
  bool is_unsigned = statement.op == "arith.uitofp" || statement.op == "arith.extui";
  if (is_unsigned && from.dtype != DType::i1 && from.dtype != DType::u8)
    unsupported(statement, "from " + std::string(from.text));
  if (statement.op == "arith.bitcast") {
    define(statement, builder_.add("bitcast", {operand}, {{"dtype", to.dtype}}, statement.where));
    return;
  }
  ValueId id = builder_.cast(operand, to.dtype, statement.where, rounding(from.dtype, to.dtype));
  if (to.kind != Type::Kind::tensor && builder_.type(id).rank() == 0) builder_.mark_scalar(id);
  define(statement, id);
}

void BodyReader::read_linalg_index(const Statement& statement) {
  auto dim = to_int64(lexer_.expect(Kind::integer, "a dimension").text);
  if (lexer_.accept(":")) read_type(lexer_);
  if (region_depth_ == 0 || !dim || *dim < 0 || static_cast<std::size_t>(*dim) >= space_.size())
    throw InputError(statement.where, "a dimension of the enclosing operation",
                     fmt::format("{}", dim.value_or(-1)));
  define(statement, builder_.add("iota", {}, {{"dim", *dim}, {"dtype", DType::i64}, {"shape", space_}},
                                 statement.where));
}

}  // namespace bufferproof::model::mlir
