// Python expressions and statements as plain data. Nothing is ever executed.
//
// Nodes live in the arena of their Module and are never changed after parsing; texts point into the module's
// source. What wrappers never need the value of (comprehensions, lambda parameters) is kept as text only.
// Tested by tests/model/read_python_parser_test.cpp.
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/read/python/tokenizer.hpp"

namespace bufferproof::model::python {

enum class ExprKind : std::uint8_t {
  name,         ///< text
  integer,      ///< text; value, where it fits 64 bits
  real,         ///< text; also imaginary numbers
  string,       ///< text: the literal as it stands; items: further literals of an implicit concatenation
  constant,     ///< text: None, True, False or ...
  tuple,        ///< items
  list,         ///< items
  set,          ///< items
  dict,         ///< items: key, value, key, value, ...; the key of `**x` is null
  attribute,    ///< items[0].text
  subscript,    ///< items[0][items[1]]
  slice,        ///< items[0]:items[1]:items[2], each may be null
  call,         ///< items[0](items[1], ...), keyword arguments as `keyword`, `*x` as `starred`
  keyword,      ///< text = items[0]; `**x` has an empty text
  starred,      ///< *items[0]
  unary,        ///< text items[0]
  binary,       ///< items[0] text items[1]; `:=` too
  compare,      ///< items[0] text items[1]; a chain a < b < c is a `boolean` of two of these
  boolean,      ///< items[0] text items[1] text ...; text is "and" or "or"
  lambda,       ///< items[0] is the body; parameters are in text only
  conditional,  ///< items[0] if items[1] else items[2]
  opaque,       ///< text: a comprehension, yield or await
};

struct Expr {
  ExprKind kind = ExprKind::constant;
  std::uint16_t depth = 1;  ///< of the tree below, so that walks may recurse
  Position at;
  std::string_view text;
  std::optional<std::int64_t> value;
  std::span<const Expr* const> items;
};

enum class StmtKind : std::uint8_t {
  expr,       ///< value
  assign,     ///< targets = value; several targets for a = b = value
  augmented,  ///< targets[0] text value; text is "+=" and the like
  annotated,  ///< targets[0]: extra = value; value may be null
  def,        ///< text is the name; params, body, decorators; extra is the result annotation or null
  class_,     ///< text is the name; targets are the bases, body, decorators
  if_,        ///< value is the test; body, orelse (elif is an if_ in orelse)
  while_,     ///< value is the test; body, orelse
  for_,       ///< targets[0] in value; body, orelse
  with,       ///< targets are the contexts (`as` names are dropped); body
  return_,    ///< value or null
  assert_,    ///< value; extra is the message or null
  del,        ///< targets
  import,     ///< names
  from,       ///< text is the module; names
  global,     ///< names; nonlocal too
  raise,      ///< value or null
  try_,       ///< body; orelse holds the statements of all other clauses one after another
  pass,
  break_,
  continue_,
};

/// One name of an import: `text` as `alias` (alias is empty where there is none).
struct ImportName {
  std::string_view text;
  std::string_view alias;
};

struct Param {
  std::string_view name;  ///< with its stars; "*" and "/" stand alone
  Position at;
  const Expr* annotation = nullptr;
  const Expr* fallback = nullptr;  ///< the default value
};

struct Stmt {
  StmtKind kind = StmtKind::pass;
  Position at;
  std::string_view text;
  std::span<const Expr* const> targets;
  const Expr* value = nullptr;
  const Expr* extra = nullptr;
  std::span<const Stmt* const> body;
  std::span<const Stmt* const> orelse;
  std::span<const Expr* const> decorators;
  std::span<const Param> params;
  std::span<const ImportName> names;
};

/// A parsed program. Owns everything its nodes point to.
struct Module {
  std::shared_ptr<const SourceText> source;
  std::shared_ptr<std::pmr::monotonic_buffer_resource> arena;
  std::span<const Stmt* const> body;
  std::vector<Comment> comments;

  SourceLocation locate(Position at) const { return source->locate(at); }
};

/// The value of a string literal (prefix and quotes removed, escapes decoded unless raw, parts joined).
std::string string_value(const Expr& string);
/// The place in the file where the contents of a string literal begin, for readers of embedded text. Lines of
/// a string without escapes follow one another in the file.
Position string_begin(const Expr& string);
/// The expression as Python text with one spelling of blanks and brackets: for messages and tests. At most
/// `most` bytes.
std::string str(const Expr& expr, std::size_t most = 200);
/// "a.b.c" of a name or a chain of attributes; empty where it is something else.
std::string dotted_name(const Expr& expr);

}  // namespace bufferproof::model::python
