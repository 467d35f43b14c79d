#include "model/read/bufprog/access.hpp"

#include "model/read/bufprog/expression.hpp"

namespace bufferproof::model::bufprog {
namespace {

constexpr std::size_t kMostAxes = 16;

/// "{i}" is a hole of a name, "{i | i<4}" a set of elements.
bool is_hole(const Cursor& cursor) {
  const std::size_t end = cursor.peek().match;
  return cursor.find("|", cursor.position() + 1, end) == end;
}

/// Literals and holes in turn; a hole with a known value becomes part of the literal.
class NameBuilder {
 public:
  void add(std::string_view text) { literals_.back() += text; }
  void add_hole(const Cursor& cursor, const Token& at, const SymExpr& value) {
    if (auto known = value.constant()) {
      if (*known < 0)
        throw InputError(cursor.where(at), "a value of 0 or more in a name", std::to_string(*known));
      literals_.back() += std::to_string(*known);
    } else {
      holes_.push_back(value);
      literals_.emplace_back();
    }
  }
  Name build() const { return {literals_, holes_}; }

 private:
  std::vector<std::string> literals_{""};
  std::vector<SymExpr> holes_;
};

/// An axis of "[..]": one index, or lo:hi as a fresh variable.
void parse_axis(Cursor& cursor, const Scope& scope, IndexSet& set) {
  const SymExpr first = parse_expression(cursor, scope);
  if (!cursor.accept(":")) {
    set.index.push_back(first);
    return;
  }
  const std::string variable = "$" + std::to_string(set.variables.size());
  set.variables.push_back({variable, first, parse_expression(cursor, scope)});
  set.index.push_back(SymExpr::symbol(variable));
}

IndexSet parse_slices(Cursor& cursor, const Scope& scope) {
  IndexSet set;
  cursor.expect("[");
  do {
    if (set.index.size() == kMostAxes) cursor.fail("at most 16 axes");
    parse_axis(cursor, scope, set);
  } while (cursor.accept(","));
  cursor.expect("]", "an index is i, or lo:hi, per axis");
  return set;
}

/// "i<n": 0 <= i < n.
void parse_variable(Cursor& cursor, Scope& scope, IndexSet& set) {
  if (set.variables.size() == kMostAxes) cursor.fail("at most 16 variables");
  const Token token = cursor.expect_name("a variable of the set, as in i<n");
  const std::string name(token.text);
  const std::string unique = "$" + name;
  for (const BoundVariable& other : set.variables)
    if (other.name == unique)
      throw InputError(cursor.where(token), "variables with different names", "'" + name + "' again");
  if (is_reserved_word(name))
    throw InputError(cursor.where(token), "the name of a variable", "'" + name + "'");
  cursor.expect("<");
  set.variables.push_back({unique, SymExpr(0), parse_expression(cursor, scope)});
  scope.push(name, SymExpr::symbol(unique));
}

/// "{index | variables ; condition}". The variables stand behind the index that uses them.
IndexSet parse_comprehension(Cursor& cursor, Scope& scope) {
  const std::size_t end = cursor.peek().match;
  cursor.expect("{");
  const std::size_t index_at = cursor.position();
  const std::size_t bar = cursor.find("|", index_at, end);
  IndexSet set;
  cursor.seek(bar + 1);
  do parse_variable(cursor, scope, set);
  while (cursor.accept(","));
  if (cursor.accept(";")) set.where = parse_condition(cursor, scope);
  if (cursor.position() != end) cursor.fail("'}'");
  cursor.seek(index_at);
  do {
    if (set.index.size() == kMostAxes) cursor.fail("at most 16 axes");
    set.index.push_back(parse_expression(cursor, scope));
  } while (cursor.accept(","));
  if (cursor.position() != bar) cursor.fail("'|'");
  cursor.seek(end + 1);
  for (const BoundVariable& variable : set.variables) scope.pop(variable.name.substr(1));
  return set;
}

}  // namespace

Name parse_name(Cursor& cursor, const Scope& scope, const std::string& what) {
  NameBuilder name;
  name.add(cursor.expect_name(what).text);
  while (cursor.adjacent()) {
    const Token& token = cursor.peek();
    if (token.kind == TokenKind::name || token.kind == TokenKind::number) {
      name.add(cursor.next().text);
    } else if (token.text == "{" && is_hole(cursor)) {
      const Token open = cursor.next();
      name.add_hole(cursor, open, parse_expression(cursor, scope));
      cursor.expect("}");
    } else {
      break;
    }
  }
  return name.build();
}

Access parse_access(Cursor& cursor, Scope& scope) {
  Access access;
  access.buffer = parse_name(cursor, scope, "the name of a buffer");
  if (cursor.at("[")) {
    access.set = parse_slices(cursor, scope);
  } else if (cursor.at("{")) {
    access.set = parse_comprehension(cursor, scope);
  } else {
    cursor.fail("the elements meant, as in b[0:4] or b{2*i | i<4}");
  }
  return access;
}

From parse_from(Cursor& cursor, const Scope& scope) {
  From from;
  if (!cursor.accept("from")) return from;
  from.kind = cursor.accept("=") ? From::Kind::exactly : From::Kind::one_of;
  from.names.push_back(parse_name(cursor, scope, "the name of a producer"));
  while (cursor.at("|") || cursor.at("&")) {
    const bool all = cursor.at("&");
    if (!all && from.kind != From::Kind::one_of) cursor.fail("'&' between these producers");
    if (all && from.kind == From::Kind::one_of) {
      if (from.names.size() > 1) cursor.fail("'|' between these producers");
      from.kind = From::Kind::all_of;
    }
    cursor.next();
    from.names.push_back(parse_name(cursor, scope, "the name of a producer"));
  }
  return from;
}

}  // namespace bufferproof::model::bufprog
