// The tensor dialect: shapes, windows, joins.
#include <fmt/format.h>

#include <algorithm>

#include "model/read/mlir/body_reader.hpp"

namespace bufferproof::model::mlir {

using Kind = Token::Kind;

void BodyReader::read_empty(const Statement& statement) {
  lexer_.expect("(");
  std::vector<ValueId> sizes;
  if (!lexer_.accept(")")) {
    sizes = use_list();
    lexer_.expect(")");
  }
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  Type type = read_type(lexer_);
  if (type.kind != Type::Kind::tensor) unsupported(statement, "of " + std::string(type.text));
  std::vector<SymExpr> shape;
  std::size_t next = 0;
  for (const auto& dim : type.dims) {
    if (!dim && next >= sizes.size())
      throw InputError(type.where, "a size operand for every '?'", std::string(type.text));
    shape.push_back(dim ? SymExpr(*dim) : integer_of(sizes[next++], statement.where));
  }
  if (next != sizes.size())
    throw InputError(type.where, "a '?' for every size operand", std::string(type.text));
  define(statement, builder_.add("empty", {}, {{"dtype", type.dtype}, {"shape", shape}}, statement.where));
}

void BodyReader::read_dim(const Statement& statement) {
  ValueId tensor = typed(use());
  lexer_.expect(",");
  SymExpr axis = integer_of(use(), statement.where);
  lexer_.expect(":");
  check_type(tensor, read_type(lexer_));
  std::vector<SymExpr> shape = shape_of(tensor);
  auto number = axis.constant();
  if (!number) unsupported(statement, "of an axis that is not constant");
  if (*number < 0 || static_cast<std::size_t>(*number) >= shape.size())
    throw InputError(statement.where, fmt::format("an axis below {}", shape.size()),
                     fmt::format("{}", *number));
  ValueId id = builder_.size(shape[static_cast<std::size_t>(*number)], statement.where);
  builder_.mark_scalar(id);
  define(statement, id);
}

std::vector<std::vector<std::int64_t>> BodyReader::read_groups() {
  std::vector<std::vector<std::int64_t>> groups;
  lexer_.expect("[");
  while (!lexer_.accept("]")) {
    if (!groups.empty()) lexer_.expect(",");
    groups.push_back(read_integers(lexer_));
  }
  return groups;
}

void BodyReader::read_expand_shape(const Statement& statement) {
  ValueId operand = typed(use());
  std::vector<std::vector<std::int64_t>> groups = read_groups();
  std::optional<std::vector<SymExpr>> output;
  if (lexer_.accept_word("output_shape")) output = read_mixed_sizes();
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  check_type(operand, read_type(lexer_));
  if (!lexer_.accept_word("into")) lexer_.fail("'into'");
  Type to = read_type(lexer_);
  if (to.kind != Type::Kind::tensor) unsupported(statement, "into " + std::string(to.text));
  std::vector<SymExpr> shape = output ? *output : to_tensor_type(to, "expanded").shape;
  std::vector<SymExpr> from = shape_of(operand);
  std::size_t count = 0;
  for (const auto& group : groups) count += group.size();
  if (shape.size() != to.dims.size() || groups.size() != from.size() ||
      (count != shape.size() && !from.empty()))
    throw InputError(statement.where, "groups that fit both types", std::string(to.text));
  std::size_t next = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    SymExpr total = 1;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; i < groups[g].size(); ++i, ++next) {
      if (!output && !to.dims[next]) {
        if (open) unsupported(statement, "two open sizes in one group");
        open = next;
        continue;
      }
      total = total * shape[next];
    }
    if (open) shape[*open] = total.constant() == 1 ? from[g] : floordiv(from[g], total);
    builder_.require_equal(open ? total * shape[*open] : total, from[g], statement.where, "sizes of a group");
  }
  ValueId id = builder_.reshape(operand, shape, statement.where);
  check_type(id, to);
  define(statement, id);
}

void BodyReader::read_collapse_shape(const Statement& statement) {
  ValueId operand = typed(use());
  std::vector<std::vector<std::int64_t>> groups = read_groups();
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  check_type(operand, read_type(lexer_));
  if (!lexer_.accept_word("into")) lexer_.fail("'into'");
  Type to = read_type(lexer_);
  std::vector<SymExpr> from = shape_of(operand);
  std::vector<SymExpr> shape;
  std::int64_t next = 0;
  for (const auto& group : groups) {
    SymExpr total = 1;
    for (std::int64_t axis : group) {
      if (axis != next++ || static_cast<std::size_t>(axis) >= from.size())
        throw InputError(statement.where, "every axis once, in order", fmt::format("axis {}", axis));
      total = total * from[static_cast<std::size_t>(axis)];
    }
    shape.push_back(total);
  }
  // `[]` collapses unit axes to rank 0.
  if (!groups.empty() && static_cast<std::size_t>(next) != from.size())
    throw InputError(statement.where, "every axis once, in order",
                     fmt::format("{} of {} axes", next, from.size()));
  ValueId id = builder_.reshape(operand, shape, statement.where);
  check_type(id, to);
  define(statement, id);
}

BodyReader::Window BodyReader::read_window(const Statement& statement) {
  Window window;
  window.offsets = read_mixed_sizes();
  window.sizes = read_mixed_sizes();
  for (const SymExpr& stride : read_mixed_sizes()) {
    if (!stride.constant()) unsupported(statement, "with a stride that is not constant");
    window.strides.push_back(*stride.constant());
  }
  return window;
}

/// Axes of size 1 are dropped or added to fit the text's type.
void BodyReader::read_extract_slice(const Statement& statement) {
  ValueId operand = typed(use());
  Window window = read_window(statement);
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  check_type(operand, read_type(lexer_));
  if (!lexer_.accept_word("to")) lexer_.fail("'to'");
  Type to = read_type(lexer_);
  ValueId id = builder_.add("slice", {operand}, window.attributes(), statement.where);
  if (to.dims.size() < window.sizes.size()) {
    std::vector<SymExpr> kept;
    std::size_t drop = window.sizes.size() - to.dims.size();
    for (const SymExpr& size : window.sizes) {
      bool matches = kept.size() < to.dims.size() && to.dims[kept.size()] == size.constant();
      if (drop > 0 && size.constant() == 1 && (!matches || kept.size() == to.dims.size())) {
        --drop;
      } else {
        kept.push_back(size);
      }
    }
    while (drop > 0 && !kept.empty()) {  // every kept size was 1 as well: any unit axis will do
      auto unit =
          std::find_if(kept.rbegin(), kept.rend(), [](const SymExpr& size) { return size.constant() == 1; });
      if (unit == kept.rend()) break;
      kept.erase(std::next(unit).base());
      --drop;
    }
    id = builder_.reshape(id, kept, statement.where);
  }
  check_type(id, to);
  define(statement, id);
}

void BodyReader::read_insert_slice(const Statement& statement) {
  ValueId source = typed(use());
  if (!lexer_.accept_word("into")) lexer_.fail("'into'");
  ValueId base = typed(use());
  Window window = read_window(statement);
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  check_type(source, read_type(lexer_));
  if (!lexer_.accept_word("into")) lexer_.fail("'into'");
  check_type(base, read_type(lexer_));
  if (shape_of(source).size() != window.sizes.size())
    source = builder_.reshape(source, window.sizes, statement.where);
  define(statement, builder_.add("insert_slice", {source, base}, window.attributes(), statement.where));
}

void BodyReader::read_concat(const Statement& statement) {
  if (!lexer_.accept_word("dim")) lexer_.fail("'dim'");
  lexer_.expect("(");
  auto dim = to_int64(lexer_.expect(Kind::integer, "an axis").text);
  lexer_.expect(")");
  std::vector<ValueId> operands = use_list();
  for (ValueId id : operands) typed(id);
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  lexer_.expect(":");
  lexer_.expect("(");
  std::vector<Type> types = read_type_list(lexer_);
  lexer_.expect(")");
  lexer_.expect("->");
  Type to = read_type(lexer_);
  for (std::size_t i = 0; i < operands.size() && i < types.size(); ++i) check_type(operands[i], types[i]);
  ValueId id = builder_.add("concat", operands, {{"dim", dim.value_or(-1)}}, statement.where);
  check_type(id, to);
  define(statement, id);
}

/// Only the static knowledge of sizes changes.
void BodyReader::read_tensor_cast(const Statement& statement) {
  ValueId operand = typed(use());
  lexer_.expect(":");
  check_type(operand, read_type(lexer_));
  if (!lexer_.accept_word("to")) lexer_.fail("'to'");
  check_type(operand, read_type(lexer_));
  define(statement, operand);
}

}  // namespace bufferproof::model::mlir
