#include "model/read/wrapper/constant_stores.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

namespace bufferproof::model::wrapper {
namespace {

using Words = std::vector<std::string_view>;

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

Words words_of(std::string_view text) {
  Words out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if (end > at) out.push_back(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  return out;
}

/// From the signature's end; empty where there is none.
std::string_view body_of(std::string_view text) {
  const std::size_t cpp = text.find("extern \"C\"");
  const std::size_t signature = cpp != std::string_view::npos ? cpp : text.find("def ");
  const std::size_t end = signature == std::string_view::npos
                              ? signature
                              : text.find(cpp != std::string_view::npos ? "{" : "):", signature);
  return end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
}

std::vector<std::string_view> statements_of(std::string_view body) {
  std::vector<std::string_view> out;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find_first_of(";\n{}"), body.size());
    out.push_back(body.substr(0, end));
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return out;
}

/// NAME of `auto NAME = ...`, `NAME = ...` and `NAME[i] = ...`; empty where nothing is assigned.
std::string_view assigned(std::string_view statement) {
  const std::size_t equals = statement.find('=');
  if (equals == std::string_view::npos) return {};
  const Words words = words_of(statement.substr(0, std::min(equals, statement.find('['))));
  return words.empty() ? std::string_view{} : words.back();
}

/// Values that come out of a block are not followed.
bool is_plain(std::string_view body) {
  return !body.empty() && body.find("[&]") == std::string_view::npos &&
         body.find("return") == std::string_view::npos && body.find("atomic") == std::string_view::npos;
}

class Dependence {
 public:
  Dependence(const KernelDef& kernel, std::string_view body) : statements_(statements_of(body)) {
    for (const Parameter& parameter : kernel.parameters)
      if (parameter.role != Role::scalar) on_memory_.insert(parameter.name);
    for (bool more = true; more;) more = spread();
  }

  /// Every statement that names the output is a store of what does not depend on memory.
  bool stores_constants(std::string_view output) const {
    bool stored = false;
    for (const std::string_view statement : statements_) {
      const Words words = words_of(statement);
      const auto named = std::count(words.begin(), words.end(), output);
      const auto dependent =
          std::count_if(words.begin(), words.end(), [&](auto word) { return on_memory_.count(word) > 0; });
      const bool decides = !words.empty() && (words[0] == "if" || words[0] == "while");
      if (dependent > (named > 0 ? 1 : decides ? 0 : dependent)) return false;
      stored = stored || named > 0;
    }
    return stored;
  }

 private:
  bool spread() {
    const std::size_t before = on_memory_.size();
    for (const std::string_view statement : statements_) {
      const std::string_view name = assigned(statement);
      if (name.empty()) continue;
      const Words words = words_of(statement.substr(statement.find('=')));
      if (std::any_of(words.begin(), words.end(), [&](auto word) { return on_memory_.count(word) > 0; }))
        on_memory_.insert(name);
    }
    return on_memory_.size() > before;
  }

  std::vector<std::string_view> statements_;
  std::set<std::string_view, std::less<>> on_memory_;
};

}  // namespace

bool stores_constants(const KernelDef& kernel, const Parameter& output) {
  const std::string_view body = body_of(kernel.text);
  return output.role == Role::output && is_plain(body) &&
         Dependence(kernel, body).stores_constants(output.name);
}

}  // namespace bufferproof::model::wrapper
