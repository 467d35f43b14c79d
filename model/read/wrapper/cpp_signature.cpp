// Roles of a C++ (or CUDA, HIP) kernel's parameters from its signature (inductor-formats.md 1.3).
#include <algorithm>
#include <array>
#include <cctype>

#include "model/read/wrapper/kernel_defs.hpp"

namespace bufferproof::model::wrapper {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Does `word` stand in `text` as a word of its own?
bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool before = at > 0 && in_word(text[at - 1]);
    const bool after = at + word.size() < text.size() && in_word(text[at + word.size()]);
    if (!before && !after) return true;
  }
  return false;
}

std::optional<DType> dtype_of_type(std::string_view type) {
  struct Pair {
    std::string_view word;
    DType dtype;
  };
  static constexpr std::array<Pair, 18> kTypes = {{{"double", DType::f64},
                                                   {"float", DType::f32},
                                                   {"half", DType::f16},
                                                   {"Half", DType::f16},
                                                   {"__half", DType::f16},
                                                   {"bfloat16", DType::bf16},
                                                   {"BFloat16", DType::bf16},
                                                   {"__nv_bfloat16", DType::bf16},
                                                   {"bool", DType::i1},
                                                   {"uint8_t", DType::u8},
                                                   {"int8_t", DType::i8},
                                                   {"int16_t", DType::i16},
                                                   {"int32_t", DType::i32},
                                                   {"int64_t", DType::i64},
                                                   {"short", DType::i16},
                                                   {"long", DType::i64},
                                                   {"int", DType::i32},
                                                   {"char", DType::i8}}};
  if (has_word(type, "unsigned")) return has_word(type, "char") ? std::optional(DType::u8) : std::nullopt;
  for (const Pair& pair : kTypes)
    if (has_word(type, pair.word)) return pair.dtype;
  return std::nullopt;
}

Parameter parameter_of(std::string_view part) {
  std::size_t end = part.size();
  while (end > 0 && !in_word(part[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && in_word(part[begin - 1])) --begin;
  const std::string_view type = part.substr(0, begin);
  Parameter parameter;
  parameter.name = part.substr(begin, end - begin);
  parameter.dtype = dtype_of_type(type);
  if (type.find('*') == std::string_view::npos) {
    parameter.role = Role::scalar;
  } else if (parameter.name == "workspace_size" || parameter.name == "workspace") {
    parameter.role = Role::workspace;
  } else if (has_word(type, "const")) {
    parameter.role = Role::input;
  } else {
    parameter.role = parameter.name.find("in_out_ptr") == 0 ? Role::in_out : Role::output;
  }
  return parameter;
}

std::vector<std::string_view> split_parameters(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    const std::string_view part = text.substr(begin, i - begin);
    if (part.find_first_not_of(" \t\r\n") != std::string_view::npos) parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

}  // namespace

std::optional<std::vector<Parameter>> cpp_parameters(std::string_view text) {
  const std::size_t linkage = text.rfind("extern \"C\"");
  if (linkage == std::string_view::npos) return std::nullopt;
  const std::size_t open = text.find('(', linkage);
  if (open == std::string_view::npos) return std::nullopt;
  int depth = 0;
  std::size_t close = open;
  for (; close < text.size(); ++close) {
    if (text[close] == '(') ++depth;
    if (text[close] == ')' && --depth == 0) break;
  }
  if (close == text.size()) return std::nullopt;
  std::vector<Parameter> parameters;
  for (std::string_view part : split_parameters(text.substr(open + 1, close - open - 1)))
    parameters.push_back(parameter_of(part));
  return parameters;
}

}  // namespace bufferproof::model::wrapper
