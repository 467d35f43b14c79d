#include "cli/baseline.hpp"

#include <fmt/format.h>

#include <cctype>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "model/diagnostic.hpp"

namespace bufferproof::cli {
namespace {

using nlohmann::json;

model::SourceLocation at(const std::string& file) {
  return {std::make_shared<const std::string>(file), 0, 0};
}

[[noreturn]] void fail(const std::string& file, const std::string& message) {
  throw model::InputError(at(file), message);
}

json parse(const std::string& text, const std::string& file) {
  // The library's parser keeps its own stack, so nesting cannot exhaust ours; the callback bounds it all the
  // same.
  const auto shallow = [](int depth, json::parse_event_t, json&) {
    if (depth > 64) throw std::length_error("nested deeper than 64 levels");
    return true;
  };
  try {
    return json::parse(text, shallow);
  } catch (const std::exception& error) {
    fail(file, std::string("expected JSON: ") + error.what());
  }
}

std::string text_of(const json& entry, const char* key, const std::string& file) {
  if (!entry.contains(key)) return "";
  if (!entry[key].is_string()) fail(file, fmt::format("expected a string as \"{}\"", key));
  return entry[key];
}

bool is_date(const std::string& text) {
  if (text.size() != 10) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (i == 4 || i == 7 ? text[i] != '-' : !std::isdigit(static_cast<unsigned char>(text[i]))) return false;
  using namespace std::chrono;
  return year_month_day{year{std::stoi(text.substr(0, 4))}, month{unsigned(std::stoi(text.substr(5, 2)))},
                        day{unsigned(std::stoi(text.substr(8, 2)))}}
      .ok();
}

void validate(const Suppression& s, std::size_t index, const std::string& file) {
  const std::string where = fmt::format("suppression {}: ", index + 1);
  if (s.fingerprint.empty() && s.finding_class.empty() && s.buffer.empty() && s.reader.empty())
    fail(file, where + "names nothing; give \"fingerprint\", or \"class\", \"buffer\", \"reader\"");
  if (!s.finding_class.empty() && !model::parse_finding_class(s.finding_class))
    fail(file, where + "unknown class '" + s.finding_class + "'");
  if (s.reason.empty()) fail(file, where + "has no \"reason\"");
  if (!is_date(s.expires)) fail(file, where + "\"expires\" must be a date, YYYY-MM-DD");
}

bool fits(const Suppression& s, const ReportedFinding& f) {
  auto same = [](const std::string& wanted, std::string_view is) { return wanted.empty() || wanted == is; };
  return same(s.fingerprint, f.fingerprint) && same(s.finding_class, model::name(f.finding.kind)) &&
         same(s.buffer, f.finding.buffer) && same(s.reader, f.finding.reader);
}

std::string describe(const Suppression& s) {
  if (!s.fingerprint.empty()) return s.fingerprint;
  return fmt::format("{} {} at {}", s.finding_class.empty() ? "*" : s.finding_class,
                     s.buffer.empty() ? "*" : s.buffer, s.reader.empty() ? "*" : s.reader);
}

void suppress(ReportedFinding& f, const Suppression& s) {
  f.standing = Standing::suppressed;
  f.reason = s.reason;
  f.expires = s.expires;
}

void collect(const json& object, std::set<std::string>& into) {
  if (!object.contains("findings") || !object["findings"].is_array()) return;
  for (const json& finding : object["findings"])
    if (finding.is_object() && finding.contains("fingerprint") && finding["fingerprint"].is_string())
      into.insert(finding["fingerprint"].get<std::string>());
}

}  // namespace

std::set<std::string> read_baseline(const std::string& text, const std::string& file) {
  const json report = parse(text, file);
  if (!report.is_object() || !report.contains("findings") || !report.contains("tool"))
    fail(file, "expected a report that 'bufferproof check --format json' wrote");
  std::set<std::string> out;
  collect(report, out);
  return out;
}

std::vector<Suppression> read_suppressions(const std::string& text, const std::string& file) {
  const json document = parse(text, file);
  if (!document.is_object() || !document.contains("suppressions") || !document["suppressions"].is_array())
    fail(file, "expected {\"suppressions\": [...]}");
  std::vector<Suppression> out;
  for (const json& entry : document["suppressions"]) {
    if (!entry.is_object()) fail(file, fmt::format("suppression {} is no object", out.size() + 1));
    out.push_back({text_of(entry, "fingerprint", file), text_of(entry, "class", file),
                   text_of(entry, "buffer", file), text_of(entry, "reader", file),
                   text_of(entry, "reason", file), text_of(entry, "expires", file)});
    validate(out.back(), out.size() - 1, file);
  }
  return out;
}

std::vector<std::string> apply(const std::set<std::string>& baseline,
                               const std::vector<Suppression>& suppressions, const std::string& today,
                               const std::vector<ReportedFinding*>& findings) {
  std::vector<std::string> remarks;
  for (ReportedFinding* f : findings)
    if (baseline.contains(f->fingerprint)) f->standing = Standing::baseline;
  for (const Suppression& s : suppressions) {
    const bool expired = s.expires < today;
    bool used = false;
    for (ReportedFinding* f : findings) {
      if (!fits(s, *f)) continue;
      used = true;
      if (!expired) suppress(*f, s);
    }
    if (expired) remarks.push_back(fmt::format("suppression of {} expired on {}", describe(s), s.expires));
    if (!used) remarks.push_back(fmt::format("suppression of {} fits no finding", describe(s)));
  }
  return remarks;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

}  // namespace bufferproof::cli
