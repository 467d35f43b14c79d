#include "model/lowering/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace bufferproof::model::lowering {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if ((text[at] == ')' || text[at] == ']') && --depth == 0) return at;
  }
  return text.size();
}

std::size_t argument_end(std::string_view text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == ']')
      if (--depth < 0) return at;
    if (text[at] == ',' && depth == 0) return at;
  }
  return at;
}

std::string_view called(std::string_view text, std::size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '&')) --at;
  if (at == 0 || text[at - 1] != '(') return {};
  const std::size_t end = at - 1;
  std::size_t start = end;
  while (start > 0 && is_word(text[start - 1])) --start;
  return text.substr(start, end - start);
}

namespace {

/// End of the comment or quoted text that begins at `at`; `at` itself where none does.
std::size_t end_of_remark(std::string_view text, std::size_t at, bool cpp) {
  const auto until = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  const std::string_view rest = text.substr(at);
  if (cpp && rest.starts_with("//")) return until("\n", at);
  if (cpp && rest.starts_with("/*")) return until("*/", at + 2);
  if (!cpp && rest.starts_with("#")) return until("\n", at);
  if (rest.starts_with("\"C\"")) return at;
  if (rest.front() != '"' && (cpp || rest.front() != '\'')) return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != rest.front()) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

}  // namespace

std::string code_only(std::string_view text) {
  const bool cpp = is_cpp(text);
  std::string code(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_remark(text, at, cpp);
    if (end == at) {
      at += text.substr(at, 3) == "\"C\"" ? 3 : 1;
      continue;
    }
    for (; at < end; ++at)
      if (code[at] != '\n') code[at] = ' ';
  }
  return code;
}

bool is_cpp(std::string_view text) { return text.find("extern \"C\"") != std::string_view::npos; }

std::size_t body_start(std::string_view text) {
  const std::size_t linkage = text.rfind("extern \"C\"");
  const std::size_t jit = text.rfind("@triton.jit");  // helpers stand before the kernel
  const std::size_t def = text.find("def ", jit == std::string_view::npos ? 0 : jit);
  const std::size_t head = linkage != std::string_view::npos ? linkage : def;
  if (head == std::string_view::npos) return 0;
  const std::size_t open = text.find('(', head);
  return open == std::string_view::npos ? text.size() : closing(text, open);
}

namespace {

bool is_declaration(std::string_view text, std::size_t at) {
  while (at > 0 && text[at - 1] == ' ') --at;
  constexpr std::string_view kRestrict = "__restrict__";
  if (at >= kRestrict.size() && text.substr(at - kRestrict.size(), kRestrict.size()) == kRestrict)
    return true;
  return at > 0 && text[at - 1] == '*';
}

/// Places where `name` stands as a whole word in the body.
std::vector<std::size_t> places(std::string_view text, std::string_view name) {
  std::vector<std::size_t> out;
  for (std::size_t at = text.find(name, body_start(text)); at != std::string_view::npos;
       at = text.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) out.push_back(at);
  }
  return out;
}

/// X of `auto X = pointer;` when that statement ends at the pointer named at `at`.
std::string_view other_name(std::string_view text, std::size_t at, std::size_t end) {
  if (end >= text.size() || text[end] != ';' || at < 3 || text.substr(at - 3, 3) != " = ") return {};
  const std::size_t name_end = at - 3;
  std::size_t start = name_end;
  while (start > 0 && is_word(text[start - 1])) --start;
  return text.substr(start, name_end - start);
}

}  // namespace

std::vector<PointerSite> pointer_sites(std::string_view text, std::string_view parameter) {
  if (parameter.empty()) return {};
  std::map<std::size_t, std::size_t> uses;  // start, end
  std::vector<std::string_view> names{parameter};
  for (std::size_t i = 0; i < names.size() && i < 8; ++i)
    for (std::size_t at : places(text, names[i])) {
      const std::string_view alias = other_name(text, at, at + names[i].size());
      if (!alias.empty()) names.push_back(alias);
      if (alias.empty() && !is_declaration(text, at)) uses.emplace(at, at + names[i].size());
    }
  std::vector<PointerSite> sites;
  for (const auto& [at, end] : uses)
    if (!text.substr(0, at).ends_with("auto ")) sites.push_back({at, end});
  return sites;
}

}  // namespace bufferproof::model::lowering
