// affine.apply, affine.min, affine.max on sizes.
#include <fmt/format.h>

#include "model/read/mlir/body_reader.hpp"

namespace bufferproof::model::mlir {

using Kind = Token::Kind;

namespace {

/// An affine expression over bound dimensions and symbols.
class AffineReader {
 public:
  AffineReader(Lexer& lexer, const std::map<std::string_view, SymExpr>& names)
      : lexer_(lexer), names_(names) {}

  SymExpr sum() {
    if (++depth_ > 100) lexer_.fail("at most 100 levels of nesting");
    SymExpr left = product();
    for (;;) {
      if (lexer_.accept("+")) {
        left = left + product();
      } else if (lexer_.accept("-")) {
        left = left - product();
      } else {
        --depth_;
        return left;
      }
    }
  }

 private:
  SymExpr product() {
    SymExpr left = unary();
    for (;;) {
      if (lexer_.accept("*")) {
        left = left * unary();
      } else if (lexer_.accept_word("floordiv")) {
        left = floordiv(left, unary());
      } else if (lexer_.accept_word("ceildiv")) {
        SymExpr by = unary();
        left = floordiv(left + by - SymExpr(1), by);
      } else if (lexer_.accept_word("mod")) {
        left = mod(left, unary());
      } else {
        return left;
      }
    }
  }

  SymExpr unary() {
    bool negative = false;
    while (lexer_.accept("-")) negative = !negative;
    SymExpr value = atom();
    return negative ? -value : value;
  }

  SymExpr atom() {
    if (lexer_.accept("(")) {
      SymExpr inner = sum();
      lexer_.expect(")");
      return inner;
    }
    const Token& token = lexer_.peek();
    if (token.kind == Kind::integer) {
      auto value = to_int64(token.text);
      if (!value) lexer_.fail("an integer of 64 bits");
      lexer_.take();
      return *value;
    }
    auto found = names_.find(token.text);
    if (token.kind != Kind::word || found == names_.end()) lexer_.fail("a dimension or symbol of the map");
    lexer_.take();
    return found->second;
  }

  Lexer& lexer_;
  const std::map<std::string_view, SymExpr>& names_;
  int depth_ = 0;
};

/// `(d0, d1)` or `[s0]` of a map, bound to values in order.
void bind(Lexer& map, std::string_view open, std::string_view close, const std::vector<SymExpr>& values,
          std::map<std::string_view, SymExpr>& names) {
  if (!map.accept(open)) return;
  std::size_t next = 0;
  while (!map.accept(close)) {
    if (next) map.expect(",");
    std::string_view name = map.expect(Kind::word, "a name").text;
    if (next >= values.size()) map.fail(fmt::format("{} names", values.size()));
    names.emplace(name, values[next++]);
  }
}

}  // namespace

std::string_view BodyReader::raw_map(std::string_view raw, const Statement& statement) const {
  if (!raw.empty() && raw.front() == '#') {
    auto alias = aliases_.find(raw.substr(1));
    if (alias == aliases_.end()) throw InputError(statement.where, "a defined map", std::string(raw));
    raw = alias->second;
  }
  constexpr std::string_view kPrefix = "affine_map<";
  if (raw.substr(0, kPrefix.size()) != kPrefix || raw.back() != '>')
    throw InputError(statement.where, "an affine map", std::string(raw));
  return raw.substr(kPrefix.size(), raw.size() - kPrefix.size() - 1);
}

/// `#map(%d0)[%s0]` or `affine_map<..>(%d0)[%s0]`
void BodyReader::read_affine(const Statement& statement) {
  std::string_view raw;
  if (lexer_.peek().kind == Kind::hash) {
    auto alias = aliases_.find(lexer_.take().text);
    if (alias == aliases_.end()) throw InputError(statement.where, "a defined map", "an unknown alias");
    raw = raw_map(alias->second, statement);
  } else {
    if (!lexer_.accept_word("affine_map")) lexer_.fail("an affine map");
    raw = lexer_.skip_balanced();
  }
  auto values = [&](std::string_view open, std::string_view close) {
    std::vector<SymExpr> out;
    if (!lexer_.accept(open)) return out;
    while (!lexer_.accept(close)) {
      if (!out.empty()) lexer_.expect(",");
      out.push_back(integer_of(use(), statement.where));
    }
    return out;
  };
  std::vector<SymExpr> dims = values("(", ")");
  std::vector<SymExpr> symbols = values("[", "]");
  Lexer map(raw, statement.where);
  std::map<std::string_view, SymExpr> names;
  bind(map, "(", ")", dims, names);
  bind(map, "[", "]", symbols, names);
  map.expect("->");
  map.expect("(");
  std::optional<SymExpr> out;
  while (!map.accept(")")) {
    if (out) map.expect(",");
    SymExpr value = AffineReader(map, names).sum();
    if (!out) {
      out = value;
    } else {
      out = statement.op == "affine.min" ? smaller(*out, value) : larger(*out, value);
    }
  }
  if (!out) map.fail("a result");
  ValueId id = builder_.size(*out, statement.where);
  builder_.mark_scalar(id);
  define(statement, id);
}

}  // namespace bufferproof::model::mlir
