#include "model/read/mlir/attributes.hpp"

#include <algorithm>

namespace bufferproof::model::mlir {

using Kind = Token::Kind;

Dict read_dict(Lexer& lexer) {
  Dict dict;
  lexer.expect("{");
  while (!lexer.accept("}")) {
    if (!dict.empty()) lexer.expect(",");
    Token key = lexer.take();
    if (key.kind != Kind::word && key.kind != Kind::string) lexer.fail("an attribute name or '}'");
    dict.push_back({key.text, lexer.accept("=") ? lexer.skip_value() : std::string_view()});
  }
  return dict;
}

std::string_view find_entry(const Dict& dict, std::string_view key) {
  for (const DictEntry& entry : dict)
    if (entry.key == key) return entry.value;
  return {};
}

EnumValue read_enum(std::string_view raw) {
  std::size_t open = raw.find('<');
  if (raw.empty() || raw.front() != '#' || open == std::string_view::npos || raw.back() != '>') return {};
  std::size_t dot = raw.rfind('.', open);
  std::size_t begin = dot == std::string_view::npos ? 1 : dot + 1;
  return {raw.substr(begin, open - begin), raw.substr(open + 1, raw.size() - open - 2)};
}

std::vector<std::int64_t> read_integers(Lexer& lexer) {
  std::vector<std::int64_t> values;
  lexer.expect("[");
  while (!lexer.accept("]")) {
    if (!values.empty()) lexer.expect(",");
    bool negative = lexer.accept("-");
    auto value = to_int64(lexer.expect(Kind::integer, "an integer").text);
    if (!value) lexer.fail("an integer of 64 bits");
    values.push_back(negative ? -*value : *value);
  }
  return values;
}

AffineMap read_affine_map(std::string_view raw, const SourceLocation& where) {
  AffineMap map;
  Lexer lexer(raw, where);
  std::vector<std::string_view> names;
  lexer.expect("(");
  while (!lexer.accept(")")) {
    if (!names.empty()) lexer.expect(",");
    names.push_back(lexer.expect(Kind::word, "a dimension").text);
  }
  map.dims = names.size();
  if (lexer.peek().is_punct("[")) {
    lexer.skip_balanced();
    map.projection = false;
  }
  lexer.expect("->");
  lexer.expect("(");
  while (!lexer.accept(")")) {
    if (!map.results.empty()) lexer.expect(",");
    Token first = lexer.take();
    MapResult result;
    auto found = std::find(names.begin(), names.end(), first.text);
    if (first.kind == Kind::word && found != names.end())
      result.dim = static_cast<int>(found - names.begin());
    if (first.kind == Kind::integer) result.zero = to_int64(first.text) == 0;
    bool plain = lexer.peek().is_punct(",") || lexer.peek().is_punct(")");
    if (!plain) lexer.skip_value();
    if (!plain || (result.dim < 0 && !result.zero)) map.projection = false;
    map.results.push_back(result);
  }
  return map;
}

}  // namespace bufferproof::model::mlir
