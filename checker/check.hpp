// What holds on every run of a lowered program: the obligations C1 to C9 of docs/buffer-contract.md.
//
// Input: a bufprog Program, or a wrapper's after model/lower.hpp (every Launch has variants). The checker
// reads no kernel text and no profile; it never runs the program. Each refutation carries the RunPlan that
// shows it; the caller replays it on the simulator before anyone believes it. Deterministic: Z3 under rlimit,
// findings sorted by step. Tested by tests/checker.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "checker/certificate.hpp"
#include "model/finding.hpp"
#include "model/program.hpp"
#include "model/run_plan.hpp"

namespace bufferproof::checker {

/// Kept apart everywhere; only `proved` is good news.
enum class Verdict : std::uint8_t { proved, refuted, unsupported, budget };
std::string_view name(Verdict verdict);

struct Options {
  model::Cond assume = true;            ///< over the program's symbols, joined to their ranges
  std::uint64_t rlimit = 20'000'000;    ///< Z3 resource units per query
  std::int64_t unroll_budget = 20'000;  ///< step instances a loop that has no summary may unfold to
  bool certificate = false;
  std::size_t most_refutations = 1000;  ///< further ones are not looked for
  std::stop_token stop = {};            ///< asked to stop: what is not decided yet is `budget`
};

/// A refuted obligation: what goes wrong, and the smallest run found that shows it.
struct Refutation {
  model::Finding finding;
  model::RunPlan plan;
};

/// Why something is neither proved nor refuted.
struct Undecided {
  Verdict kind = Verdict::unsupported;  ///< unsupported or budget
  model::SourceLocation where;
  std::string reason;
};

/// A contract breach nobody reads from (C1, C7): reported, not part of the verdict.
struct Note {
  std::string rule;
  model::SourceLocation where;
  std::string message;
};

/// How the obligations were decided.
struct Statistics {
  std::int64_t obligations = 0;
  std::int64_t by_algebra = 0;
  std::int64_t by_solver = 0;
};

struct Result {
  Verdict verdict = Verdict::proved;
  std::vector<Refutation> refutations;  ///< sorted by step, then class
  std::vector<Undecided> undecided;
  std::vector<Note> notes;
  std::vector<std::string> assumptions;  ///< what a proof rests on; empty: nothing beyond the ranges
  Statistics statistics;
  Certificate certificate;  ///< filled when asked for
};

Result check(const model::Program& program, const Options& options = {});

}  // namespace bufferproof::checker
