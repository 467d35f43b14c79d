#include "model/read/bufprog/reader.hpp"

#include "model/read/bufprog/annotations.hpp"
#include "model/read/bufprog/expression.hpp"
#include "model/read/bufprog/statements.hpp"

namespace bufferproof::model {

BufprogFile read_bufprog(std::string_view text, const std::string& file) {
  const auto shared_file = std::make_shared<const std::string>(file);
  const bufprog::Lines lines = bufprog::split_lines(text, shared_file);
  BufprogFile out;
  out.program.dialect = Dialect::bufprog;
  out.program.file = file;
  bufprog::StatementReader(lines, shared_file, out.program, out.annotations.constants).read();
  bufprog::read_annotations(lines.comments, shared_file, out.annotations);
  number_steps(out.program);
  validate(out.program);
  return out;
}

Cond parse_condition(std::string_view text, const Constants& constants) {
  if (text.size() > bufprog::kLongestLine)
    throw InputError({}, "a condition of at most 16384 bytes", std::to_string(text.size()) + " bytes");
  bufprog::Scope scope(true);
  for (const auto& [name, value] : constants) scope.push(name, value);
  bufprog::Cursor cursor(text, {std::make_shared<const std::string>("<condition>"), 1, 1});
  Cond condition = bufprog::parse_condition(cursor, scope);
  cursor.expect_end();
  return condition;
}

}  // namespace bufferproof::model
