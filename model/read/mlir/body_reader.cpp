#include "model/read/mlir/body_reader.hpp"

#include <fmt/format.h>

#include "model/read/mlir/spellings.hpp"

namespace bufferproof::model::mlir {

using Kind = Token::Kind;

const std::unordered_map<std::string_view, BodyReader::Handler>& BodyReader::handlers() {
  static const std::unordered_map<std::string_view, Handler> table{
      {"arith.constant", &BodyReader::read_constant},
      {"linalg.index", &BodyReader::read_linalg_index},
      {"affine.apply", &BodyReader::read_affine},
      {"affine.min", &BodyReader::read_affine},
      {"affine.max", &BodyReader::read_affine},
      {"linalg.fill", &BodyReader::read_fill},
      {"linalg.elemwise_unary", &BodyReader::read_elemwise},
      {"linalg.elemwise_binary", &BodyReader::read_elemwise},
      {"hfusion.elemwise_unary", &BodyReader::read_elemwise},
      {"hfusion.elemwise_binary", &BodyReader::read_elemwise},
      {"hfusion.elemwise_ternary", &BodyReader::read_elemwise},
      {"hfusion.compare", &BodyReader::read_compare_fn},
      {"hfusion.cast", &BodyReader::read_cast},
      {"hfusion.bitcast", &BodyReader::read_bitcast},
      {"hfusion.store", &BodyReader::read_store},
      {"hfusion.arange", &BodyReader::read_arange},
      {"hfusion.gather", &BodyReader::read_gather},
      {"hfusion.reduce_with_index", &BodyReader::read_reduce_with_index},
      {"hfusion.cumsum", &BodyReader::read_cumulative},
      {"hfusion.cumprod", &BodyReader::read_cumulative},
      {"linalg.square", &BodyReader::read_named_elementwise},
      {"linalg.broadcast", &BodyReader::read_broadcast},
      {"linalg.transpose", &BodyReader::read_transpose},
      {"linalg.matmul", &BodyReader::read_matmul},
      {"linalg.batch_matmul", &BodyReader::read_matmul},
      {"linalg.matmul_transpose_a", &BodyReader::read_matmul},
      {"linalg.matmul_transpose_b", &BodyReader::read_matmul},
      {"linalg.reduce", &BodyReader::read_reduce},
      {"linalg.generic", &BodyReader::read_generic},
      {"linalg.map", &BodyReader::read_map},
      {"tensor.empty", &BodyReader::read_empty},
      {"tensor.dim", &BodyReader::read_dim},
      {"tensor.expand_shape", &BodyReader::read_expand_shape},
      {"tensor.collapse_shape", &BodyReader::read_collapse_shape},
      {"tensor.extract_slice", &BodyReader::read_extract_slice},
      {"tensor.insert_slice", &BodyReader::read_insert_slice},
      {"tensor.concat", &BodyReader::read_concat},
      {"tensor.pad", &BodyReader::read_pad},
      {"tensor.cast", &BodyReader::read_tensor_cast},
      {"tensor.extract", &BodyReader::read_extract},
      {"tensor.from_elements", &BodyReader::read_from_elements},
      {"tensor.splat", &BodyReader::read_splat},
      {"tensor.reshape", &BodyReader::read_reshape},
      {"tensor.insert", &BodyReader::read_insert},
      {"tensor.bitcast", &BodyReader::read_plain_bitcast},
      {"hivm.hir.bitcast", &BodyReader::read_plain_bitcast},
      {"annotation.mark", &BodyReader::read_mark},
  };
  return table;
}

void BodyReader::unsupported(const Statement& statement, const std::string& why) const {
  std::string what = "'" + std::string(statement.op) + "'";
  throw UnsupportedBody(why.empty() ? what : what + ": " + why, statement.where);
}

std::optional<TensorFunction> BodyReader::read_function(std::string& name) {
  while (lexer_.accept_word("private") || lexer_.accept_word("public") || lexer_.accept_word("nested")) {
  }
  SourceLocation where = lexer_.here();
  name = lexer_.expect(Kind::symbol, "the function's name").text;
  builder_ = FunctionBuilder(name, where);
  scopes_.emplace_back();
  read_parameters();
  if (lexer_.accept("->")) read_result_types();
  if (lexer_.accept_word("attributes")) lexer_.skip_balanced();
  if (!lexer_.peek().is_punct("{")) return std::nullopt;
  lexer_.take();
  while (!lexer_.peek().is_word("return") && !lexer_.peek().is_word("func.return")) read_statement();
  std::vector<ValueId> results = read_return();
  lexer_.expect("}");
  return builder_.finish(std::move(results));
}

void BodyReader::read_parameters() {
  lexer_.expect("(");
  std::size_t index = 0;
  while (!lexer_.accept(")")) {
    if (index) lexer_.expect(",");
    if (lexer_.peek().kind != Kind::value) {  // a declaration: types only
      read_type(lexer_);
    } else {
      read_parameter(lexer_.take().text, index);
    }
    if (lexer_.peek().is_punct("{")) read_dict(lexer_);
    ++index;
  }
}

void BodyReader::read_parameter(std::string_view name, std::size_t index) {
  lexer_.expect(":");
  Type type = read_type(lexer_);
  std::string text(name);
  ValueId id = 0;
  switch (type.kind) {
    case Type::Kind::tensor:
      id = builder_.parameter(text, to_tensor_type(type, text));
      break;
    case Type::Kind::scalar:
    case Type::Kind::index:
      id = builder_.scalar_parameter(text, type.dtype);
      break;
    case Type::Kind::other:
      throw UnsupportedBody(fmt::format("argument {} of type {}", index, type.text), type.where);
  }
  define(name, {id});
}

void BodyReader::read_result_types() {
  if (!lexer_.accept("(")) {
    result_types_.push_back(read_type(lexer_));
    return;
  }
  while (!lexer_.accept(")")) {
    if (!result_types_.empty()) lexer_.expect(",");
    result_types_.push_back(read_type(lexer_));
    if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  }
}

std::vector<ValueId> BodyReader::read_return() {
  lexer_.take();
  if (lexer_.peek().is_punct("{")) read_dict(lexer_);
  std::vector<ValueId> results;
  std::vector<Type> types;
  SourceLocation where = lexer_.here();
  if (lexer_.peek().kind == Kind::value) {
    results = use_list();
    lexer_.expect(":");
    types = read_type_list(lexer_);
  }
  if (types.size() != results.size() || result_types_.size() != results.size())
    throw InputError(where, fmt::format("{} returned values with their types", result_types_.size()),
                     fmt::format("{} values, {} types", results.size(), types.size()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    typed(results[i]);
    check_type(results[i], types[i]);
    check_type(results[i], result_types_[i]);
  }
  return results;
}

Statement BodyReader::read_left_side() {
  Statement statement;
  statement.where = lexer_.here();
  if (lexer_.peek().kind == Kind::value) {
    do {
      statement.names.push_back(lexer_.expect(Kind::value, "a result").text);
      ++statement.results;
      if (!lexer_.accept(":")) continue;
      auto count = to_int64(lexer_.expect(Kind::integer, "a number of results").text);
      if (!count || *count < 1 || *count > 1024) lexer_.fail("1 to 1024 results");
      statement.results += static_cast<std::size_t>(*count) - 1;
    } while (lexer_.accept(","));
    lexer_.expect("=");
  }
  const Token& token = lexer_.peek();
  if (token.kind == Kind::string)
    throw UnsupportedBody("'" + std::string(token.text) + "' in generic form", statement.where);
  statement.op = lexer_.expect(Kind::word, "an operation").text;
  return statement;
}

void BodyReader::read_statement() { dispatch(read_left_side()); }

void BodyReader::dispatch(const Statement& statement) {
  if (auto found = handlers().find(statement.op); found != handlers().end())
    return (this->*found->second)(statement);
  if (named_elementwise(statement.op)) return read_named_elementwise(statement);
  const Spelling* spelling = find_spelling(statement.op);
  if (!spelling) unsupported(statement);
  switch (spelling->form) {
    case Spelling::Form::elementwise:
      return read_arith(statement);
    case Spelling::Form::cast:
      return read_cast_like(statement);
    case Spelling::Form::compare:
      return read_compare(statement);
    case Spelling::Form::select:
      return read_select(statement);
  }
}

void BodyReader::define(std::string_view name, const std::vector<ValueId>& values) {
  if (!scopes_.back().emplace(name, values).second)
    throw InputError(lexer_.here(), "a value name not used before in this region",
                     "'%" + std::string(name) + "' again");
  for (ValueId id : values)
    if (id >= 0) builder_.rename(id, std::string(name));
}

void BodyReader::define(const Statement& statement, ValueId value) { define_all(statement, {value}); }

/// Results need no names: then nothing uses them.
void BodyReader::define_all(const Statement& statement, const std::vector<ValueId>& values) {
  if (statement.names.empty()) return;
  if (statement.results != values.size())
    throw InputError(statement.where, fmt::format("{} results", values.size()),
                     fmt::format("{}", statement.results));
  if (statement.names.size() == 1) return define(statement.names[0], values);
  if (statement.names.size() != values.size()) unsupported(statement, "mixed result groups");
  for (std::size_t i = 0; i < values.size(); ++i) define(statement.names[i], {values[i]});
}

ValueId BodyReader::use() {
  Token token = lexer_.expect(Kind::value, "a value");
  std::size_t position = 0;
  if (lexer_.peek().kind == Kind::hash)
    position = static_cast<std::size_t>(to_int64(lexer_.take().text).value_or(0));
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    auto found = scope->find(token.text);
    if (found == scope->end()) continue;
    if (position < found->second.size()) return found->second[position];
    break;
  }
  if (positions_.count(token.text))
    throw UnsupportedBody("a padding value that depends on its position", lexer_.locate(token));
  throw InputError(lexer_.locate(token), "a value defined before", "'%" + std::string(token.text) + "'");
}

std::vector<ValueId> BodyReader::use_list() {
  std::vector<ValueId> values;
  do {
    values.push_back(use());
  } while (lexer_.accept(","));
  return values;
}

ValueId BodyReader::typed(ValueId id) {
  if (id < 0) throw UnsupportedBody("an accumulator used beside one fold", lexer_.here());
  return id;
}

std::vector<SymExpr> BodyReader::shape_of(ValueId id) { return builder_.type(typed(id)).shape; }

TensorType BodyReader::to_tensor_type(const Type& type, const std::string& hint) {
  TensorType out{type.dtype, {}};
  for (std::size_t i = 0; i < type.dims.size(); ++i)
    out.shape.push_back(type.dims[i] ? SymExpr(*type.dims[i])
                                     : builder_.open_size(fmt::format("{}_d{}", hint, i)));
  return out;
}

/// Inside a region values stand for whole iteration spaces: only element types can be compared there.
void BodyReader::check_type(ValueId id, const Type& type) {
  if (type.kind == Type::Kind::other)
    throw UnsupportedBody("a value of type " + std::string(type.text), type.where);
  if (id < 0) return;
  const TensorType& known = builder_.type(id);
  bool scalar = type.kind != Type::Kind::tensor;
  bool ranks = region_depth_ > 0 && scalar ? true : known.rank() == type.dims.size();
  if (known.dtype != type.dtype || !ranks) throw InputError(type.where, known.str(), std::string(type.text));
  if (scalar) return;
  for (std::size_t i = 0; i < type.dims.size(); ++i)
    if (type.dims[i]) builder_.require_equal(known.shape[i], *type.dims[i], type.where, "sizes");
}

SymExpr BodyReader::integer_of(ValueId id, const SourceLocation& where) {
  const TensorValue& value = builder_.value(typed(id));
  if (!value.integer) throw UnsupportedBody("a size that is not computed from sizes", where);
  return builder_.resolve(*value.integer);
}

std::vector<SymExpr> BodyReader::read_mixed_sizes() {
  std::vector<SymExpr> sizes;
  lexer_.expect("[");
  while (!lexer_.accept("]")) {
    if (!sizes.empty()) lexer_.expect(",");
    if (lexer_.peek().kind == Kind::value) {
      SourceLocation where = lexer_.here();
      sizes.push_back(integer_of(use(), where));
      continue;
    }
    bool negative = lexer_.accept("-");
    auto value = to_int64(lexer_.expect(Kind::integer, "a size").text);
    if (!value) lexer_.fail("a size of 64 bits");
    sizes.push_back(negative ? -*value : *value);
  }
  return sizes;
}

Operands BodyReader::read_operands() {
  Operands operands;
  lexer_.expect("(");
  if (lexer_.accept(")")) return operands;
  operands.values = use_list();
  lexer_.expect(":");
  SourceLocation where = lexer_.here();
  operands.types = read_type_list(lexer_);
  lexer_.expect(")");
  if (operands.types.size() != operands.values.size())
    throw InputError(where, fmt::format("{} types", operands.values.size()),
                     fmt::format("{}", operands.types.size()));
  for (std::size_t i = 0; i < operands.values.size(); ++i) check_type(operands.values[i], operands.types[i]);
  return operands;
}

/// `#trait`, an alias of a whole dictionary.
Dict BodyReader::read_dict_alias() {
  SourceLocation where = lexer_.here();
  std::string_view name = lexer_.take().text;
  auto found = aliases_.find(name);
  if (found == aliases_.end() || found->second.front() != '{')
    throw InputError(where, "a defined dictionary", "#" + std::string(name));
  Lexer raw(found->second, where);
  return read_dict(raw);
}

Structured BodyReader::read_structured() {
  Structured parts;
  if (lexer_.peek().is_punct("<")) lexer_.skip_balanced();  // properties
  if (lexer_.peek().is_punct("{")) parts.attributes = read_dict(lexer_);
  if (lexer_.peek().kind == Kind::hash) parts.attributes = read_dict_alias();
  for (;;) {
    if (lexer_.accept_word("ins")) {
      parts.ins = read_operands();
    } else if (lexer_.accept_word("outs")) {
      parts.outs = read_operands();
    } else if (lexer_.accept_word("dimensions") || lexer_.accept_word("permutation")) {
      lexer_.expect("=");
      parts.axes = read_integers(lexer_);
    } else if (lexer_.accept_word("attrs")) {
      lexer_.expect("=");
      for (DictEntry& entry : read_dict(lexer_)) parts.attributes.push_back(entry);
    } else {
      return parts;
    }
  }
}

ValueId BodyReader::add_fold(Fold fold) {
  folds_.push_back(std::move(fold));
  return kFirstFold - static_cast<ValueId>(folds_.size() - 1);
}

const BodyReader::Fold* BodyReader::fold_of(ValueId id) const {
  if (id > kFirstFold) return nullptr;
  return &folds_.at(static_cast<std::size_t>(kFirstFold - id));
}

}  // namespace bufferproof::model::mlir
