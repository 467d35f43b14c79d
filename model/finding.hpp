// What went wrong: the classes, and one finding with everything its message needs.
//
// Tested by tests/checker and tests/simulator.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/diagnostic.hpp"
#include "model/sym_expr.hpp"

namespace bufferproof::model {

enum class FindingClass : std::uint8_t {
  unwritten,   ///< C1, C2, C8
  stale,       ///< C3, C6
  incomplete,  ///< C9
  extra,       ///< C9
  oob,         ///< C5
  race,        ///< C4
  noalloc,     ///< C6
  dead,        ///< C6
  mismatch,    ///< C7
};

/// "UNWRITTEN", "STALE", ... as NOTATION.md and the reports spell them.
std::string_view name(FindingClass c);
std::optional<FindingClass> parse_finding_class(std::string_view text);

struct Finding {
  FindingClass kind = FindingClass::unwritten;
  std::string buffer;  ///< the name the access went through
  std::string reader;  ///< the step that reads, or that does the later access; "result" for the caller
  std::string writer;  ///< who should have written, or who wrote instead; may be empty
  std::vector<std::int64_t>
      element;           ///< logical index in the buffer, empty for a scalar or when no element is meant
  std::string rule;      ///< label of docs/buffer-contract.md
  std::string path;      ///< "mlir_fused_0=fallback, s0=2"; empty: on every path
  SourceLocation where;  ///< of the reader
  SourceLocation writer_where;  ///< of the writer, if any
  SourceLocation alloc_where;   ///< of the storage
  std::string message;          ///< one sentence for people
  bool rests_on_unknown =
      false;  ///< E8: depends on a call without schema; then it is no finding but unsupported
};

}  // namespace bufferproof::model
