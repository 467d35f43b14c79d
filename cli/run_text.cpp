#include "cli/run_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/wording.hpp"
#include "kernels_ref/kernel_error.hpp"

namespace bufferproof::cli {
namespace {

void field(std::string& out, const char* label, const std::string& text) {
  if (!text.empty()) out += fmt::format("    {:<10} {}\n", label, text);
}

/// As `check` has it.
constexpr std::size_t kInFull = 3;

/// The first ones are what later ones come from.
constexpr std::size_t kMostBirths = 5;

std::string title(const model::Finding& f) {
  return fmt::format("{} {} at {}", model::name(f.kind), element_name(f), f.reader);
}

std::string finding_text(const model::Finding& f, SourceExcerpts& excerpts) {
  auto place = [&](const model::SourceLocation& where) {
    if (where.line <= 0) return std::string();
    const std::string quote = excerpts.line(where);
    return quote.empty() ? where.str() : fmt::format("{}  | {}", where.str(), quote);
  };
  std::string out = fmt::format("\n{}  ({})\n", title(f), f.rule);
  field(out, "what", happening(f));
  field(out, "where", place(f.where));
  field(out, "allocated", place(f.alloc_where));
  const std::string writer_place = place(f.writer_where);
  field(out, writer_label(f.kind, false),
        writer_place.empty() ? f.writer : fmt::format("{}  {}", f.writer, writer_place));
  return out;
}

std::string bound_text(const std::optional<double>& value, model::DType dtype) {
  return value ? number_text(*value, dtype) : "-";
}

}  // namespace

std::string findings_text(const simulator::TagTrace& trace, bool full) {
  std::string out;
  SourceExcerpts excerpts;
  const std::size_t in_full = full ? trace.findings.size() : std::min(kInFull, trace.findings.size());
  for (std::size_t i = 0; i < in_full; ++i) out += finding_text(trace.findings[i], excerpts);
  if (in_full < trace.findings.size()) out += "\n";
  for (std::size_t i = in_full; i < trace.findings.size(); ++i)
    out += fmt::format("{}, line {}\n", title(trace.findings[i]), trace.findings[i].where.line);
  if (in_full < trace.findings.size()) out += fmt::format("(--full tells each as the first {})\n", in_full);
  if (!trace.raised.empty())
    out += fmt::format("\nthe run ends at {}: {}\n", trace.raised_where.str(), trace.raised);
  for (const std::string& text : trace.unsupported) out += fmt::format("\nnot understood: {}\n", text);
  return out;
}

std::string births_text(const std::vector<simulator::LaunchBirth>& births) {
  std::string out;
  for (std::size_t i = 0; i < std::min(births.size(), kMostBirths); ++i) {
    const simulator::LaunchBirth& b = births[i];
    out += fmt::format("  {} by {} in {} ({}), element {}, {} in all\n", b.birth.kind, b.birth.op, b.kernel,
                       b.launch.str(), kernels::format_sizes(b.birth.element),
                       counted(static_cast<std::size_t>(b.birth.count), "element"));
  }
  if (births.size() > kMostBirths) out += fmt::format("  and {} more\n", births.size() - kMostBirths);
  return out.empty() ? "" : "\nborn in arithmetic, not read from memory\n" + out;
}

Json births_json(const std::vector<simulator::LaunchBirth>& births) {
  Json out = Json::array();
  for (const simulator::LaunchBirth& b : births)
    out.push_back({{"kind", b.birth.kind},
                   {"op", b.birth.op},
                   {"location", location_json(b.birth.where)},
                   {"kernel", b.kernel},
                   {"launch_location", location_json(b.launch)},
                   {"call", b.call + 1},
                   {"element", b.birth.element},
                   {"elements", b.birth.count}});
  return out;
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::vector<std::string> summary_row(const OutputSummary& o) {
  return {o.name,
          std::string(model::name(o.dtype)),
          kernels::format_sizes(o.sizes),
          hash_text(o.hash),
          bound_text(o.least, o.dtype),
          bound_text(o.greatest, o.dtype),
          o.least ? number_text(o.largest_magnitude(), o.dtype) : "-",
          std::to_string(o.nans)};
}

Json number_json(double value, model::DType dtype) {
  if (!std::isfinite(value)) return number_text(value, model::DType::f64);
  if (!model::is_floating(dtype)) return static_cast<std::int64_t>(value);
  return value;
}

Json summary_json(const OutputSummary& o) {
  Json out{{"name", o.name},         {"dtype", model::name(o.dtype)},
           {"sizes", o.sizes},       {"hash", hash_text(o.hash)},
           {"elements", o.elements}, {"nan", o.nans},
           {"inf", o.infinities}};
  if (o.least) {
    out["min"] = number_json(*o.least, o.dtype);
    out["max"] = number_json(*o.greatest, o.dtype);
    out["absmax"] = number_json(o.largest_magnitude(), o.dtype);
  }
  return out;
}

}  // namespace bufferproof::cli
