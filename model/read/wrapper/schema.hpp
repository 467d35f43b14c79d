// Operator schemas: what a call of an ATen or custom operator mutates, aliases and returns (rule E8).
//
// One line per overload, in PyTorch's own spelling: `ns::op.overload(Tensor(a!) self, ...) -> Tensor(a!)`, as
// `print(torch.ops.ns.op.default._schema)` shows it. Two marks a schema has no words for may follow:
//   # part: NAME   the argument is stored to only in part
//   # fresh: NAME  the argument is stored to wholly, its earlier contents are not read
// Shapes are not part of it. Tested by tests/model/read_wrapper_schema_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/diagnostic.hpp"

namespace bufferproof::model::wrapper {

struct SchemaArgument {
  std::string name;
  bool tensor = false;  ///< Tensor, Tensor?, Tensor[], ...
  bool keyword_only = false;
  bool mutated = false;
  bool part = false;
  bool fresh = false;
  std::string alias;  ///< alias set: "a" of Tensor(a!) and Tensor(a); empty if none
};

struct SchemaResult {
  bool tensor = false;
  bool list = false;     ///< Tensor[]: the number of results is not known
  bool mutated = false;  ///< Tensor(a!): the argument itself
  std::string alias;     ///< Tensor(a): a view of the argument
};

struct OperatorSchema {
  std::string name;      ///< "aten::add_"
  std::string overload;  ///< "Tensor"; empty for the default one
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaResult> results;
  bool shipped = true;  ///< false: the user's --schema
};

class SchemaTable {
 public:
  SchemaTable() = default;
  /// The table of model/data/aten_schemas.txt.
  static const SchemaTable& shipped();

  /// Adds the lines of a file; they come before those already there. Raises InputError at the line that is no
  /// schema.
  void add(const std::string& text, const std::string& file);
  /// The schema of `name` ("aten::add_"). `overload`: as the call spells it, nullopt if it names none; then
  /// the overload that takes this many positional arguments and these keywords.
  std::optional<OperatorSchema> find(std::string_view name, std::optional<std::string_view> overload,
                                     std::size_t positional,
                                     const std::vector<std::string_view>& keywords) const;

 private:
  struct Line {
    std::string text;
    bool shipped = true;
  };
  void add(const std::string& text, const std::string& file, bool shipped);
  std::unordered_map<std::string, std::vector<Line>> lines_;  ///< by operator name
};

/// Parses one line. Raises InputError at `where`.
OperatorSchema parse_schema(std::string_view line, const SourceLocation& where);

}  // namespace bufferproof::model::wrapper
