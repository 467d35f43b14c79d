#include "cli/report.hpp"

#include <algorithm>
#include <array>

#include "cli/app.hpp"

namespace bufferproof::cli {
namespace {

constexpr std::array<std::string_view, 5> kNames{"proved", "refuted", "unsupported", "budget", "internal"};

int badness(Outcome outcome) {
  switch (outcome) {
    case Outcome::proved:
      return 0;
    case Outcome::budget:
      return 1;
    case Outcome::unsupported:
      return 2;
    case Outcome::refuted:
      return 3;
    case Outcome::internal:
      return 4;
  }
  return 4;
}

/// A refuted row whose findings are all set aside is as good as what is left of it.
Outcome settled(const ProgramReport& program, const RuntimeReport& row, bool strict) {
  if (row.outcome == Outcome::internal) return row.outcome;
  const bool counts = std::any_of(row.findings.begin(), row.findings.end(), [&](std::size_t i) {
    return program.findings[i].standing == Standing::counted;
  });
  if (counts || (strict && !row.risks.empty())) return Outcome::refuted;
  Outcome outcome = strict && !row.assumptions.empty() ? Outcome::unsupported : Outcome::proved;
  for (const checker::Undecided& u : row.undecided) outcome = worse(outcome, outcome_of(u.kind));
  return outcome;
}

}  // namespace

Outcome outcome_of(checker::Verdict verdict) {
  switch (verdict) {
    case checker::Verdict::proved:
      return Outcome::proved;
    case checker::Verdict::refuted:
      return Outcome::refuted;
    case checker::Verdict::unsupported:
      return Outcome::unsupported;
    case checker::Verdict::budget:
      return Outcome::budget;
  }
  return Outcome::internal;
}

std::string_view name(Outcome outcome) { return kNames.at(static_cast<std::size_t>(outcome)); }

Outcome worse(Outcome a, Outcome b) { return badness(a) >= badness(b) ? a : b; }

int exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::proved:
      return kClean;
    case Outcome::refuted:
      return kFindings;
    case Outcome::unsupported:
      return kUnsupported;
    case Outcome::budget:
      return kBudget;
    case Outcome::internal:
      return kInternal;
  }
  return kInternal;
}

void settle(CheckReport& report) {
  Outcome worst = Outcome::proved;
  for (ProgramReport& program : report.programs) {
    program.outcome = Outcome::proved;
    for (RuntimeReport& row : program.runtimes) {
      row.outcome = settled(program, row, report.strict);
      program.outcome = worse(program.outcome, row.outcome);
    }
    worst = worse(worst, program.outcome);
  }
  report.exit = exit_code(worst);
}

}  // namespace bufferproof::cli
