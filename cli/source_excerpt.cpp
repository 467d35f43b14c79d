#include "cli/source_excerpt.hpp"

#include <fstream>

namespace bufferproof::cli {
namespace {

/// Only the beginning of a line is ever shown; a line of 100 MB is not kept.
constexpr std::size_t kKept = 400;

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    line.resize(std::min(line.size(), kKept));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::string SourceExcerpts::line(const model::SourceLocation& where, std::size_t most) {
  if (!where.file || where.line <= 0) return "";
  auto found = files_.find(*where.file);
  if (found == files_.end()) found = files_.emplace(*where.file, read_lines(*where.file)).first;
  if (static_cast<std::size_t>(where.line) > found->second.size()) return "";
  std::string text = found->second[where.line - 1];
  text.erase(0, text.find_first_not_of(" \t"));
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return text.size() > most ? text.substr(0, most - 3) + "..." : text;
}

}  // namespace bufferproof::cli
