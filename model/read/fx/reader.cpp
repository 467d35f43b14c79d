#include "model/read/fx/reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "model/body/builder.hpp"
#include "model/read/aten/lowering.hpp"
#include "model/read/fx/annotation.hpp"
#include "model/read/python/parser.hpp"

namespace bufferproof::model {
namespace {

using aten::Value;
using python::Expr;
using python::ExprKind;
using python::Stmt;
using python::StmtKind;

/// Tensor constants a module's __init__ creates: attribute name to the creating call.
struct Constants {
  std::map<std::string, const Expr*, std::less<>> created;
  bool loaded = false;  ///< the file loads a state dictionary
};

std::string name_of(const Expr& expr) { return python::dotted_name(expr); }

/// `torch.nn.Parameter(torch.empty(..))` and `torch.empty(..)`.
const Expr* creation(const Expr* expr) {
  while (expr && expr->kind == ExprKind::call) {
    std::string callee = name_of(*expr->items[0]);
    if (callee == "torch.empty") return expr;
    if (expr->items.size() < 2) return nullptr;
    expr = expr->items[1];
  }
  return nullptr;
}

void collect_constants(std::span<const Stmt* const> body, Constants& out) {
  for (const Stmt* stmt : body) {
    if (stmt->kind == StmtKind::assign && stmt->targets.size() == 1) {
      std::string target = name_of(*stmt->targets[0]);
      const Expr* made = creation(stmt->value);
      if (made && target.rfind("self.", 0) == 0) out.created[target.substr(5)] = made;
    }
    if (stmt->kind != StmtKind::expr || !stmt->value || stmt->value->kind != ExprKind::call) continue;
    const Expr& call = *stmt->value;
    std::string callee = name_of(*call.items[0]);
    if (callee == "self.load_state_dict") out.loaded = true;
    bool registers = callee == "self.register_buffer" || callee == "self.register_parameter";
    if (registers && call.items.size() >= 3 && call.items[1]->kind == ExprKind::string)
      if (const Expr* made = creation(call.items[2]))
        out.created[python::string_value(*call.items[1])] = made;
  }
}

/// A name the printer's notation can hold.
std::string function_name(const std::string& name) { return name == "<lambda>" ? "lambda" : name; }

class ForwardReader {
 public:
  ForwardReader(const python::Module& module, const Constants& constants, const FxOptions& options,
                BodyText& body)
      : module_(module),
        constants_(constants),
        options_(options),
        body_(body),
        builder_(function_name(body.name), body.where),
        lowering_(builder_) {}

  TensorFunction read(const Stmt& forward) {
    for (const python::Param& param : forward.params)
      if (param.name != "self") read_parameter(param);
    for (const Stmt* stmt : forward.body) {
      if (stmt->kind == StmtKind::return_) return finish(*stmt);
      read_statement(*stmt);
    }
    throw InputError(module_.locate(forward.at), "a 'return' in forward", "the end of its body");
  }

 private:
  SourceLocation at(const Expr& expr) const { return module_.locate(expr.at); }

  void read_parameter(const python::Param& param) {
    SourceLocation where = module_.locate(param.at);
    std::string name(param.name);
    fx::Annotation note;
    if (param.annotation && param.annotation->kind == ExprKind::string)
      note = fx::read_annotation(python::string_value(*param.annotation), where);
    std::size_t position = builder_.function().parameters.size();
    if (!note.tensor && !note.size && position < options_.parameter_types.size())
      note.tensor = options_.parameter_types[position];
    if (note.size) {
      ValueId id = builder_.scalar_parameter(name, DType::i64);
      builder_.set_integer(id, *note.size);
      values_[name] = Value::of_integer(*note.size);
    } else if (note.tensor) {
      values_[name] = Value::of_tensor(builder_.parameter(name, *note.tensor));
    } else {
      throw UnsupportedBody("parameter '" + name + "' without a known type", where);
    }
  }

  void read_statement(const Stmt& stmt) {
    switch (stmt.kind) {
      case StmtKind::assign:
        if (stmt.value->kind == ExprKind::constant && stmt.value->text == "None") return;  // frees
        for (const Expr* target : stmt.targets) assign(*target, evaluate(*stmt.value), nullptr);
        return;
      case StmtKind::annotated:
        if (stmt.value) assign(*stmt.targets[0], evaluate(*stmt.value), stmt.extra);
        return;
      case StmtKind::expr:
        if (stmt.value->kind == ExprKind::call) evaluate(*stmt.value);
        return;
      case StmtKind::pass:
      case StmtKind::assert_:
      case StmtKind::del:
      case StmtKind::import:
      case StmtKind::from:
        return;
      default:
        throw UnsupportedBody("a statement that is no assignment", module_.locate(stmt.at));
    }
  }

  void assign(const Expr& target, Value value, const Expr* annotation) {
    if (target.kind != ExprKind::name)
      throw UnsupportedBody("an assignment to " + python::str(target, 60), at(target));
    std::string name(target.text);
    if (annotation && annotation->kind == ExprKind::string && value.is(Value::Kind::tensor)) {
      auto note = fx::read_annotation(python::string_value(*annotation), at(*annotation));
      if (note.tensor) check(value.tensor, *note.tensor, at(*annotation));
    }
    if (value.is(Value::Kind::tensor)) builder_.rename(value.tensor, name);
    values_[name] = std::move(value);
  }

  void check(ValueId id, const TensorType& stated, const SourceLocation& where) {
    TensorType known = builder_.type(id);
    if (known.dtype != stated.dtype || known.rank() != stated.rank())
      throw InputError(where, known.str(), stated.str(), "the annotation does not fit the call");
    for (std::size_t i = 0; i < known.rank(); ++i)
      builder_.require_equal(known.shape[i], stated.shape[i], where, "sizes");
  }

  Value evaluate(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::name:
        return read_name(expr);
      case ExprKind::integer:
        if (!expr.value) throw InputError(at(expr), "an integer of 64 bits", std::string(expr.text));
        return Value::of_integer(*expr.value);
      case ExprKind::real: {
        double value = 0;
        std::from_chars(expr.text.data(), expr.text.data() + expr.text.size(), value);
        return Value::of_real(value);
      }
      case ExprKind::string:
        return Value::of_text(python::string_value(expr));
      case ExprKind::constant:
        if (expr.text == "None") return {};
        return Value::of_bool(expr.text == "True");
      case ExprKind::tuple:
      case ExprKind::list: {
        std::vector<Value> items;
        for (const Expr* item : expr.items) items.push_back(evaluate(*item));
        return Value::of_list(std::move(items));
      }
      case ExprKind::attribute:
        return read_attribute(expr);
      case ExprKind::subscript:
        return lowering_.lower(
            {"operator.getitem", {evaluate(*expr.items[0]), evaluate(*expr.items[1])}, {}, at(expr)});
      case ExprKind::unary:
        return negate(expr);
      case ExprKind::binary:
        return arithmetic(expr);
      case ExprKind::call:
        return read_call(expr);
      default:
        throw UnsupportedBody("the expression " + python::str(expr, 60), at(expr));
    }
  }

  Value read_name(const Expr& expr) {
    if (auto found = values_.find(expr.text); found != values_.end()) return found->second;
    if (expr.text == "inf") return Value::of_real(HUGE_VAL);
    if (expr.text == "nan") return Value::of_real(std::nan(""));
    throw InputError(at(expr), "a name defined before", "'" + std::string(expr.text) + "'");
  }

  Value read_attribute(const Expr& expr) {
    std::string name = name_of(expr);
    if (auto dtype = parse_dtype(name)) return Value::of_dtype(*dtype);
    if (name.rfind("self.", 0) == 0) return read_constant(name.substr(5), expr);
    return Value::of_text(name);
  }

  /// A tensor constant of the module: loaded, or never written at all (B5).
  Value read_constant(const std::string& name, const Expr& expr) {
    auto found = constants_.created.find(name);
    if (found == constants_.created.end())
      throw UnsupportedBody("the module attribute 'self." + name + "'", at(expr));
    const Expr& made = *found->second;
    Value size = Value::of_list({});
    std::optional<DType> dtype;
    for (std::size_t i = 1; i < made.items.size(); ++i) {
      const Expr& argument = *made.items[i];
      if (argument.kind == ExprKind::list || argument.kind == ExprKind::tuple) size = evaluate(argument);
      if (argument.kind == ExprKind::keyword && argument.text == "dtype")
        dtype = parse_dtype(name_of(*argument.items[0]));
    }
    std::vector<SymExpr> shape;
    for (const Value& item : size.items) shape.push_back(item.integer);
    Attributes attributes{{"dtype", dtype.value_or(DType::f32)}, {"shape", shape}};
    if (!constants_.loaded)
      body_.notes.push_back(
          {BodyNote::Kind::uninitialised_constant,
           fmt::format("tensor constant '{}' is saved as torch.empty and never loaded: the fallback "
                       "computes with uninitialised memory",
                       name),
           at(made)});
    return Value::of_tensor(builder_.add(constants_.loaded ? "loaded" : "empty", {}, attributes, at(made)));
  }

  Value negate(const Expr& expr) {
    Value value = evaluate(*expr.items[0]);
    if (expr.text == "-" && value.is(Value::Kind::integer)) return Value::of_integer(-value.integer);
    if (expr.text == "-" && value.is(Value::Kind::real)) return Value::of_real(-value.real);
    if (expr.text == "-" && value.is(Value::Kind::tensor))
      return lowering_.lower({"aten.neg", {value}, {}, at(expr)});
    throw UnsupportedBody("the expression " + python::str(expr, 60), at(expr));
  }

  /// Sizes only; tensors are combined by calls.
  Value arithmetic(const Expr& expr) {
    Value a = evaluate(*expr.items[0]);
    Value b = evaluate(*expr.items[1]);
    if (a.is(Value::Kind::integer) && b.is(Value::Kind::integer)) {
      if (expr.text == "+") return Value::of_integer(a.integer + b.integer);
      if (expr.text == "-") return Value::of_integer(a.integer - b.integer);
      if (expr.text == "*") return Value::of_integer(a.integer * b.integer);
      if (expr.text == "//" && b.integer.constant() != 0)
        return Value::of_integer(floordiv(a.integer, b.integer));
      if (expr.text == "%" && b.integer.constant() != 0) return Value::of_integer(mod(a.integer, b.integer));
    }
    throw UnsupportedBody("the expression " + python::str(expr, 60), at(expr));
  }

  Value read_call(const Expr& expr) {
    aten::Call call{name_of(*expr.items[0]), {}, {}, at(expr)};
    if (call.op == "device" || call.op == "torch.device") return {};
    for (std::size_t i = 1; i < expr.items.size(); ++i) {
      const Expr& argument = *expr.items[i];
      if (argument.kind == ExprKind::starred) throw UnsupportedBody("a starred argument", at(argument));
      if (argument.kind == ExprKind::keyword) {
        call.keywords[std::string(argument.text)] = evaluate(*argument.items[0]);
      } else {
        call.arguments.push_back(evaluate(argument));
      }
    }
    constexpr std::string_view kPrefix = "torch.ops.";
    if (call.op.compare(0, kPrefix.size(), kPrefix) == 0) call.op.erase(0, kPrefix.size());
    if (call.op.empty()) throw UnsupportedBody("a call of " + python::str(*expr.items[0], 60), at(expr));
    return lowering_.lower(call);
  }

  TensorFunction finish(const Stmt& stmt) {
    std::vector<Value> values;
    if (stmt.value) {
      Value value = evaluate(*stmt.value);
      values = value.is(Value::Kind::list) ? value.items : std::vector<Value>{value};
    }
    return builder_.finish(lowering_.results(values, module_.locate(stmt.at)));
  }

  const python::Module& module_;
  const Constants& constants_;
  const FxOptions& options_;
  BodyText& body_;
  FunctionBuilder builder_;
  aten::Lowering lowering_;
  std::map<std::string, Value, std::less<>> values_;
};

/// `class <lambda>(..)` is no Python: the name is replaced by one of the same length, so positions stay.
std::string as_python(std::string_view text) {
  std::string out(text);
  constexpr std::string_view kLambda = "<lambda>";
  for (std::size_t i = out.find(kLambda); i != std::string::npos; i = out.find(kLambda, i))
    out.replace(i, kLambda.size(), "_lambda_");
  return out;
}

python::SourceText source_of(std::string_view text, const SourceLocation& origin) {
  python::SourceText source;
  source.file = origin.file ? origin.file : std::make_shared<const std::string>("<input>");
  source.text = as_python(text);
  auto line = static_cast<std::uint32_t>(std::max(origin.line, 1));
  source.lines.push_back({line, 0});
  for (char c : source.text)
    if (c == '\n') source.lines.push_back({++line, 0});
  return source;
}

BodyText read_class(const python::Module& module, const Stmt& cls, const FxOptions& options) {
  BodyText body;
  body.name = cls.text == "_lambda_" ? "<lambda>" : std::string(cls.text);
  body.where = module.locate(cls.at);
  Constants constants;
  const Stmt* forward = nullptr;
  for (const Stmt* stmt : cls.body) {
    if (stmt->kind != StmtKind::def) continue;
    if (stmt->text == "__init__") collect_constants(stmt->body, constants);
    if (stmt->text == "forward") forward = stmt;
  }
  if (!forward) return body;
  try {
    body.function = ForwardReader(module, constants, options, body).read(*forward);
  } catch (const UnsupportedBody& error) {
    body.unsupported = BodyUnsupported{error.what(), error.where()};
  } catch (const OverflowError& error) {
    throw InputError(body.where, std::string("a size beyond 64 bits: ") + error.what());
  }
  return body;
}

}  // namespace

std::vector<BodyText> read_fx(std::string_view text, const SourceLocation& origin, const FxOptions& options) {
  python::Module module = python::parse_module(source_of(text, origin));
  std::vector<BodyText> bodies;
  for (const Stmt* stmt : module.body) {
    if (stmt->kind != StmtKind::class_) continue;
    BodyText body = read_class(module, *stmt, options);
    if (body.function || body.unsupported) bodies.push_back(std::move(body));
  }
  return bodies;
}

}  // namespace bufferproof::model
