#include "model/read/torch_dialect/reader.hpp"

#include <fmt/format.h>

#include <charconv>

#include "model/body/builder.hpp"
#include "model/read/aten/lowering.hpp"
#include "model/read/mlir/attributes.hpp"
#include "model/read/mlir/reader.hpp"
#include "model/read/mlir/types.hpp"
#include "model/read/torch_dialect/types.hpp"

namespace bufferproof::model {
namespace {

using aten::Value;
using mlir::Lexer;
using Kind = mlir::Token::Kind;
using torch_dialect::read_torch_type;
using torch_dialect::TorchType;

class TorchBodyReader {
 public:
  TorchBodyReader(Lexer& lexer, std::string name, SourceLocation where)
      : lexer_(lexer), builder_(std::move(name), std::move(where)), lowering_(builder_) {}

  /// Current token: the parameter list. nullopt for a declaration.
  std::optional<TensorFunction> read() {
    read_parameters();
    if (lexer_.accept("->")) results_ = torch_dialect::read_torch_results(lexer_);
    if (lexer_.accept_word("attributes")) lexer_.skip_balanced();
    if (!lexer_.accept("{")) return std::nullopt;
    while (!lexer_.peek().is_word("return") && !lexer_.peek().is_word("func.return")) read_statement();
    std::vector<ValueId> results = read_return();
    lexer_.expect("}");
    return builder_.finish(std::move(results));
  }

 private:
  void read_parameters() {
    lexer_.expect("(");
    bool first = true;
    while (!lexer_.accept(")")) {
      if (!first) lexer_.expect(",");
      first = false;
      std::string name(lexer_.expect(Kind::value, "a parameter").text);
      lexer_.expect(":");
      TorchType type = read_torch_type(lexer_);
      if (lexer_.peek().is_punct("{")) mlir::read_dict(lexer_);
      define(name, parameter(name, type));
    }
  }

  Value parameter(const std::string& name, const TorchType& type) {
    if (type.kind == TorchType::Kind::integer) {
      ValueId id = builder_.scalar_parameter(name, DType::i64);
      return Value::of_integer(*builder_.value(id).integer);
    }
    if (type.kind != TorchType::Kind::tensor)
      throw UnsupportedBody("a parameter of type " + type.text, type.where);
    TensorType tensor{type.dtype, {}};
    for (std::size_t i = 0; i < type.dims.size(); ++i)
      tensor.shape.push_back(type.dims[i] ? SymExpr(*type.dims[i])
                                          : builder_.open_size(fmt::format("{}_d{}", name, i)));
    return Value::of_tensor(builder_.parameter(name, std::move(tensor)));
  }

  void define(const std::string& name, Value value) {
    if (value.is(Value::Kind::tensor)) builder_.rename(value.tensor, name);
    if (!names_.emplace(name, std::move(value)).second)
      throw InputError(lexer_.here(), "a value name not used before", "'%" + name + "' again");
  }

  /// `%r#1` is item 1 of what `%r:2` named.
  const Value& use() {
    mlir::Token token = lexer_.expect(Kind::value, "a value");
    auto found = names_.find(token.text);
    if (found == names_.end())
      throw InputError(lexer_.locate(token), "a value defined before", "'%" + std::string(token.text) + "'");
    if (lexer_.peek().kind != Kind::hash) return found->second;
    auto index = mlir::to_int64(lexer_.take().text);
    const Value& group = found->second;
    bool item = group.is(Value::Kind::list) && index && *index >= 0 &&
                static_cast<std::size_t>(*index) < group.items.size();
    if (!item) throw InputError(lexer_.locate(token), "a result of this number", "another");
    return group.items[static_cast<std::size_t>(*index)];
  }

  std::vector<Value> use_list() {
    std::vector<Value> values;
    while (lexer_.peek().kind == Kind::value) {
      values.push_back(use());
      if (!lexer_.accept(",")) break;
    }
    return values;
  }

  void read_statement() {
    std::vector<std::string> names;
    std::size_t grouped = 0;
    where_ = lexer_.here();
    while (lexer_.peek().kind == Kind::value) {
      names.emplace_back(lexer_.take().text);
      if (lexer_.accept(":"))
        grouped = static_cast<std::size_t>(
            mlir::to_int64(lexer_.expect(Kind::integer, "a count").text).value_or(0));
      if (!lexer_.accept(",")) break;
    }
    if (!names.empty()) lexer_.expect("=");
    std::string op(lexer_.expect(Kind::word, "an operation").text);
    Value value = read_operation(op);
    if (names.empty()) return;
    if (names.size() == 1) return define(names[0], std::move(value));
    if (!value.is(Value::Kind::list) || value.items.size() < names.size() || grouped != 0)
      throw InputError(where_, fmt::format("{} results of {}", names.size(), op), "another number");
    for (std::size_t i = 0; i < names.size(); ++i) define(names[i], value.items[i]);
  }

  Value read_operation(const std::string& op) {
    constexpr std::string_view kConstant = "torch.constant.";
    if (op.compare(0, kConstant.size(), kConstant) == 0) return read_constant(op.substr(kConstant.size()));
    if (op == "torch.prim.ListConstruct" || op == "torch.prim.TupleConstruct") {
      Value list = Value::of_list(use_list());
      skip_signature();
      return list;
    }
    if (op == "torch.vtensor.literal") return read_literal();
    if (op == "torch.symbolic_int") return read_symbol();
    if (op == "torch.bind_symbolic_shape") return bind_shape();
    if (op == "torch.operator")
      return read_call(std::string(lexer_.expect(Kind::string, "a name").text), true);
    constexpr std::string_view kTorch = "torch.";
    if (op.compare(0, kTorch.size(), kTorch) != 0) throw UnsupportedBody("'" + op + "'", where_);
    return read_call(op.substr(kTorch.size()), false);
  }

  Value read_constant(const std::string& kind) {
    if (lexer_.peek().is_punct("{")) mlir::read_dict(lexer_);
    Value value;
    if (kind == "int") {
      bool negative = lexer_.accept("-");
      auto number = mlir::to_int64((negative ? "-" : "") +
                                   std::string(lexer_.expect(Kind::integer, "an integer").text));
      if (!number) lexer_.fail("an integer of 64 bits");
      value = Value::of_integer(*number);
    } else if (kind == "float") {
      value = Value::of_real(read_real());
    } else if (kind == "bool") {
      value = Value::of_bool(lexer_.peek().is_word("true"));
      lexer_.take();
    } else if (kind == "str" || kind == "device") {
      value = kind == "str" ? Value::of_text(std::string(lexer_.peek().text)) : Value();
      lexer_.expect(Kind::string, "a string");
    } else if (kind != "none") {
      throw UnsupportedBody("'torch.constant." + kind + "'", where_);
    }
    if (lexer_.accept(":")) read_torch_type(lexer_);
    return value;
  }

  /// A double; 0x... is its bit pattern.
  double read_real() {
    bool negative = lexer_.accept("-");
    mlir::Token token = lexer_.take();
    if (token.kind != Kind::real && token.kind != Kind::integer) lexer_.fail("a number");
    double value = 0;
    if (token.text.substr(0, 2) == "0x") {
      std::uint64_t bits = 0;
      std::from_chars(token.text.data() + 2, token.text.data() + token.text.size(), bits, 16);
      value = value_of_bits(DType::f64, static_cast<std::int64_t>(bits));
    } else {
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    }
    return negative ? -value : value;
  }

  /// `(dense<0.5> : tensor<f32>) : !torch.vtensor<[],f32>`, one value for all elements.
  Value read_literal() {
    lexer_.expect("(");
    if (!lexer_.accept_word("dense"))
      throw UnsupportedBody("'torch.vtensor.literal' that is not dense", where_);
    lexer_.expect("<");
    bool truth = lexer_.peek().is_word("true") || lexer_.peek().is_word("false");
    if (lexer_.peek().is_punct("[") || lexer_.peek().kind == Kind::string)
      throw UnsupportedBody("'torch.vtensor.literal' of several values", where_);
    double number = truth ? static_cast<double>(lexer_.take().is_word("true")) : read_real();
    lexer_.expect(">");
    lexer_.expect(":");
    mlir::read_type(lexer_);
    lexer_.expect(")");
    lexer_.expect(":");
    TorchType type = read_torch_type(lexer_);
    if (type.kind != TorchType::Kind::tensor) throw UnsupportedBody("a literal of type " + type.text, where_);
    std::vector<SymExpr> shape;
    for (const auto& dim : type.dims) shape.emplace_back(dim.value_or(1));
    ValueId one = builder_.number(type.dtype, number, where_);
    return Value::of_tensor(builder_.broadcast_to(one, shape, where_));
  }

  Value read_symbol() {
    std::string name(lexer_.expect(Kind::string, "a symbol's name").text);
    if (lexer_.peek().is_punct("{")) mlir::read_dict(lexer_);
    lexer_.expect(":");
    read_torch_type(lexer_);
    return Value::of_integer(SymExpr::symbol(name));
  }

  /// `%arg0, [%0, %1], affine_map<()[s0, s1] -> (s0, s1)> : type`: plain symbols and constants are used.
  Value bind_shape() {
    Value tensor = use();
    lexer_.expect(",");
    lexer_.expect("[");
    std::vector<Value> symbols = use_list();
    lexer_.expect("]");
    lexer_.expect(",");
    if (!lexer_.accept_word("affine_map")) lexer_.fail("an affine map");
    std::string_view raw = lexer_.skip_balanced();
    lexer_.expect(":");
    read_torch_type(lexer_);
    if (tensor.is(Value::Kind::tensor)) bind_sizes(tensor.tensor, symbols, raw);
    return {};
  }

  void bind_sizes(ValueId tensor, const std::vector<Value>& symbols, std::string_view raw) {
    Lexer map(raw, where_);
    if (map.peek().is_punct("(")) map.skip_balanced();
    std::map<std::string_view, SymExpr> names;
    if (map.accept("[")) {
      for (std::size_t i = 0; !map.accept("]"); ++i) {
        if (i) map.expect(",");
        std::string_view name = map.expect(Kind::word, "a symbol").text;
        if (i < symbols.size() && symbols[i].is(Value::Kind::integer))
          names.emplace(name, symbols[i].integer);
      }
    }
    map.expect("->");
    map.expect("(");
    std::vector<SymExpr> shape = builder_.type(tensor).shape;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i) map.expect(",");
      mlir::Token first = map.peek();
      std::string_view item = map.skip_value();
      auto found = names.find(item);
      if (first.kind == Kind::word && found != names.end())
        builder_.require_equal(shape[i], found->second, where_, "sizes");
    }
  }

  void skip_signature() {
    if (!lexer_.accept(":")) return;
    do {
      read_torch_type(lexer_);
    } while (lexer_.accept(","));
    if (!lexer_.accept("->")) return;
    if (lexer_.peek().is_punct("(")) {
      lexer_.skip_balanced();
      return;
    }
    do {
      read_torch_type(lexer_);
    } while (lexer_.accept(","));
  }

  Value read_call(const std::string& name, bool bracketed) {
    aten::Call call{name, {}, {}, where_};
    if (bracketed) lexer_.expect("(");
    call.arguments = use_list();
    if (bracketed) lexer_.expect(")");
    if (lexer_.peek().is_punct("{")) mlir::read_dict(lexer_);
    lexer_.expect(":");
    std::vector<TorchType> types;
    if (lexer_.peek().is_punct("(")) {
      lexer_.skip_balanced();
    } else {
      do {
        read_torch_type(lexer_);
      } while (lexer_.accept(","));
    }
    if (lexer_.accept("->")) types = torch_dialect::read_torch_results(lexer_);
    if (auto number = integer_arithmetic(call)) return *number;
    Value value = lowering_.lower(call);
    check(value, types);
    return value;
  }

  /// aten.add.int and the like.
  std::optional<Value> integer_arithmetic(const aten::Call& call) const {
    bool numbers = call.arguments.size() == 2 && call.arguments[0].is(Value::Kind::integer) &&
                   call.arguments[1].is(Value::Kind::integer);
    if (!numbers) return std::nullopt;
    const SymExpr& a = call.arguments[0].integer;
    const SymExpr& b = call.arguments[1].integer;
    if (call.op == "aten.add.int") return Value::of_integer(a + b);
    if (call.op == "aten.sub.int") return Value::of_integer(a - b);
    if (call.op == "aten.mul.int") return Value::of_integer(a * b);
    if (call.op == "aten.floordiv.int" && b.constant() != 0) return Value::of_integer(floordiv(a, b));
    return std::nullopt;
  }

  void check(const Value& value, const std::vector<TorchType>& types) {
    std::vector<Value> values = value.is(Value::Kind::list) ? value.items : std::vector<Value>{value};
    bool list_result = types.size() == 1 && types[0].kind == TorchType::Kind::other;
    if (list_result) return;
    for (std::size_t i = 0; i < types.size() && i < values.size(); ++i)
      if (values[i].is(Value::Kind::tensor) && types[i].kind == TorchType::Kind::tensor)
        check_tensor(values[i].tensor, types[i]);
  }

  void check_tensor(ValueId id, const TorchType& type) {
    TensorType known = builder_.type(id);
    if (known.dtype != type.dtype || known.rank() != type.dims.size())
      throw InputError(type.where, known.str(), type.text);
    for (std::size_t i = 0; i < type.dims.size(); ++i)
      if (type.dims[i]) builder_.require_equal(known.shape[i], *type.dims[i], type.where, "sizes");
  }

  std::vector<ValueId> read_return() {
    lexer_.take();
    SourceLocation where = lexer_.here();
    std::vector<Value> values = use_list();
    std::vector<TorchType> types;
    if (lexer_.accept(":")) types = torch_dialect::read_torch_results(lexer_);
    if (values.size() != results_.size() || types.size() != values.size())
      throw InputError(where, fmt::format("{} returned values", results_.size()),
                       fmt::format("{}", values.size()));
    std::vector<ValueId> ids = lowering_.results(values, where);
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (const TorchType* type : {&types[i], &results_[i]})
        if (type->kind == TorchType::Kind::tensor) check_tensor(ids[i], *type);
    return ids;
  }

  Lexer& lexer_;
  FunctionBuilder builder_;
  aten::Lowering lowering_;
  std::map<std::string, Value, std::less<>> names_;
  std::vector<TorchType> results_;
  SourceLocation where_;
};

BodyText read_function(Lexer& lexer, bool& skipped) {
  BodyText body;
  lexer.take();
  while (lexer.accept_word("private") || lexer.accept_word("public")) {
  }
  body.where = lexer.here();
  body.name = lexer.expect(Kind::symbol, "the function's name").text;
  try {
    body.function = TorchBodyReader(lexer, body.name, body.where).read();
  } catch (const UnsupportedBody& error) {
    body.unsupported = BodyUnsupported{error.what(), error.where()};
    skipped = true;
    lexer.skip_to_line_word({"func.func", "module"});
  } catch (const OverflowError& error) {
    throw InputError(lexer.here(), std::string("a size beyond 64 bits: ") + error.what());
  }
  return body;
}

}  // namespace

bool is_torch_dialect(std::string_view text) { return text.find("!torch.") != std::string_view::npos; }

std::vector<BodyText> read_torch_dialect(std::string_view text, const SourceLocation& origin) {
  Lexer lexer(text, origin);
  std::vector<BodyText> bodies;
  int depth = 0;
  bool skipped = false;
  while (lexer.peek().kind != Kind::end) {
    if (lexer.accept_word("module")) {
      if (lexer.peek().kind == Kind::symbol) lexer.take();
      if (lexer.accept_word("attributes")) lexer.skip_balanced();
      lexer.expect("{");
      if (++depth > 64) lexer.fail("at most 64 nested modules");
    } else if (lexer.peek().is_word("func.func")) {
      BodyText body = read_function(lexer, skipped);
      if (body.function || body.unsupported) bodies.push_back(std::move(body));
    } else if (lexer.peek().kind == Kind::hash) {
      lexer.take();
      lexer.expect("=");
      lexer.take();
      if (lexer.peek().is_punct("<")) lexer.skip_balanced();
    } else if (lexer.peek().is_punct("}") && (depth > 0 || skipped)) {
      lexer.take();
      if (depth > 0) --depth;
    } else {
      if (!skipped) lexer.fail("'module', 'func.func' or '}'");
      lexer.take();
    }
  }
  if (depth != 0 && !skipped) lexer.fail("'}'", "the module is cut off");
  return bodies;
}

std::vector<BodyText> read_kernel_text(std::string_view text, const SourceLocation& origin) {
  return is_torch_dialect(text) ? read_torch_dialect(text, origin) : read_mlir(text, origin);
}

}  // namespace bufferproof::model
