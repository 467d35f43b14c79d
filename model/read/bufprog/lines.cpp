#include "model/read/bufprog/lines.hpp"

#include "model/diagnostic.hpp"

namespace bufferproof::model::bufprog {
namespace {

std::string_view trim_right(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

Line make_line(std::string_view raw, int number, const std::shared_ptr<const std::string>& file) {
  if (raw.size() > kLongestLine)
    throw InputError({file, number, 1}, "a line of at most 16384 bytes",
                     std::to_string(raw.size()) + " bytes");
  raw = trim_right(raw);
  const std::size_t indent = raw.find_first_not_of(' ');
  if (indent == std::string_view::npos) return {"", number, 0};
  if (raw[indent] == '\t')
    throw InputError({file, number, static_cast<int>(indent) + 1}, "blanks for indentation", "a tab");
  std::string_view text = raw.substr(indent);
  if (text[0] != '#') text = trim_right(text.substr(0, text.find('#')));
  return {text, number, static_cast<int>(indent)};
}

}  // namespace

Lines split_lines(std::string_view text, const std::shared_ptr<const std::string>& file) {
  if (text.size() > kLargestText)
    throw InputError({file, 0, 0}, "a text of at most 16 MiB", std::to_string(text.size()) + " bytes");
  Lines lines;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const Line line = make_line(text.substr(0, end), ++number, file);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.text.empty()) continue;
    (line.text[0] == '#' ? lines.comments : lines.code).push_back(line);
    if (lines.code.size() > kMostStatements)
      throw InputError({file, number, 1}, "at most 200000 statements", "more");
  }
  return lines;
}

}  // namespace bufferproof::model::bufprog
