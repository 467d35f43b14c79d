#include "model/read/bufprog/annotations.hpp"

#include "model/read/bufprog/expression.hpp"

namespace bufferproof::model::bufprog {
namespace {

constexpr std::string_view kExpect = "#expect ";
constexpr std::string_view kSafeWhen = "#safe-when ";
constexpr std::string_view kKind = "# kind: ";

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

Cursor behind(const Line& line, std::string_view prefix, const std::shared_ptr<const std::string>& file) {
  return {line.text.substr(prefix.size()),
          {file, line.number, line.indent + 1 + static_cast<int>(prefix.size())}};
}

/// "SAFE", or "CLASS buffer at reader, CLASS buffer at reader".
void read_expect(Cursor cursor, BufprogAnnotations& annotations) {
  const Scope none;
  if (cursor.accept("SAFE")) {
    annotations.expect_safe = true;
    cursor.expect_end();
    return;
  }
  do {
    const auto kind = parse_finding_class(cursor.peek().text);
    if (!kind) cursor.fail("SAFE or a class such as UNWRITTEN");
    cursor.next();
    const std::string buffer(cursor.expect_name("the name of a buffer").text);
    cursor.expect("at");
    const std::string reader(cursor.expect_name("the name of a step").text);
    annotations.expectations.push_back({*kind, buffer, reader});
  } while (cursor.accept(","));
  cursor.expect_end();
}

Scope scope_of(const Constants& constants) {
  Scope scope(true);
  for (const auto& [name, value] : constants) scope.push(name, value);
  return scope;
}

}  // namespace

void read_annotations(const std::vector<Line>& comments, const std::shared_ptr<const std::string>& file,
                      BufprogAnnotations& annotations) {
  if (!comments.empty() && starts_with(comments.front().text, "# "))
    annotations.title = std::string(comments.front().text.substr(2));
  for (const Line& line : comments) {
    if (starts_with(line.text, kKind)) annotations.kind = std::string(line.text.substr(kKind.size()));
    if (starts_with(line.text, kExpect)) read_expect(behind(line, kExpect, file), annotations);
    if (!starts_with(line.text, kSafeWhen)) continue;
    Cursor cursor = behind(line, kSafeWhen, file);
    annotations.safe_when = parse_condition(cursor, scope_of(annotations.constants));
    cursor.expect_end();
  }
}

}  // namespace bufferproof::model::bufprog
