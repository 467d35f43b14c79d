#include "cli/check_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/app.hpp"
#include "cli/command.hpp"
#include "cli/fingerprint.hpp"
#include "cli/input.hpp"
#include "cli/replay.hpp"
#include "cli/runtime_log.hpp"
#include "model/lower.hpp"
#include "model/near_name.hpp"
#include "model/read/bufprog/reader.hpp"

namespace bufferproof::cli {
namespace {

/// The result of one row, made in a thread that may be abandoned: owns everything.
struct RowResult {
  checker::Result result;
  std::vector<std::string> disagreements;
};

/// Params without a range: they are put in where they are used, so only the file still has their names.
model::Constants constants_of(const model::Program& program) {
  if (program.dialect != model::Dialect::bufprog) return {};
  return model::read_bufprog(read_file(program.file), program.file).annotations.constants;
}

model::Cond parse_assumption(const std::string& text, const model::Program& program) {
  if (text.empty()) return true;
  model::Cond condition = model::parse_condition(text, constants_of(program));
  std::set<std::string> used;
  condition.collect_symbols(used);
  std::vector<std::string> known;
  for (const model::Symbol& symbol : program.symbols) known.push_back(symbol.name);
  for (const std::string& name : used)
    if (!program.find_symbol(name))
      fail_option("--assume", known.empty() ? fmt::format("{} has no symbols", program.file)
                                            : fmt::format("{} has no symbol '{}'; {}", program.file, name,
                                                          model::name_hint(name, known)));
  return condition;
}

std::vector<std::string> kernels_on_fallback(const model::Block& block, const model::RunPlan& plan) {
  std::set<std::string> out;
  auto visit = [&](const model::Block& inner) {
    const auto more = kernels_on_fallback(inner, plan);
    out.insert(more.begin(), more.end());
  };
  for (const model::Step& step : block) {
    if (const auto* branch = std::get_if<model::Branch>(&step.node)) {
      visit(branch->then_block);
      visit(branch->else_block);
    } else if (const auto* loop = std::get_if<model::Loop>(&step.node)) {
      visit(loop->body);
    } else if (const auto* launch = std::get_if<model::Launch>(&step.node)) {
      const auto chosen = plan.variants.find(launch->choice);
      for (const model::Variant& variant : launch->variants)
        if (chosen != plan.variants.end() && variant.name == chosen->second && variant.fallback)
          out.insert(launch->kernel.str());
    }
  }
  return {out.begin(), out.end()};
}

/// A view of a buffer that was given up has no storage either: one fault, told once.
void drop_consequences(std::vector<checker::Refutation>& refutations) {
  std::vector<model::SourceLocation> dead;
  for (const checker::Refutation& refutation : refutations)
    if (refutation.finding.kind == model::FindingClass::dead) dead.push_back(refutation.finding.where);
  std::erase_if(refutations, [&](const checker::Refutation& refutation) {
    const model::Finding& finding = refutation.finding;
    return finding.kind == model::FindingClass::noalloc &&
           finding.buffer.find(".view") != std::string::npos &&
           std::find(dead.begin(), dead.end(), finding.where) != dead.end();
  });
}

RowResult judge(const model::Program& lowered, const checker::Options& options) {
  RowResult row{checker::check(lowered, options), {}};
  std::vector<checker::Refutation> shown;
  for (checker::Refutation& refutation : row.result.refutations) {
    Replay seen = replay(lowered, refutation);
    if (!seen.difference.empty()) row.disagreements.push_back(std::move(seen.difference));
    if (seen.no_run) {
      row.result.undecided.push_back(std::move(*seen.no_run));
    } else {
      shown.push_back(std::move(refutation));
    }
  }
  drop_consequences(shown);
  row.result.refutations = std::move(shown);
  if (row.result.verdict == checker::Verdict::refuted && row.result.refutations.empty())
    row.result.verdict = checker::Verdict::unsupported;
  return row;
}

bool same_plan(const model::RunPlan& a, const model::RunPlan& b) {
  auto faults = [](const model::RunPlan& p) {
    std::vector<std::tuple<std::string, int, std::vector<std::pair<std::int64_t, std::int64_t>>>> out;
    for (const model::Fault& f : p.faults) out.emplace_back(f.kernel, f.output, f.region);
    return out;
  };
  return a.calls == b.calls && a.variants == b.variants && faults(a) == faults(b);
}

bool same_finding(const ReportedFinding& known, const checker::Refutation& r) {
  const model::Finding& a = known.finding;
  const model::Finding& b = r.finding;
  return a.kind == b.kind && a.buffer == b.buffer && a.reader == b.reader && a.writer == b.writer &&
         a.element == b.element && a.where == b.where && a.message == b.message && a.path == b.path &&
         same_plan(known.plan, r.plan);
}

class ProgramJudge {
 public:
  ProgramJudge(model::Program program, const CheckRequest& request)
      : program_(std::make_shared<const model::Program>(std::move(program))),
        request_(request),
        fingerprints_(*program_) {
    options_.assume = parse_assumption(request.assume, *program_);
    options_.certificate = request.certificate;
    out_.report.program = program_;
  }

  Judged run() {
    if (!request_.log_file.empty()) read_log();
    if (program_->dialect == model::Dialect::bufprog) {
      row({}, *program_);
    } else {
      for (const model::RuntimeProfile& profile : request_.profiles)
        row(profile, model::lower(*program_, profile));
    }
    return std::move(out_);
  }

 private:
  void read_log() {
    std::vector<std::string> unknown;
    fallen_back_ = kernels_fallen_back(request_.log, *program_, unknown);
    for (const std::string& name : unknown)
      out_.remarks.push_back(
          fmt::format("{}: kernel {} is not one of {}", request_.log_file, name, program_->file));
  }

  void row(const model::RuntimeProfile& profile, model::Program lowered) {
    RuntimeReport report;
    report.name = profile.name;
    report.hypothetical = profile.hypothetical;
    if (!request_.log_file.empty()) {
      restrict_to_log(lowered, fallen_back_);
      report.assumptions.push_back(log_assumption());
    }
    report.risks = lowered.risks;
    auto shared = std::make_shared<const model::Program>(std::move(lowered));
    if (given_up_.empty()) {
      std::string reason;
      auto result = run_within<RowResult>(
          request_.limits,
          [shared, options = options_](std::stop_token stop) mutable {
            options.stop = std::move(stop);
            return judge(*shared, options);
          },
          reason);
      if (result) {
        add(report, *shared, std::move(*result));
        if (report.outcome == Outcome::budget && !reason.empty()) out_of_budget(report, reason);
      } else {
        out_of_budget(report, reason);
        given_up_ = "not begun: an earlier runtime was given up and its solver still holds time and memory";
      }
    } else {
      out_of_budget(report, given_up_);
    }
    out_.report.runtimes.push_back(std::move(report));
  }

  std::string log_assumption() const {
    return fmt::format(
        "{} is the whole log of the run: {} fell back, every other kernel with a choice did not",
        request_.log_file,
        fallen_back_.empty() ? "no kernel" : fmt::format("{}", fmt::join(fallen_back_, ", ")));
  }

  void out_of_budget(RuntimeReport& report, const std::string& reason) const {
    report.outcome = Outcome::budget;
    model::SourceLocation where;
    where.file = std::make_shared<const std::string>(program_->file);
    report.undecided.push_back({checker::Verdict::budget, where, reason});
  }

  void add(RuntimeReport& report, const model::Program& lowered, RowResult row) {
    report.outcome = outcome_of(row.result.verdict);
    for (const checker::Refutation& r : row.result.refutations)
      report.findings.push_back(index_of(lowered, r, report.name));
    report.undecided = std::move(row.result.undecided);
    report.notes = std::move(row.result.notes);
    report.assumptions.insert(report.assumptions.end(), row.result.assumptions.begin(),
                              row.result.assumptions.end());
    report.statistics = row.result.statistics;
    if (!row.disagreements.empty()) {
      report.outcome = Outcome::internal;
      report.failure = fmt::format("{}", fmt::join(row.disagreements, "; "));
    }
    if (request_.certificate && report.outcome == Outcome::proved) {
      row.result.certificate.program = program_->file;
      row.result.certificate.runtime = report.name;
      out_.certificates.push_back(std::move(row.result.certificate));
    }
  }

  std::size_t index_of(const model::Program& lowered, const checker::Refutation& r,
                       const std::string& runtime) {
    auto& findings = out_.report.findings;
    auto found = std::find_if(findings.begin(), findings.end(),
                              [&](const ReportedFinding& known) { return same_finding(known, r); });
    if (found == findings.end()) {
      ReportedFinding fresh{.finding = r.finding, .plan = r.plan};
      fresh.fallback_kernels = kernels_on_fallback(lowered.body, r.plan);
      fresh.fingerprint = fingerprints_.of(r.finding);
      found = findings.insert(findings.end(), std::move(fresh));
    }
    if (!runtime.empty()) found->runtimes.push_back(runtime);
    return static_cast<std::size_t>(found - findings.begin());
  }

  std::shared_ptr<const model::Program> program_;
  const CheckRequest& request_;
  Fingerprints fingerprints_;
  checker::Options options_;
  std::vector<std::string> fallen_back_;
  std::string given_up_;  ///< why no further check is begun
  Judged out_;
};

}  // namespace

Judged check_program(model::Program program, const CheckRequest& request) {
  return ProgramJudge(std::move(program), request).run();
}

}  // namespace bufferproof::cli
