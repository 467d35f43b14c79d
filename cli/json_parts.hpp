// The pieces of JSON that several commands print. Include from .cpp files only: it pulls in the JSON library.
//
// Tested by tests/cli/report_test.cpp.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "model/finding.hpp"
#include "model/run_plan.hpp"

namespace bufferproof::cli {

using Json = nlohmann::ordered_json;  ///< keys in the order they are put in

/// {"name", "version"}
Json tool_json();
/// {"file", "line", "column"}, what is unknown left out.
Json location_json(const model::SourceLocation& where);
/// {"s0": 2}
Json valuation_json(const model::Valuation& values);
/// class, buffer, reader, writer, element, rule, path, location, message; locations of writer and allocation
/// where known.
Json finding_json(const model::Finding& finding);
/// Two blanks per level and a newline; bytes that are no UTF-8 are replaced.
std::string dump(const Json& json);

}  // namespace bufferproof::cli
