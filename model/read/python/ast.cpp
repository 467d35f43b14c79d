#include "model/read/python/ast.hpp"

#include <cstring>

namespace bufferproof::model::python {
namespace {

struct Literal {
  std::string_view body;
  std::size_t open = 0;  ///< bytes before the body: prefix and quotes
  bool raw = false;
};

Literal split_literal(std::string_view text) {
  Literal literal;
  while (literal.open < text.size() && text[literal.open] != '\'' && text[literal.open] != '"') {
    literal.raw |= text[literal.open] == 'r' || text[literal.open] == 'R';
    ++literal.open;
  }
  const std::string_view quoted = text.substr(literal.open);
  const bool triple = quoted.size() >= 6 && quoted[1] == quoted[0] && quoted[2] == quoted[0];
  const std::size_t quotes = triple ? 3 : 1;
  literal.open += quotes;
  literal.body =
      quoted.size() >= 2 * quotes ? quoted.substr(quotes, quoted.size() - 2 * quotes) : std::string_view{};
  return literal;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | ((code >> 18) & 7));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Reads up to `most` digits of `base` from `body[at]`; nullopt where there are none.
std::optional<std::uint32_t> read_digits(std::string_view body, std::size_t& at, std::size_t most,
                                         unsigned base) {
  std::uint32_t value = 0;
  std::size_t count = 0;
  for (; count < most && at < body.size(); ++count, ++at) {
    const char c = body[at];
    const unsigned digit = c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
                           : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                  : 99U;
    if (digit >= base) break;
    value = value * base + digit;
  }
  return count > 0 ? std::optional(value) : std::nullopt;
}

bool append_number_escape(std::string& out, std::string_view body, std::size_t& at) {
  const char kind = body[at];
  const std::size_t before = at;
  std::optional<std::uint32_t> code;
  if (kind >= '0' && kind <= '7') {
    code = read_digits(body, at, 3, 8);
  } else if (kind == 'x' || kind == 'u' || kind == 'U') {
    ++at;
    code = read_digits(body, at, kind == 'x' ? 2 : kind == 'u' ? 4 : 8, 16);
  }
  if (!code) at = before;
  if (code) append_utf8(out, *code);
  return code.has_value();
}

/// Decodes the escape whose backslash stands before `body[at]`; unknown escapes stay as they are, as in
/// Python.
void append_escape(std::string& out, std::string_view body, std::size_t& at) {
  static constexpr std::string_view kFrom = "\\'\"abfnrtv";
  static constexpr std::string_view kTo = "\\'\"\a\b\f\n\r\t\v";
  const std::size_t known = kFrom.find(body[at]);
  if (body[at] == '\n') {
    ++at;
  } else if (known != std::string_view::npos) {
    out += kTo[known];
    ++at;
  } else if (!append_number_escape(out, body, at)) {
    out += '\\';
  }
}

void append_value(std::string& out, std::string_view text) {
  const Literal literal = split_literal(text);
  if (literal.raw || std::memchr(literal.body.data(), '\\', literal.body.size()) == nullptr) {
    out += literal.body;
    return;
  }
  for (std::size_t at = 0; at < literal.body.size();) {
    const char c = literal.body[at++];
    if (c != '\\' || at >= literal.body.size())
      out += c;
    else
      append_escape(out, literal.body, at);
  }
}

/// Writes expressions until the limit is reached.
class Printer {
 public:
  explicit Printer(std::size_t most) : most_(most) {}

  void print(const Expr& expr) {
    if (out_.size() > most_) return;
    switch (expr.kind) {
      case ExprKind::tuple:
        return sequence("(", expr.items, expr.items.size() == 1 ? ",)" : ")");
      case ExprKind::list:
        return sequence("[", expr.items, "]");
      case ExprKind::set:
        return sequence("{", expr.items, "}");
      case ExprKind::dict:
        return dict(expr);
      case ExprKind::attribute:
        return parts({}, expr.items[0], ".", nullptr, expr.text);
      case ExprKind::subscript:
        return parts({}, expr.items[0], "[", expr.items[1], "]");
      case ExprKind::slice:
        return slice(expr);
      case ExprKind::call:
        print(*expr.items[0]);
        return sequence("(", expr.items.subspan(1), ")");
      case ExprKind::keyword:
        out_ += expr.text.empty() ? "**" : std::string(expr.text) + "=";
        return print(*expr.items[0]);
      case ExprKind::starred:
        return parts("*", expr.items[0]);
      case ExprKind::unary:
        return parts(expr.text == "not" ? "(not " : "(" + std::string(expr.text), expr.items[0], ")");
      case ExprKind::binary:
      case ExprKind::compare:
      case ExprKind::boolean:
        return chain(expr);
      case ExprKind::lambda:
        return parts("lambda: ", expr.items[0]);
      case ExprKind::conditional:
        return conditional(expr);
      default:
        out_ += expr.text.substr(0, most_);
    }
  }

  std::string take() {
    if (out_.size() > most_) out_.replace(most_, std::string::npos, "...");
    return std::move(out_);
  }

 private:
  void parts(const std::string& before, const Expr* first, std::string_view between = {},
             const Expr* second = nullptr, std::string_view after = {}) {
    out_ += before;
    if (first) print(*first);
    out_ += between;
    if (second) print(*second);
    out_ += after;
  }

  void sequence(std::string_view open, std::span<const Expr* const> items, std::string_view close) {
    out_ += open;
    for (std::size_t i = 0; i < items.size() && out_.size() <= most_; ++i) {
      if (i > 0) out_ += ", ";
      print(*items[i]);
    }
    out_ += close;
  }

  void dict(const Expr& expr) {
    out_ += "{";
    for (std::size_t i = 0; i + 1 < expr.items.size() && out_.size() <= most_; i += 2) {
      if (i > 0) out_ += ", ";
      parts(expr.items[i] ? "" : "**", expr.items[i], expr.items[i] ? ": " : "", expr.items[i + 1]);
    }
    out_ += "}";
  }

  void slice(const Expr& expr) {
    parts({}, expr.items[0], ":", expr.items[1]);
    if (expr.items[2]) parts(":", expr.items[2]);
  }

  void chain(const Expr& expr) {
    out_ += "(";
    for (std::size_t i = 0; i < expr.items.size() && out_.size() <= most_; ++i) {
      if (i > 0) out_ += " " + std::string(expr.text) + " ";
      print(*expr.items[i]);
    }
    out_ += ")";
  }

  void conditional(const Expr& expr) {
    parts("(", expr.items[0], " if ", expr.items[1], " else ");
    parts({}, expr.items[2], ")");
  }

  std::string out_;
  std::size_t most_;
};

}  // namespace

std::string string_value(const Expr& string) {
  std::string out;
  append_value(out, string.text);
  for (const Expr* part : string.items) append_value(out, part->text);
  return out;
}

Position string_begin(const Expr& string) {
  const std::size_t open = split_literal(string.text).open;
  return {string.at.line, static_cast<std::uint32_t>(string.at.column + open)};
}

std::string str(const Expr& expr, std::size_t most) {
  Printer printer(most);
  printer.print(expr);
  return printer.take();
}

std::string dotted_name(const Expr& expr) {
  if (expr.kind == ExprKind::name) return std::string(expr.text);
  if (expr.kind != ExprKind::attribute) return {};
  const std::string base = dotted_name(*expr.items[0]);
  return base.empty() ? base : base + "." + std::string(expr.text);
}

}  // namespace bufferproof::model::python
