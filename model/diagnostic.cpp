#include "model/diagnostic.hpp"

#include <fmt/format.h>

namespace bufferproof::model {
namespace {

/// What was found may be a whole line of a hostile file; a message stays one readable line.
std::string shorten(const std::string& text) {
  constexpr std::size_t kMost = 80;
  std::string out;
  for (char c : text.substr(0, kMost)) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return text.size() > kMost ? out + "..." : out;
}

std::string message(const SourceLocation& where, const std::string& expected, const std::string& found,
                    const std::string& hint) {
  std::string text = fmt::format("{}: expected {}, found {}", where.str(), expected, shorten(found));
  return hint.empty() ? text : text + "; " + hint;
}

}  // namespace

std::string SourceLocation::str() const {
  std::string text = file ? *file : "<input>";
  if (line > 0) text += fmt::format(":{}", line);
  if (line > 0 && column > 0) text += fmt::format(":{}", column);
  return text;
}

InputError::InputError(SourceLocation where, const std::string& expected, const std::string& found,
                       const std::string& hint)
    : std::runtime_error(message(where, expected, found, hint)), where_(std::move(where)) {}

InputError::InputError(SourceLocation where, const std::string& text)
    : std::runtime_error(where.str() + ": " + text), where_(std::move(where)) {}

}  // namespace bufferproof::model
