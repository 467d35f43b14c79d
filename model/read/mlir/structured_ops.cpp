// linalg and hfusion operations in destination-passing form on whole tensors.
#include <fmt/format.h>

#include <algorithm>

#include "model/read/mlir/body_reader.hpp"
#include "model/read/mlir/spellings.hpp"

namespace bufferproof::model::mlir {

using Kind = Token::Kind;

namespace {

std::vector<std::int64_t> complement(const std::vector<std::int64_t>& axes, std::size_t rank) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < rank; ++i)
    if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) == axes.end())
      out.push_back(static_cast<std::int64_t>(i));
  return out;
}

}  // namespace

/// Reads the optional result types, checks them, and names the results.
void BodyReader::finish_structured(const Statement& statement, const Structured& parts,
                                   std::vector<ValueId> results) {
  for (std::size_t i = 0; i < results.size() && i < parts.outs.values.size(); ++i) {
    const std::vector<SymExpr>& shape = builder_.type(typed(results[i])).shape;
    const std::vector<SymExpr>& wanted = builder_.type(typed(parts.outs.values[i])).shape;
    if (shape.size() != wanted.size())
      throw InputError(statement.where, "a result of " + builder_.type(parts.outs.values[i]).str(),
                       builder_.type(results[i]).str());
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      builder_.require_equal(shape[axis], wanted[axis], statement.where, "result sizes");
  }
  if (lexer_.accept("->")) {
    bool bracketed = lexer_.accept("(");
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (i) lexer_.expect(",");
      check_type(results[i], read_type(lexer_));
    }
    if (bracketed) lexer_.expect(")");
  }
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  define_all(statement, results);
}

/// ins op outs, scalars repeated, operands converted to the destination's type as linalg does.
void BodyReader::elementwise_into(const Statement& statement, const Structured& parts, std::string_view op) {
  if (parts.outs.values.size() != 1) unsupported(statement, "several destinations");
  TensorType destination = builder_.type(typed(parts.outs.values[0]));
  if (op == "rec" && !is_floating(destination.dtype)) unsupported(statement, "of integers");
  std::vector<ValueId> operands = parts.ins.values;
  bool compares = destination.dtype == DType::i1;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    TensorType type = builder_.type(typed(operands[i]));
    bool condition = op == "select" && i == 0;
    if (type.dtype != destination.dtype && !compares && !condition)
      operands[i] =
          builder_.cast(operands[i], destination.dtype, statement.where,
                        is_floating(type.dtype) && !is_floating(destination.dtype) ? "trunc" : "rint");
    if (type.rank() == 0 && destination.rank() > 0)
      operands[i] = builder_.broadcast_to(operands[i], destination.shape, statement.where);
  }
  ValueId result = op.empty() ? operands.at(0) : builder_.add(op, std::move(operands), {}, statement.where);
  finish_structured(statement, parts, {result});
}

void BodyReader::read_fill(const Statement& statement) {
  Structured parts = read_structured();
  if (parts.ins.values.size() != 1 || parts.outs.values.size() != 1)
    unsupported(statement, "more than one operand");
  TensorType destination = builder_.type(typed(parts.outs.values[0]));
  ValueId value = typed(parts.ins.values[0]);
  if (builder_.type(value).dtype != destination.dtype)
    value = builder_.cast(value, destination.dtype, statement.where);
  finish_structured(statement, parts, {builder_.broadcast_to(value, destination.shape, statement.where)});
}

void BodyReader::read_elemwise(const Statement& statement) {
  Structured parts = read_structured();
  EnumValue fun = read_enum(find_entry(parts.attributes, "fun"));
  // linalg's defaults when `fun` is not written.
  if (fun.value.empty() && statement.op == "linalg.elemwise_unary") fun = {"unary_fn", "exp"};
  if (fun.value.empty() && statement.op == "linalg.elemwise_binary") fun = {"binary_fn", "add"};
  auto op = function_op(fun.enumeration, fun.value);
  if (!op) unsupported(statement, fmt::format("function {}", fun.value));
  elementwise_into(statement, parts, *op);
}

/// `hfusion.isinf %x : T -> U`
void BodyReader::read_plain_unary(const Statement& statement, std::string_view op) {
  ValueId operand = typed(use());
  lexer_.expect(":");
  check_type(operand, read_type(lexer_));
  ValueId id = builder_.add(op, {operand}, {}, statement.where);
  lexer_.expect("->");
  check_type(id, read_type(lexer_));
  define(statement, id);
}

void BodyReader::read_named_elementwise(const Statement& statement) {
  if (lexer_.peek().kind == Kind::value && named_elementwise(statement.op))
    return read_plain_unary(statement, *named_elementwise(statement.op));
  Structured parts = read_structured();
  if (statement.op == "linalg.square") {
    parts.ins.values.push_back(parts.ins.values.at(0));
    return elementwise_into(statement, parts, "mul");
  }
  elementwise_into(statement, parts, *named_elementwise(statement.op));
}

void BodyReader::read_compare_fn(const Statement& statement) {
  Structured parts = read_structured();
  std::string_view raw = find_entry(parts.attributes, "compare_fn");
  if (raw.empty()) raw = find_entry(parts.attributes, "fun");
  EnumValue fun = read_enum(raw);
  auto op = function_op("compare_fn", fun.value);
  if (!op) unsupported(statement, fmt::format("function {}", fun.value));
  elementwise_into(statement, parts, *op);
}

void BodyReader::read_cast(const Statement& statement) {
  Structured parts = read_structured();
  EnumValue round = read_enum(find_entry(parts.attributes, "round_mode"));
  EnumValue sign = read_enum(find_entry(parts.attributes, "cast"));
  EnumValue mode = read_enum(find_entry(parts.attributes, "unsigned_mode"));
  if (!sign.value.empty() && sign.value != "cast_signed") unsupported(statement, std::string(sign.value));
  if (!mode.value.empty() && mode.value != "si2si") unsupported(statement, std::string(mode.value));
  if (parts.ins.values.size() != 1 || parts.outs.values.size() != 1)
    unsupported(statement, "more than one operand");
  TensorType destination = builder_.type(typed(parts.outs.values[0]));
  ValueId operand = typed(parts.ins.values[0]);
  if (builder_.type(operand).rank() == 0)
    operand = builder_.broadcast_to(operand, destination.shape, statement.where);
  std::string_view rounding = round.value.empty() ? "rint" : round.value;
  finish_structured(statement, parts, {builder_.cast(operand, destination.dtype, statement.where, rounding)});
}

void BodyReader::read_bitcast(const Statement& statement) {
  Structured parts = read_structured();
  if (parts.ins.values.size() != 1 || parts.outs.values.size() != 1)
    unsupported(statement, "more than one operand");
  DType dtype = builder_.type(typed(parts.outs.values[0])).dtype;
  finish_structured(
      statement, parts,
      {builder_.add("bitcast", {typed(parts.ins.values[0])}, {{"dtype", dtype}}, statement.where)});
}

/// dimensions lists the result axes that are new.
void BodyReader::read_broadcast(const Statement& statement) {
  Structured parts = read_structured();
  if (parts.ins.values.size() != 1 || parts.outs.values.size() != 1)
    unsupported(statement, "more than one operand");
  std::vector<SymExpr> shape = shape_of(parts.outs.values[0]);
  ValueId operand = typed(parts.ins.values[0]);
  std::vector<std::int64_t> kept = complement(parts.axes, shape.size());
  std::size_t rank = builder_.type(operand).rank();
  // hfusion texts also use the size-1 form, where nothing is added and the listed axes repeat.
  if (rank == shape.size()) kept = complement({}, rank);
  if (kept.size() != rank)
    throw InputError(statement.where,
                     fmt::format("{} added dimensions", shape.size() - std::min(rank, shape.size())),
                     fmt::format("{}", parts.axes.size()));
  finish_structured(
      statement, parts,
      {builder_.add("broadcast", {operand}, {{"dims", kept}, {"shape", shape}}, statement.where)});
}

void BodyReader::read_transpose(const Statement& statement) {
  Structured parts = read_structured();
  if (parts.ins.values.size() != 1) unsupported(statement, "more than one operand");
  finish_structured(statement, parts,
                    {builder_.add("transpose", {typed(parts.ins.values[0])}, {{"permutation", parts.axes}},
                                  statement.where)});
}

void BodyReader::read_matmul(const Statement& statement) {
  Structured parts = read_structured();
  if (parts.ins.values.size() != 2 || parts.outs.values.size() != 1)
    unsupported(statement, "other than two operands");
  std::vector<ValueId> operands = parts.ins.values;
  auto swap = [&](std::size_t i) {
    operands[i] = builder_.add("transpose", {operands[i]}, {{"permutation", std::vector<std::int64_t>{1, 0}}},
                               statement.where);
  };
  if (statement.op == "linalg.matmul_transpose_a") swap(0);
  if (statement.op == "linalg.matmul_transpose_b") swap(1);
  ValueId init = typed(parts.outs.values[0]);
  // A destination straight from tensor.empty is "no accumulator" in these texts only where the compiler
  // zeroes it; linalg itself adds to it, so it stays an operand and shows up as undefined (C8).
  operands.push_back(init);
  finish_structured(statement, parts, {builder_.add("matmul", operands, {}, statement.where)});
}

void BodyReader::read_store(const Statement& statement) {
  Structured parts = read_structured();
  if (parts.ins.values.size() != 1) unsupported(statement, "more than one operand");
  finish_structured(statement, parts, {typed(parts.ins.values[0])});
}

/// offset[%o] strides[%s0, %s1] outs(..): element = o + sum of index * stride.
void BodyReader::read_arange(const Statement& statement) {
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  std::vector<ValueId> offset;
  std::vector<ValueId> strides;
  auto bracketed = [&](std::vector<ValueId>& into) {
    lexer_.expect("[");
    into = use_list();
    lexer_.expect("]");
  };
  if (lexer_.accept_word("offset")) bracketed(offset);
  if (lexer_.accept_word("strides")) bracketed(strides);
  Structured parts = read_structured();
  if (parts.outs.values.size() != 1) unsupported(statement, "several destinations");
  TensorType type = builder_.type(typed(parts.outs.values[0]));
  if (strides.size() != type.rank() || type.rank() == 0)
    unsupported(statement, "strides that do not fit the rank");
  ValueId sum = -1;
  auto level = [&](ValueId scalar) {
    return builder_.broadcast_to(builder_.cast(scalar, type.dtype, statement.where, "trunc"), type.shape,
                                 statement.where);
  };
  for (std::size_t i = 0; i < strides.size(); ++i) {
    ValueId index = builder_.add(
        "iota", {}, {{"dim", static_cast<std::int64_t>(i)}, {"dtype", type.dtype}, {"shape", type.shape}},
        statement.where);
    ValueId scaled = builder_.add("mul", {index, level(strides[i])}, {}, statement.where);
    sum = sum < 0 ? scaled : builder_.add("add", {sum, scaled}, {}, statement.where);
  }
  if (!offset.empty()) sum = builder_.add("add", {sum, level(offset[0])}, {}, statement.where);
  finish_structured(statement, parts, {sum});
}

void BodyReader::read_gather(const Statement& statement) {
  Structured parts = read_structured();
  if (!lexer_.accept_word("axis")) lexer_.fail("'axis'");
  lexer_.expect("=");
  auto axis = to_int64(lexer_.expect(Kind::integer, "an axis").text);
  if (parts.ins.values.size() != 2 || !axis) unsupported(statement, "other than two operands");
  DType index = builder_.type(typed(parts.ins.values[1])).dtype;
  if (!is_floating(index) && size_in_bytes(index) < 4)
    parts.ins.values[1] = builder_.cast(parts.ins.values[1], DType::i32, statement.where);
  finish_structured(statement, parts,
                    {builder_.add("gather", parts.ins.values, {{"dim", *axis}}, statement.where)});
}

void BodyReader::read_reduce_with_index(const Statement& statement) {
  Dict dict = lexer_.peek().is_punct("{") ? read_dict(lexer_) : Dict{};
  std::string fn(lexer_.peek().is_punct("<") ? lexer_.skip_balanced() : std::string_view("other"));
  Structured parts = read_structured();
  if (parts.axes.size() != 1 || parts.outs.values.size() != 2 || parts.ins.values.empty() ||
      parts.ins.values.size() > 2 || (fn != "max" && fn != "min") ||
      find_entry(dict, "tie_break_left") == "false")
    unsupported(statement, "form " + fn);
  DType index = builder_.type(typed(parts.outs.values[1])).dtype;
  TensorOp op{"arg_reduce",
              parts.ins.values,
              {},
              {{"dim", parts.axes[0]}, {"dtype", index}, {"fn", fn}},
              statement.where};
  finish_structured(statement, parts, builder_.add(std::move(op)));
}

/// `%x : T cum_dims = [1] reverse = false -> T`
void BodyReader::read_cumulative(const Statement& statement) {
  ValueId operand = typed(use());
  lexer_.expect(":");
  check_type(operand, read_type(lexer_));
  std::vector<std::int64_t> dims;
  std::int64_t reverse = 0;
  while (lexer_.peek().is_word("cum_dims") || lexer_.peek().is_word("reverse")) {
    bool dimension = lexer_.take().is_word("cum_dims");
    lexer_.expect("=");
    if (dimension) {
      dims = read_integers(lexer_);
    } else {
      reverse = lexer_.take().is_word("true");
    }
  }
  if (dims.size() != 1) unsupported(statement, "several axes");
  std::string fn = statement.op == "hfusion.cumsum" ? "sum" : "prod";
  ValueId id = builder_.add("cumulative", {operand}, {{"dim", dims[0]}, {"fn", fn}, {"reverse", reverse}},
                            statement.where);
  finish_structured(statement, {}, {id});
}

}  // namespace bufferproof::model::mlir
