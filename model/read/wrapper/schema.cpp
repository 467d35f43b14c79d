#include "model/read/wrapper/schema.hpp"

#include <algorithm>

#include "model/embedded.hpp"

namespace bufferproof::model::wrapper {
namespace {

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// Splits at commas outside brackets and quotes.
std::vector<std::string_view> split_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  const std::string_view last = trim(text.substr(begin));
  if (!last.empty() || !parts.empty()) parts.push_back(last);
  return parts;
}

/// What stands behind "Tensor": the alias set and whether it is written.
struct Alias {
  std::string set;
  bool mutated = false;
};

Alias parse_alias(std::string_view type) {
  const std::size_t open = type.find('(');
  if (open == std::string_view::npos) return {};
  const std::string_view inner = type.substr(open + 1, type.find(')', open) - open - 1);
  return {std::string(inner.substr(0, inner.find_first_of("! -"))),
          inner.find('!') != std::string_view::npos};
}

bool is_tensor(std::string_view type) { return type.substr(0, 6) == "Tensor"; }

/// The end of a type: the last blank that is outside brackets ("Tensor(a -> *) self").
std::size_t type_end(std::string_view part) {
  int depth = 0;
  std::size_t end = std::string_view::npos;
  for (std::size_t i = 0; i < part.size(); ++i) {
    depth += part[i] == '(' || part[i] == '[' ? 1 : part[i] == ')' || part[i] == ']' ? -1 : 0;
    if (part[i] == ' ' && depth == 0) end = i;
  }
  return end;
}

std::optional<SchemaArgument> parse_argument(std::string_view part) {
  const std::string_view declared = trim(part.substr(0, part.find('=')));
  const std::size_t end = type_end(declared);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view type = trim(declared.substr(0, end));
  const Alias alias = parse_alias(type);
  SchemaArgument argument;
  argument.name = trim(declared.substr(end));
  argument.tensor = is_tensor(type);
  argument.mutated = alias.mutated;
  argument.alias = alias.set;
  return argument;
}

std::vector<SchemaResult> parse_results(std::string_view text) {
  if (!text.empty() && text.front() == '(') text = text.substr(1, text.rfind(')') - 1);
  std::vector<SchemaResult> results;
  for (std::string_view part : split_commas(text)) {
    if (part.empty()) continue;
    const Alias alias = parse_alias(part);
    SchemaResult result;
    result.tensor = is_tensor(part);
    result.list = part.find("[]") != std::string_view::npos;
    result.mutated = alias.mutated;
    result.alias = alias.set;
    results.push_back(result);
  }
  return results;
}

/// "# part: a, b  # fresh: c" behind a schema.
void apply_marks(OperatorSchema& schema, std::string_view marks, const SourceLocation& where) {
  while (!marks.empty()) {
    const std::string_view mark = trim(marks.substr(0, marks.find('#')));
    marks =
        marks.find('#') == std::string_view::npos ? std::string_view{} : marks.substr(marks.find('#') + 1);
    if (mark.empty()) continue;
    const std::string_view kind = trim(mark.substr(0, mark.find(':')));
    if (kind != "part" && kind != "fresh") continue;  // a comment
    for (std::string_view name : split_commas(mark.substr(std::min(mark.size(), mark.find(':') + 1)))) {
      const auto found = std::find_if(schema.arguments.begin(), schema.arguments.end(),
                                      [&](const SchemaArgument& a) { return a.name == name; });
      if (found == schema.arguments.end())
        throw InputError(where, "an argument of " + schema.name, "'" + std::string(name) + "'");
      (kind == "part" ? found->part : found->fresh) = true;
    }
  }
}

/// The bracket that closes the one at `open`, or npos.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

bool takes(const OperatorSchema& schema, std::size_t positional,
           const std::vector<std::string_view>& keywords) {
  const auto by_position = std::count_if(schema.arguments.begin(), schema.arguments.end(),
                                         [](const SchemaArgument& a) { return !a.keyword_only; });
  if (static_cast<std::size_t>(by_position) < positional) return false;
  return std::all_of(keywords.begin(), keywords.end(), [&](std::string_view keyword) {
    return std::any_of(schema.arguments.begin(), schema.arguments.end(),
                       [&](const SchemaArgument& a) { return a.name == keyword; });
  });
}

}  // namespace

OperatorSchema parse_schema(std::string_view line, const SourceLocation& where) {
  const auto fail = [&](const std::string& expected) {
    throw InputError(where, expected, "'" + std::string(line.substr(0, 60)) + "'",
                     "print(torch.ops.NAMESPACE.OP.default._schema) shows the form");
  };
  const std::size_t open = line.find('(');
  if (open == std::string_view::npos || line.find("::") > open)
    fail("an operator schema 'ns::op(...) -> ...'");
  const std::size_t close = closing(line, open);
  if (close == std::string_view::npos) fail("a bracket that closes the arguments");
  OperatorSchema schema;
  const std::string_view full = trim(line.substr(0, open));
  const std::size_t dot = full.find('.', full.find("::"));
  schema.name = full.substr(0, dot);
  if (dot != std::string_view::npos) schema.overload = full.substr(dot + 1);
  bool keyword_only = false;
  for (std::string_view part : split_commas(line.substr(open + 1, close - open - 1))) {
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    const auto argument = parse_argument(part);
    if (!argument) fail("'TYPE NAME' for each argument");
    schema.arguments.push_back(*argument);
    schema.arguments.back().keyword_only = keyword_only;
  }
  std::string_view rest = line.substr(close + 1);
  const std::size_t arrow = rest.find("->");
  if (arrow == std::string_view::npos) fail("'->' and the results");
  rest = rest.substr(arrow + 2);
  const std::size_t marks = rest.find('#');
  schema.results = parse_results(trim(rest.substr(0, marks)));
  if (marks != std::string_view::npos) apply_marks(schema, rest.substr(marks + 1), where);
  return schema;
}

const SchemaTable& SchemaTable::shipped() {
  static const SchemaTable table = [] {
    SchemaTable made;
    for (const EmbeddedFile& file : embedded_schemas()) made.add(file.text, file.name, true);
    return made;
  }();
  return table;
}

void SchemaTable::add(const std::string& text, const std::string& file) { add(text, file, false); }

void SchemaTable::add(const std::string& text, const std::string& file, bool shipped) {
  const auto name = std::make_shared<const std::string>(file);
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trim(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (!shipped) parse_schema(line, {name, number, 1});  // a fault is told now, not at the first use
    const std::size_t colons = line.find("::");
    auto& lines = lines_[std::string(line.substr(0, line.find_first_of(".(", colons)))];
    lines.insert(shipped ? lines.end() : lines.begin(), Line{std::string(line), shipped});
  }
}

namespace {

bool mutates(const OperatorSchema& schema) {
  return std::any_of(schema.arguments.begin(), schema.arguments.end(),
                     [](const SchemaArgument& argument) { return argument.mutated; });
}

/// Of two overloads that take the arguments: `aten.sort(x, 1)` is not the one that sorts a list in place.
bool likelier(const OperatorSchema& a, const OperatorSchema& b) {
  if (mutates(a) != mutates(b)) return mutates(b);
  return a.arguments.size() < b.arguments.size();
}

}  // namespace

std::optional<OperatorSchema> SchemaTable::find(std::string_view name,
                                                std::optional<std::string_view> overload,
                                                std::size_t positional,
                                                const std::vector<std::string_view>& keywords) const {
  const auto found = lines_.find(std::string(name));
  if (found == lines_.end()) return std::nullopt;
  std::optional<OperatorSchema> best;
  for (const Line& line : found->second) {
    OperatorSchema schema = parse_schema(line.text, {});
    schema.shipped = line.shipped;
    if (overload) {
      if (schema.overload == (*overload == "default" ? std::string_view{} : *overload)) return schema;
    } else if (takes(schema, positional, keywords) && (!best || likelier(schema, *best))) {
      best = schema;
    }
  }
  return best;
}

}  // namespace bufferproof::model::wrapper
