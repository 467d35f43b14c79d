// The statements that make handles, access memory and order streams.
#include "model/read/bufprog/access.hpp"
#include "model/read/bufprog/expression.hpp"
#include "model/read/bufprog/statements.hpp"

namespace bufferproof::model::bufprog {
namespace {

constexpr const char* kDefaultStream = "s0";
constexpr std::size_t kMostAxes = 16;

}  // namespace

Alloc StatementReader::alloc(Cursor& cursor) {
  Alloc out;
  out.name = name(cursor, "the name of the buffer");
  const Token at = cursor.peek();
  const std::vector<SymExpr> extents = sizes(cursor, "[", "]");
  check_elements(cursor, at, extents);
  out.layout = contiguous(extents);
  if (cursor.accept("uninit")) {
    out.init = Init::uninit;
  } else if (cursor.accept("zero")) {
    out.init = Init::zero;
  } else if (cursor.accept("input")) {
    out.init = Init::input;
  } else if (cursor.accept("filled")) {
    out.init = Init::filled;
  } else {
    cursor.fail("uninit, zero, input or filled");
  }
  return out;
}

/// "view v = b + off len k"
View StatementReader::window(Cursor& cursor) {
  View out;
  out.name = name(cursor, "the name of the view");
  cursor.expect("=");
  out.base = name(cursor, "the name the view is taken of");
  cursor.expect("+", "a view is: view v = b + off len k");
  const SymExpr offset = parse_expression(cursor, scope_);
  cursor.expect("len", "a view is: view v = b + off len k");
  const Token at = cursor.peek();
  const SymExpr length = parse_expression(cursor, scope_);
  check_size(cursor, at, length);
  out.layout = Layout{{length}, {SymExpr(1)}, offset};
  return out;
}

/// "layout v = b shape (r,c) stride (s,t)"
View StatementReader::layout(Cursor& cursor) {
  View out;
  out.name = name(cursor, "the name of the view");
  cursor.expect("=");
  out.base = name(cursor, "the name the view is taken of");
  cursor.expect("shape", "a layout is: layout v = b shape (r,c) stride (s,t)");
  const Token shape_at = cursor.peek();
  Layout layout;
  layout.sizes = sizes(cursor, "(", ")");
  check_elements(cursor, shape_at, layout.sizes);
  cursor.expect("stride", "a layout is: layout v = b shape (r,c) stride (s,t)");
  const Token at = cursor.peek();
  layout.strides = sizes(cursor, "(", ")");
  if (layout.strides.size() != layout.sizes.size())
    throw InputError(cursor.where(at),
                     "as many strides as sizes (" + std::to_string(layout.sizes.size()) + ")",
                     std::to_string(layout.strides.size()));
  out.layout = std::move(layout);
  return out;
}

std::vector<SymExpr> StatementReader::sizes(Cursor& cursor, std::string_view open, std::string_view close) {
  std::vector<SymExpr> out;
  cursor.expect(open);
  do {
    if (out.size() == kMostAxes) cursor.fail("at most 16 axes");
    const Token at = cursor.peek();
    out.push_back(parse_expression(cursor, scope_));
    check_size(cursor, at, out.back());
  } while (cursor.accept(","));
  cursor.expect(close);
  return out;
}

/// A size that is known here is neither negative nor beyond 64 bits; one with a loop value is not known.
void StatementReader::check_size(const Cursor& cursor, const Token& at, const SymExpr& size) const {
  std::set<std::string> symbols;
  size.collect_symbols(symbols);
  for (const std::string& symbol : symbols)
    if (!values_.count(symbol)) return;
  const auto value = size.evaluate(values_);
  if (!value || *value < 0)
    throw InputError(
        cursor.where(at), "a size from 0 to 2^63 - 1",
        size.str() + (value ? " = " + std::to_string(*value) : ", which has no value of 64 bits"));
}

void StatementReader::check_elements(const Cursor& cursor, const Token& at,
                                     const std::vector<SymExpr>& extents) const {
  SymExpr elements(1);
  for (const SymExpr& extent : extents) elements = bounded_product(cursor, at, elements, extent);
  check_size(cursor, at, elements);
}

Bind StatementReader::bind(Cursor& cursor, Bind::Kind kind) {
  Bind out;
  out.kind = kind;
  out.name = name(cursor, "the new name");
  cursor.expect("=");
  out.source = name(cursor, "the name it comes from");
  return out;
}

Point StatementReader::point(Cursor& cursor) {
  Point out;
  out.handle = name(cursor, "the handle that moves");
  cursor.expect("->", "rebinding is: point a -> t");
  out.target = name(cursor, "the handle it moves to");
  return out;
}

// ---- launches, copies, the caller
// --------------------------------------------------------------------------------

Launch StatementReader::launch(Cursor& cursor) {
  Launch out;
  out.kernel = name(cursor, "the name of the kernel");
  out.stream = cursor.accept("on") ? name(cursor, "the name of a stream") : Name(kDefaultStream);
  cursor.expect(":", "a kernel is: kernel K on s: read b[0:4] from P; write c[0:4]");
  Variant variant;
  do variant.clauses.push_back(clause(cursor));
  while (cursor.accept(";"));
  out.variants.push_back(std::move(variant));
  return out;
}

Clause StatementReader::clause(Cursor& cursor) {
  Clause out;
  if (cursor.accept("read")) {
    out.kind = Clause::Kind::read;
  } else if (cursor.accept("write")) {
    out.kind = Clause::Kind::write;
  } else if (cursor.accept("accum")) {
    out.kind = Clause::Kind::accumulate;
  } else {
    cursor.fail("read, write or accum");
  }
  Access access = parse_access(cursor, scope_);
  out.buffer = std::move(access.buffer);
  out.set = std::move(access.set);
  if (out.kind == Clause::Kind::read) out.from = parse_from(cursor, scope_);
  return out;
}

/// "copy on s: a[..] -> b[..]"; a buffer may be called `on`, then elements follow it.
Copy StatementReader::copy(Cursor& cursor) {
  Copy out;
  out.stream = Name(kDefaultStream);
  if (cursor.at("on") && cursor.peek(1).kind == TokenKind::name) {
    cursor.next();
    out.stream = name(cursor, "the name of a stream");
    cursor.expect(":");
  }
  Access source = parse_access(cursor, scope_);
  cursor.expect("->", "a copy is: copy a[0:4] -> b[0:4]");
  Access destination = parse_access(cursor, scope_);
  out.source = std::move(source.buffer);
  out.source_set = std::move(source.set);
  out.destination = std::move(destination.buffer);
  out.destination_set = std::move(destination.set);
  return out;
}

Return StatementReader::result(Cursor& cursor) {
  Return out;
  Access access = parse_access(cursor, scope_);
  From from = parse_from(cursor, scope_);
  out.items.push_back({std::move(access.buffer), std::move(access.set), std::move(from)});
  out.after_everything = true;
  return out;
}

}  // namespace bufferproof::model::bufprog
