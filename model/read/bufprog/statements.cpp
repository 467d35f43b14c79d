#include "model/read/bufprog/statements.hpp"

#include "model/read/bufprog/access.hpp"
#include "model/read/bufprog/expression.hpp"

namespace bufferproof::model::bufprog {
namespace {

constexpr const char* kForms =
    "a statement is param, buf, view, layout, same, name, take, drop, point, kernel, copy, signal, wait, "
    "hostsync, loop, if, else or result";

}  // namespace

StatementReader::StatementReader(const Lines& lines, std::shared_ptr<const std::string> file,
                                 Program& program, Constants& constants)
    : lines_(lines), file_(std::move(file)), program_(program), constants_(constants) {
  for (const Line& line : lines_.code) {
    if (line.text.substr(0, 6) != "param ") continue;
    const Cursor cursor(line.text, {file_, line.number, line.indent + 1});
    if (cursor.peek(1).kind == TokenKind::name) scope_.reserve(std::string(cursor.peek(1).text));
  }
}

void StatementReader::read() { program_.body = block(0, 0); }

Block StatementReader::block(int indent, int depth) {
  Block out;
  while (at_ < lines_.code.size() && lines_.code[at_].indent >= indent) {
    const Line& line = lines_.code[at_];
    Cursor cursor(line.text, {file_, line.number, line.indent + 1});
    if (line.indent > indent)
      throw InputError(cursor.here(), "the indentation of this block (" + std::to_string(indent) + " blanks)",
                       std::to_string(line.indent) + " blanks", "only loop, if and else open a block");
    ++at_;
    if (cursor.at("param")) {
      parameter(cursor, depth);
      cursor.expect_end();
    } else {
      out.push_back(statement(cursor, line, depth));
    }
  }
  return out;
}

Block StatementReader::body_of(const Line& header, int depth) {
  const SourceLocation where{file_, header.number, header.indent + 1};
  if (depth >= kDeepestBlock) throw InputError(where, "at most 50 nested blocks", "more");
  if (at_ == lines_.code.size() || lines_.code[at_].indent <= header.indent)
    throw InputError(where, "an indented block below this line", "none");
  const int indent = lines_.code[at_].indent;
  Block out = block(indent, depth + 1);
  if (at_ < lines_.code.size() && lines_.code[at_].indent > header.indent)
    throw InputError({file_, lines_.code[at_].number, lines_.code[at_].indent + 1},
                     "the indentation of an open block", std::to_string(lines_.code[at_].indent) + " blanks");
  return out;
}

Step StatementReader::statement(Cursor& cursor, const Line& line, int depth) {
  Step step;
  step.where = cursor.here();
  const Token keyword = cursor.peek();
  const std::string word(keyword.text);
  if (!cursor.at_name()) cursor.fail("a statement", kForms);
  cursor.next();
  if (word == "buf") {
    step.node = alloc(cursor);
  } else if (word == "view") {
    step.node = window(cursor);
  } else if (word == "layout") {
    step.node = layout(cursor);
  } else if (word == "same") {
    step.node = bind(cursor, Bind::Kind::new_handle);
  } else if (word == "name") {
    step.node = bind(cursor, Bind::Kind::alias);
  } else if (word == "take") {
    step.node = bind(cursor, Bind::Kind::take);
  } else if (word == "drop") {
    step.node = Free{{name(cursor, "the name to give up")}};
  } else if (word == "point") {
    step.node = point(cursor);
  } else if (word == "kernel") {
    step.node = launch(cursor);
  } else if (word == "copy") {
    step.node = copy(cursor);
  } else if (word == "signal" || word == "wait") {
    const Name event = name(cursor, "the name of an event");
    cursor.expect("on");
    const Name stream = name(cursor, "the name of a stream");
    if (word == "signal") step.node = Signal{event, stream};
    if (word == "wait") step.node = Wait{event, stream};
  } else if (word == "hostsync") {
    step.node = HostSync{name(cursor, "the name of a stream")};
  } else if (word == "result") {
    step.node = result(cursor);
  } else if (word == "loop") {
    step.node = loop(cursor, line, depth);
  } else if (word == "if") {
    step.node = branch(cursor, line, depth);
  } else {
    throw InputError(cursor.where(keyword), "a statement", "'" + word + "'",
                     word == "else" ? "`else:` stands right below the block of its `if`" : kForms);
  }
  cursor.expect_end();
  return step;
}

Name StatementReader::name(Cursor& cursor, const std::string& what) {
  return parse_name(cursor, scope_, what);
}

// ---- params
// ----------------------------------------------------------------------------------------------------

void StatementReader::parameter(Cursor& cursor, int depth) {
  const Token keyword = cursor.next();
  if (depth > 0) throw InputError(cursor.where(keyword), "`param` outside of blocks", "one inside a block");
  const Token token = cursor.expect_name("the name of the param");
  const std::string name(token.text);
  if (is_reserved_word(name)) throw InputError(cursor.where(token), "a name", "'" + name + "'");
  if (scope_.find(name))
    throw InputError(cursor.where(token), "a new name", "'" + name + "', which exists already");
  cursor.expect("=", "every param has a value: param n = 5 in 1..8");
  const SymExpr value = parse_expression(cursor, scope_);
  if (!cursor.accept("in")) {
    constants_.emplace(name, value);
    scope_.push(name, value);
    return;
  }
  declare(cursor, token, value, cursor);
}

void StatementReader::declare(const Cursor& cursor, const Token& token, const SymExpr& value, Cursor& range) {
  auto bound = [&](const char* what) {
    const SourceLocation at = range.here();
    const auto number = parse_expression(range, scope_).constant();
    if (!number) throw InputError(at, what, "an expression with params");
    return *number;
  };
  Symbol symbol;
  symbol.name = std::string(token.text);
  symbol.where = cursor.where(token);
  symbol.lo = bound("a number as lower end of the range");
  range.expect("..", "a range is lo..hi, or lo..inf");
  if (!range.accept("inf")) symbol.hi = bound("a number as upper end of the range, or inf");
  symbol.value = value.evaluate(values_);
  if (!symbol.value) throw InputError(symbol.where, "a value of 64 bits for " + symbol.name, value.str());
  if (symbol.hi && *symbol.hi < symbol.lo)
    throw InputError(symbol.where, "a range that is not empty",
                     std::to_string(symbol.lo) + ".." + std::to_string(*symbol.hi));
  if (*symbol.value < symbol.lo || (symbol.hi && *symbol.value > *symbol.hi))
    throw InputError(symbol.where, "a value inside the range of " + symbol.name,
                     std::to_string(*symbol.value), "change the value or the range");
  values_[symbol.name] = *symbol.value;
  scope_.push(symbol.name, SymExpr::symbol(symbol.name));
  program_.symbols.push_back(std::move(symbol));
}

// ---- control flow
// ----------------------------------------------------------------------------------------------

Branch StatementReader::branch(Cursor& cursor, const Line& line, int depth) {
  Branch out;
  out.condition = parse_condition(cursor, scope_);
  cursor.expect(":");
  cursor.expect_end();
  out.then_block = body_of(line, depth);
  if (at_ == lines_.code.size() || lines_.code[at_].indent != line.indent) return out;
  const Line& next = lines_.code[at_];
  Cursor other(next.text, {file_, next.number, next.indent + 1});
  if (!other.accept("else")) return out;
  other.expect(":");
  other.expect_end();
  ++at_;
  out.else_block = body_of(next, depth);
  return out;
}

Loop StatementReader::loop(Cursor& cursor, const Line& line, int depth) {
  const Token token = cursor.expect_name("a loop variable, as in loop i<n:");
  const std::string name(token.text);
  if (is_reserved_word(name)) throw InputError(cursor.where(token), "a loop variable", "'" + name + "'");
  cursor.expect("<");
  Loop out;
  out.count = parse_expression(cursor, scope_);
  cursor.expect(":");
  cursor.expect_end();
  out.variable = scope_.push_loop(name);
  out.body = body_of(line, depth);
  scope_.pop(name);
  return out;
}

}  // namespace bufferproof::model::bufprog
