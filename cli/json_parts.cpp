#include "cli/json_parts.hpp"

namespace bufferproof::cli {

Json tool_json() { return {{"name", "bufferproof"}, {"version", BUFFERPROOF_VERSION}}; }

Json location_json(const model::SourceLocation& where) {
  Json out = Json::object();
  if (where.file) out["file"] = *where.file;
  if (where.line > 0) out["line"] = where.line;
  if (where.line > 0 && where.column > 0) out["column"] = where.column;
  return out;
}

Json valuation_json(const model::Valuation& values) {
  Json out = Json::object();
  for (const auto& [symbol, value] : values) out[symbol] = value;
  return out;
}

Json finding_json(const model::Finding& finding) {
  Json out{{"class", model::name(finding.kind)},
           {"buffer", finding.buffer},
           {"reader", finding.reader},
           {"writer", finding.writer},
           {"element", finding.element},
           {"rule", finding.rule},
           {"path", finding.path},
           {"location", location_json(finding.where)},
           {"message", finding.message}};
  if (finding.writer_where.line > 0) out["writer_location"] = location_json(finding.writer_where);
  if (finding.alloc_where.line > 0) out["allocation_location"] = location_json(finding.alloc_where);
  return out;
}

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace bufferproof::cli
