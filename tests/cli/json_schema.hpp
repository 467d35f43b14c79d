// The part of JSON Schema that docs/report.schema.json uses; a keyword it does not know fails the test.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace bufferproof::cli {

class JsonSchema {
 public:
  explicit JsonSchema(nlohmann::json schema) : root_(std::move(schema)) {}

  /// What of `value` does not fit, each with its place; empty when all does.
  std::vector<std::string> faults(const nlohmann::json& value) const {
    std::vector<std::string> out;
    check(root_, value, "$", out);
    return out;
  }

 private:
  using json = nlohmann::json;

  static bool is_type(const std::string& type, const json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    if (type == "boolean") return value.is_boolean();
    return type == "null" && value.is_null();
  }

  static bool has_type(const json& types, const json& value) {
    if (types.is_string()) return is_type(types, value);
    return std::any_of(types.begin(), types.end(), [&](const json& t) { return is_type(t, value); });
  }

  void object(const json& schema, const json& value, const std::string& at,
              std::vector<std::string>& out) const {
    for (const json& key : schema.value("required", json::array()))
      if (!value.contains(key)) out.push_back(at + " lacks " + key.get<std::string>());
    const json properties = schema.value("properties", json::object());
    for (const auto& [key, inner] : value.items()) {
      if (properties.contains(key)) {
        check(properties[key], inner, at + "." + key, out);
      } else if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
        check(schema["additionalProperties"], inner, at + "." + key, out);
      } else if (schema.contains("additionalProperties")) {
        out.push_back(at + " must not have " + key);
      }
    }
  }

  void alternatives(const json& schemas, const json& value, const std::string& at,
                    std::vector<std::string>& out) const {
    std::vector<std::string> faults;
    for (const json& schema : schemas) {
      faults.clear();
      check(schema, value, at, faults);
      if (faults.empty()) return;
    }
    out.push_back(at + " fits no alternative");
  }

  void check(const json& schema, const json& value, const std::string& at,
             std::vector<std::string>& out) const {
    static const std::set<std::string> kKnown{
        "$schema", "title", "description", "type", "required",    "properties", "additionalProperties",
        "items",   "enum",  "const",       "$ref", "definitions", "minimum",    "anyOf"};
    for (const auto& [key, unused] : schema.items())
      if (!kKnown.contains(key)) out.push_back("unknown keyword " + key);
    if (schema.contains("$ref"))
      check(root_.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1))), value, at, out);
    if (schema.contains("type") && !has_type(schema["type"], value))
      out.push_back(at + " has the wrong type");
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      out.push_back(at + " is none of " + schema["enum"].dump());
    if (schema.contains("const") && value != schema["const"]) out.push_back(at + " is not the constant");
    if (schema.contains("anyOf")) alternatives(schema["anyOf"], value, at, out);
    if (schema.contains("minimum") && value.is_number() && value < schema["minimum"])
      out.push_back(at + " is too small");
    if (value.is_object()) object(schema, value, at, out);
    if (value.is_array() && schema.contains("items"))
      for (std::size_t i = 0; i < value.size(); ++i)
        check(schema["items"], value[i], at + "[" + std::to_string(i) + "]", out);
  }

  json root_;
};

}  // namespace bufferproof::cli
