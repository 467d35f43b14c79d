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

/// What stands left of '=' in `auto NAME = ...`, `NAME = ...` and `NAME[i] = ...`; empty where nothing is
/// assigned.
Words assigned(std::string_view statement) {
  const std::size_t equals = statement.find('=');
  if (equals == std::string_view::npos) return {};
  return words_of(statement.substr(0, std::min(equals, statement.find('['))));
}

/// Values that come out of a block are not followed.
bool is_plain(std::string_view body) {
  return !body.empty() && body.find("[&]") == std::string_view::npos &&
         body.find("return") == std::string_view::npos && body.find("atomic_") == std::string_view::npos;
}

class Dependence {
 public:
  Dependence(const KernelDef& kernel, std::string_view body) : statements_(statements_of(body)) {
    for (const Parameter& parameter : kernel.parameters)
      if (parameter.role != Role::scalar) lasting_.insert(parameter.name);
  }

  /// Every statement that names the output is a store of what does not depend on memory.
  bool stores_constants(std::string_view output) {
    for (std::size_t before = 0;
         before != lasting_.size();) {  // what a loop assigns is there in its next iteration
      before = lasting_.size();
      stores_ = 0;
      if (!pass(output)) return false;
    }
    return stores_ > 0;
  }

 private:
  bool depends(std::string_view name) const { return lasting_.contains(name) || declared_.contains(name); }
  auto dependent(const Words& words) const {
    return std::count_if(words.begin(), words.end(), [this](auto word) { return depends(word); });
  }

  bool pass(std::string_view output) {
    declared_.clear();
    for (const std::string_view statement : statements_) {
      const Words words = words_of(statement);
      const auto found = dependent(words);
      const bool decides = !words.empty() && (words[0] == "if" || words[0] == "while");
      if (std::count(words.begin(), words.end(), output) > 0) {
        ++stores_;
        if (found > 1) return false;
      } else if (decides && found > 0) {
        return false;
      } else {
        assign(statement);
      }
    }
    return true;
  }

  /// A declaration begins a name anew: blocks use the same names for other things.
  void assign(std::string_view statement) {
    const Words left = assigned(statement);
    if (left.empty()) return;
    const bool on_memory = dependent(words_of(statement.substr(statement.find('=')))) > 0;
    if (left.size() == 1 || left[0] == "if" || left[0] == "else") {
      if (on_memory) lasting_.insert(left.back());
    } else if (on_memory) {
      declared_.insert(left.back());
    } else {
      declared_.erase(left.back());
    }
  }

  using Names = std::set<std::string_view, std::less<>>;
  std::vector<std::string_view> statements_;
  Names lasting_;   ///< depend on memory wherever they stand
  Names declared_;  ///< depend on memory as last declared
  std::size_t stores_ = 0;
};

}  // namespace

bool stores_constants(const KernelDef& kernel, const Parameter& output) {
  const std::string_view body = body_of(kernel.text);
  return output.role == Role::output && is_plain(body) &&
         Dependence(kernel, body).stores_constants(output.name);
}

}  // namespace bufferproof::model::wrapper
