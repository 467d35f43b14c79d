// What `check` found, as data: every format prints the same report.
//
// Tested by tests/cli/report_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/check.hpp"
#include "model/finding.hpp"
#include "model/program.hpp"
#include "model/run_plan.hpp"

namespace bufferproof::cli {

/// A row's outcome. `internal`: checker and simulator disagree, or the check failed; never good news.
enum class Outcome : std::uint8_t { proved, refuted, unsupported, budget, internal };
std::string_view name(Outcome outcome);
/// Order of badness: proved, budget, unsupported, refuted, internal.
Outcome worse(Outcome a, Outcome b);
int exit_code(Outcome outcome);
Outcome outcome_of(checker::Verdict verdict);

/// Why a finding does not count for the exit code.
enum class Standing : std::uint8_t {
  counted,     ///< it does
  baseline,    ///< an earlier report holds it
  suppressed,  ///< a suppression with a reason, not yet expired, names it
};

/// A refutation, told once for all runtimes that share it.
struct ReportedFinding {
  model::Finding finding;
  model::RunPlan plan;
  std::vector<std::string> runtimes;          ///< empty for bufprog
  std::vector<std::string> fallback_kernels;  ///< non-tuned kernels of the plan
  std::string fingerprint;
  Standing standing = Standing::counted;
  std::string reason;   ///< of a suppression
  std::string expires;  ///< of a suppression, YYYY-MM-DD
  std::string reading;  ///< options the file was read with, as a shell takes them; empty: none
};

/// One program under one runtime profile.
struct RuntimeReport {
  std::string name;  ///< empty for bufprog
  bool hypothetical = false;
  Outcome outcome = Outcome::proved;
  std::vector<std::size_t> findings;  ///< indices into ProgramReport::findings
  std::vector<checker::Undecided> undecided;
  std::vector<checker::Note> notes;
  std::vector<model::Risk> risks;  ///< of the program as lowered for this profile
  std::vector<std::string> assumptions;
  checker::Statistics statistics;
  std::string failure;  ///< of `internal`: what disagrees
};

struct ProgramReport {
  std::shared_ptr<const model::Program> program;
  std::vector<RuntimeReport> runtimes;
  std::vector<ReportedFinding> findings;
  /// The worst row; findings that do not count are left out.
  Outcome outcome = Outcome::proved;
};

struct CheckReport {
  std::vector<ProgramReport> programs;
  bool strict = false;
  int exit = 0;
};

/// Works out every outcome anew after findings were set aside by baseline and suppressions, and the exit
/// code. With `strict`, assumptions make a proof `unsupported` and risks count as findings.
void settle(CheckReport& report);

/// `full`: every finding with all its lines, not the first few only.
std::string print_text(const CheckReport& report, bool full = false);
std::string print_json(const CheckReport& report);
std::string print_sarif(const CheckReport& report);

}  // namespace bufferproof::cli
