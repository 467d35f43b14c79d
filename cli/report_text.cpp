// The report for people: a row per runtime, then each finding once. Tested by tests/cli/report_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/report.hpp"
#include "cli/source_excerpt.hpp"
#include "cli/wording.hpp"

namespace bufferproof::cli {
namespace {

/// Findings told with everything; of more than these the first lines are enough to work with.
constexpr std::size_t kInFull = 3;

/// Likewise notes, risks and the like.
constexpr std::size_t kLinesOfSection = 5;

class TextReport {
 public:
  explicit TextReport(bool all_in_full) : all_in_full_(all_in_full) {}

  std::string print(const CheckReport& report) {
    for (const ProgramReport& program : report.programs) {
      if (&program != &report.programs.front()) out_ += "\n";
      print(program, report.strict);
    }
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void print(const ProgramReport& report, bool strict) {
    const std::string ranges = cli::ranges(*report.program);
    line("{}{}", report.program->file, ranges.empty() ? "" : "  for " + ranges);
    if (report.program->dialect == model::Dialect::wrapper) {
      table(report);
    } else {
      line("  {}", verdict(report, report.runtimes.at(0)));
    }
    const std::size_t full = all_in_full_ ? report.findings.size() : kInFull;
    for (std::size_t i = 0; i < report.findings.size(); ++i)
      i < full ? finding(report, i) : one_line(report, i);
    if (report.findings.size() > full) line("(--full tells each as the first {})", full);
    problems(report);
    notes(report);
    risks(report, strict);
    assumptions(report);
  }

  static std::string verdict(const ProgramReport& report, const RuntimeReport& row) {
    std::string text{name(row.outcome)};
    if (row.outcome == Outcome::proved && !row.assumptions.empty())
      text += fmt::format(" under {}", counted(row.assumptions.size(), "assumption"));
    std::size_t left_out = 0;
    for (std::size_t i : row.findings) left_out += report.findings[i].standing != Standing::counted;
    if (left_out > 0) text += fmt::format(" ({} known or suppressed)", counted(left_out, "finding"));
    return text;
  }

  /// "[1]-[4] [7]"
  static std::string numbers(const std::vector<std::size_t>& findings) {
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < findings.size();) {
      std::size_t last = i;
      while (last + 1 < findings.size() && findings[last + 1] == findings[last] + 1) ++last;
      const std::string end = last == i ? "" : fmt::format("-[{}]", findings[last] + 1);
      runs.push_back(fmt::format("[{}]{}", findings[i] + 1, end));
      i = last + 1;
    }
    return fmt::format("{}", fmt::join(runs, " "));
  }

  void table(const ProgramReport& report) {
    std::size_t width = 7;
    for (const RuntimeReport& row : report.runtimes) width = std::max(width, row.name.size());
    line("");
    for (const RuntimeReport& row : report.runtimes) {
      std::string text =
          fmt::format("  {:<{}}  {}  {}", row.name, width, verdict(report, row), numbers(row.findings));
      text.erase(text.find_last_not_of(' ') + 1);
      line("{}{}", text, row.hypothetical ? "  (hypothetical)" : "");
    }
  }

  void field(const char* label, const std::string& text) {
    if (!text.empty()) line("    {:<10} {}", label, text);
  }

  /// "file:line:column   the line itself"
  std::string place(const model::SourceLocation& where) {
    if (where.line <= 0) return "";
    const std::string quote = excerpts_.line(where);
    return quote.empty() ? where.str() : fmt::format("{}  | {}", where.str(), quote);
  }

  static std::string title(const ReportedFinding& f, std::size_t index) {
    return fmt::format("[{}] {} {} at {}", index + 1, model::name(f.finding.kind), element_name(f.finding),
                       f.finding.reader);
  }

  void one_line(const ProgramReport& report, std::size_t index) {
    const ReportedFinding& f = report.findings[index];
    const std::string when = f.fallback_kernels.empty()
                                 ? ""
                                 : fmt::format(" when {} falls back", fmt::join(f.fallback_kernels, ", "));
    line("{}{}, line {}{}", index == kInFull ? "\n" : "", title(f, index), f.finding.where.line, when);
  }

  void finding(const ProgramReport& report, std::size_t index) {
    const ReportedFinding& f = report.findings[index];
    line("\n{}", title(f, index));
    field("what", happening(f.finding));
    field("where", place(f.finding.where));
    field("allocated", place(f.finding.alloc_where));
    const bool wrapper = report.program->dialect == model::Dialect::wrapper;
    field(writer_label(f.finding.kind, wrapper), writer(f.finding));
    field("runtime", fmt::format("{}", fmt::join(f.runtimes, ", ")));
    field("road", road(f));
    field("sizes", sizes(f.plan));
    field("faults", faults(f.plan));
    field("to do", advice(f));
    field("on device", force_line(f));
    field("replay", replay_command(f, report.program->file));
    field("id", fmt::format("{}, rule {}", f.fingerprint, f.finding.rule));
    if (f.standing == Standing::baseline) field("known", "in the baseline, not counted");
    if (f.standing == Standing::suppressed)
      field("suppressed", fmt::format("{} (until {}), not counted", f.reason, f.expires));
  }

  static std::string writer(const model::Finding& finding) {
    if (finding.writer.empty() || finding.writer_where.line <= 0) return finding.writer;
    return fmt::format("{}, {}", finding.writer, finding.writer_where.str());
  }

  static std::string road(const ReportedFinding& f) {
    // Of a program without fallbacks the path is the choice of its symbols, which `sizes` tells already.
    if (f.fallback_kernels.empty()) return f.runtimes.empty() ? "" : f.finding.path;
    return fmt::format("{} {} back, every other kernel is tuned", fmt::join(f.fallback_kernels, ", "),
                       f.fallback_kernels.size() == 1 ? "falls" : "fall");
  }

  static std::string faults(const model::RunPlan& plan) {
    std::vector<std::string> parts;
    for (const model::Fault& fault : plan.faults) parts.push_back(spelling(fault));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  /// Lines that several runtimes share are told once, with the runtimes behind them.
  using Shared = std::vector<std::pair<std::string, std::vector<std::string>>>;
  static void add(Shared& to, const std::string& text, const std::string& runtime) {
    auto found = std::find_if(to.begin(), to.end(), [&](const auto& entry) { return entry.first == text; });
    if (found == to.end()) found = to.insert(to.end(), {text, {}});
    auto& runtimes = found->second;
    const bool known = std::find(runtimes.begin(), runtimes.end(), runtime) != runtimes.end();
    if (!runtime.empty() && !known) runtimes.push_back(runtime);
  }
  void section(const char* title, const Shared& lines, std::size_t of_runtimes) {
    if (lines.empty()) return;
    line("\n{}", title);
    const std::size_t shown = all_in_full_ ? lines.size() : std::min(lines.size(), kLinesOfSection);
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& [text, runtimes] = lines[i];
      const bool all = runtimes.size() == of_runtimes || runtimes.empty();
      line("  {}{}", text, all ? "" : fmt::format("  [{}]", fmt::join(runtimes, ", ")));
    }
    if (shown < lines.size()) line("  and {} more (--full)", lines.size() - shown);
  }

  void problems(const ProgramReport& report) {
    Shared undecided;
    Shared failures;
    for (const RuntimeReport& row : report.runtimes) {
      for (const checker::Undecided& u : row.undecided)
        add(undecided, fmt::format("{}: {}: {}", u.where.str(), checker::name(u.kind), u.reason), row.name);
      if (!row.failure.empty()) add(failures, row.failure, row.name);
    }
    section("not decided", undecided, report.runtimes.size());
    section("internal error: a fault of bufferproof, not of your program; please report it with this file",
            failures, report.runtimes.size());
  }

  /// One line per rule and set of runtimes: what a road does to one kernel it mostly does to all.
  void notes(const ProgramReport& report) {
    Shared lines;
    std::map<std::string, std::string> rules;
    for (const RuntimeReport& row : report.runtimes)
      for (const checker::Note& note : row.notes) {
        const std::string text = fmt::format("{}: {}: {}", note.where.str(), note.rule, note.message);
        add(lines, text, row.name);
        rules.emplace(text, note.rule);
      }
    section("notes (no reader depends on these)", all_in_full_ ? lines : folded(lines, rules),
            report.runtimes.size());
  }
  static Shared folded(const Shared& lines, const std::map<std::string, std::string>& rules) {
    Shared out;
    std::vector<std::size_t> more;
    std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> groups;
    for (const auto& [text, runtimes] : lines) {
      const auto [group, fresh] = groups.emplace(std::pair(rules.at(text), runtimes), out.size());
      if (!fresh) {
        ++more[group->second];
        continue;
      }
      out.emplace_back(text, runtimes);
      more.push_back(0);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
      if (more[i] > 0) out[i].first += fmt::format(", and {} more like it (--full)", more[i]);
    return out;
  }

  void risks(const ProgramReport& report, bool strict) {
    Shared lines;
    for (const RuntimeReport& row : report.runtimes)
      for (const model::Risk& risk : row.risks)
        add(lines, fmt::format("{}: {}: {}", risk.where.str(), risk.label, risk.message), row.name);
    section(strict ? "risks (count with --strict)" : "risks (not replayed, not counted)", lines,
            report.runtimes.size());
  }

  void assumptions(const ProgramReport& report) {
    Shared lines;
    for (const RuntimeReport& row : report.runtimes)
      for (const std::string& text : row.assumptions) add(lines, text, row.name);
    section("assumptions", lines, report.runtimes.size());
  }

  const bool all_in_full_;
  std::string out_;
  SourceExcerpts excerpts_;
};

}  // namespace

std::string print_text(const CheckReport& report, bool full) { return TextReport(full).print(report); }

}  // namespace bufferproof::cli
