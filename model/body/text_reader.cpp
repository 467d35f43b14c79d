#include "model/body/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/body/builder.hpp"
#include "model/tensor_function.hpp"

namespace bufferproof::model {
namespace {

using mlir::Lexer;
using Kind = mlir::Token::Kind;

constexpr int kMostDepth = 100;

/// Precedence climbing over + - * // % and ** with bounded nesting.
class SizeReader {
 public:
  explicit SizeReader(Lexer& lexer) : lexer_(lexer) {}

  SymExpr sum() {
    Deeper deeper(*this);
    SymExpr left = product();
    for (;;) {
      if (lexer_.accept("+")) {
        left = left + product();
      } else if (lexer_.accept("-")) {
        left = left - product();
      } else {
        return left;
      }
    }
  }

 private:
  struct Deeper {
    explicit Deeper(SizeReader& reader) : reader(reader) {
      if (++reader.depth_ > kMostDepth) reader.lexer_.fail("at most 100 levels of nesting");
    }
    ~Deeper() { --reader.depth_; }
    SizeReader& reader;
  };

  SymExpr product() {
    SymExpr left = unary();
    for (;;) {
      if (lexer_.accept("*")) {
        if (lexer_.accept("*")) {
          left = power(left, exponent());
        } else {
          left = left * unary();
        }
      } else if (lexer_.accept("/")) {
        lexer_.expect("/");
        left = floordiv(left, unary());
      } else if (lexer_.peek().kind == Kind::value && lexer_.peek().text.empty()) {
        lexer_.take();  // a lone '%' is the mark of a value without a name
        left = mod(left, unary());
      } else {
        return left;
      }
    }
  }

  std::int64_t exponent() {
    auto token = lexer_.expect(Kind::integer, "a constant exponent");
    return mlir::to_int64(token.text).value_or(-1);
  }

  SymExpr unary() {
    Deeper deeper(*this);
    if (lexer_.accept("-")) return -unary();
    return atom();
  }

  SymExpr atom() {
    if (lexer_.accept("(")) {
      SymExpr inner = sum();
      lexer_.expect(")");
      return inner;
    }
    if (lexer_.peek().kind == Kind::integer) {
      auto value = mlir::to_int64(lexer_.peek().text);
      if (!value) lexer_.fail("an integer below 2^63");
      lexer_.take();
      return *value;
    }
    std::string name(lexer_.expect(Kind::word, "a size expression").text);
    return lexer_.accept("(") ? call(name) : SymExpr::symbol(name);
  }

  SymExpr call(const std::string& name) {
    std::vector<SymExpr> arguments;
    while (!lexer_.accept(")")) {
      if (!arguments.empty()) lexer_.expect(",");
      arguments.push_back(sum());
    }
    bool extreme = (name == "min" || name == "max") && !arguments.empty();
    if (!extreme) return SymExpr::call(name, std::move(arguments));
    SymExpr out = arguments.front();
    for (std::size_t i = 1; i < arguments.size(); ++i)
      out = name == "min" ? min(out, arguments[i]) : max(out, arguments[i]);
    return out;
  }

  Lexer& lexer_;
  int depth_ = 0;
};

class FunctionReader {
 public:
  FunctionReader(std::string_view text, const SourceLocation& origin)
      : lexer_(text, origin, mlir::Comments::semicolon) {}

  TensorFunction read() {
    if (!lexer_.accept_word("func")) lexer_.fail("'func'");
    function_.where = lexer_.here();
    function_.name = lexer_.expect(Kind::symbol, "the function's name").text;
    read_parameters();
    lexer_.expect("{");
    while (lexer_.accept_word("assume")) read_assumption();
    while (lexer_.peek().kind == Kind::value) read_op();
    read_return();
    lexer_.expect("}");
    if (lexer_.peek().kind != Kind::end) lexer_.fail("the end of the text");
    return std::move(function_);
  }

 private:
  void read_parameters() {
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      if (!function_.parameters.empty()) lexer_.expect(",");
      TensorValue value;
      value.name = lexer_.expect(Kind::value, "a parameter").text;
      value.position = static_cast<std::int32_t>(function_.parameters.size());
      lexer_.expect(":");
      value.scalar = lexer_.accept_word("scalar");
      value.type = value.scalar ? TensorType{read_dtype(), {}} : read_type();
      bool size = value.scalar && (value.type.dtype == DType::i64 || value.type.dtype == DType::i32);
      if (size) value.integer = SymExpr::symbol(value.name);
      function_.parameters.push_back(define(std::move(value)));
    }
  }

  void read_assumption() {
    SymExpr expr = read_size(lexer_);
    lexer_.expect("==");
    SymExpr other = read_size(lexer_);
    function_.assumptions.push_back(Cond::eq(expr, other));
  }

  void read_op() {
    TensorOp op;
    op.where = lexer_.here();
    std::vector<std::string> names;
    do {
      names.emplace_back(lexer_.expect(Kind::value, "a result").text);
    } while (lexer_.accept(","));
    lexer_.expect("=");
    op.name = lexer_.expect(Kind::word, "an operation").text;
    if (lexer_.peek().kind == Kind::value) op.operands = read_uses();
    if (lexer_.accept("{")) read_attributes(op);
    lexer_.expect(":");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i) lexer_.expect(",");
      TensorValue value{names[i],
                        read_type(),
                        false,
                        std::nullopt,
                        static_cast<std::int32_t>(function_.ops.size()),
                        static_cast<std::int32_t>(i)};
      op.results.push_back(define(std::move(value)));
    }
    function_.ops.push_back(std::move(op));
  }

  std::vector<ValueId> read_uses() {
    std::vector<ValueId> ids;
    do {
      if (lexer_.peek().kind == Kind::value && !names_.count(lexer_.peek().text))
        lexer_.fail("a defined value");
      ids.push_back(names_.find(lexer_.expect(Kind::value, "a value").text)->second);
    } while (lexer_.accept(","));
    return ids;
  }

  void read_return() {
    if (!lexer_.accept_word("return")) lexer_.fail("an operation or 'return'");
    if (lexer_.peek().kind == Kind::value) function_.results = read_uses();
  }

  ValueId define(TensorValue value) {
    auto id = static_cast<ValueId>(function_.values.size());
    if (!names_.emplace(value.name, id).second) lexer_.fail("a name not used before");
    function_.values.push_back(std::move(value));
    return id;
  }

  DType read_dtype() {
    auto dtype = parse_dtype(lexer_.peek().text);
    if (!dtype || lexer_.peek().kind != Kind::word) lexer_.fail("an element type");
    lexer_.take();
    return *dtype;
  }

  std::vector<SymExpr> read_sizes() {
    std::vector<SymExpr> sizes;
    lexer_.expect("[");
    while (!lexer_.accept("]")) {
      if (!sizes.empty()) lexer_.expect(",");
      sizes.push_back(read_size(lexer_));
    }
    return sizes;
  }

  TensorType read_type() {
    DType dtype = read_dtype();
    return {dtype, read_sizes()};
  }

  std::int64_t read_integer() {
    bool negative = lexer_.accept("-");
    std::string text(lexer_.expect(Kind::integer, "an integer").text);
    if (!negative && text.rfind("0x", 0) == 0)
      return static_cast<std::int64_t>(std::stoull(text.substr(2, 16), nullptr, 16));
    auto value = mlir::to_int64(negative ? "-" + text : text);
    if (!value) lexer_.fail("an integer of 64 bits");
    return *value;
  }

  Attribute read_attribute() {
    const mlir::Token& token = lexer_.peek();
    if (token.kind == Kind::string) return std::string(lexer_.take().text);
    if (lexer_.accept_word("sizes")) return read_sizes();
    if (token.kind == Kind::word) return read_dtype();
    if (!lexer_.accept("[")) return read_integer();
    std::vector<std::int64_t> values;
    while (!lexer_.accept("]")) {
      if (!values.empty()) lexer_.expect(",");
      values.push_back(read_integer());
    }
    return values;
  }

  void read_attributes(TensorOp& op) {
    while (!lexer_.accept("}")) {
      if (!op.attributes.empty()) lexer_.expect(",");
      std::string key(lexer_.expect(Kind::word, "an attribute").text);
      lexer_.expect("=");
      op.attributes[key] = read_attribute();
    }
  }

  Lexer lexer_;
  TensorFunction function_;
  std::map<std::string, ValueId, std::less<>> names_;
};

}  // namespace

SymExpr read_size(Lexer& lexer) {
  SourceLocation where = lexer.here();
  try {
    return SizeReader(lexer).sum();
  } catch (const OverflowError& error) {
    throw InputError(where, std::string("a size of 64 bits: ") + error.what());
  }
}

TensorFunction parse_tensor_function(std::string_view text, const SourceLocation& origin) {
  TensorFunction function = FunctionReader(text, origin).read();
  verify(function);
  return function;
}

}  // namespace bufferproof::model
