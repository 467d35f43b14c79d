// The words of the reports: what a class means, what to do about it, how a run is written down.
//
// One place, so that text, JSON and SARIF say the same. Tested by tests/cli/report_test.cpp.
#pragma once

#include <string>

#include "cli/input.hpp"
#include "cli/report.hpp"

namespace bufferproof::cli {

/// "reads elements that nothing has written"
std::string_view meaning(model::FindingClass c);
/// What happens, one sentence.
std::string happening(const model::Finding& finding);
/// What a user can do about a finding, one sentence.
std::string advice(const ReportedFinding& finding);
/// "buf0[0, 17]"; "buf0" when no element is meant.
std::string element_name(const model::Finding& finding);
/// What the finding's writer is to it: "due from", "against" (a race), "writer". `stale_is_due`: of a STALE
/// one it is the producer the text means, not the one that wrote instead.
const char* writer_label(model::FindingClass c, bool stale_is_due);
/// "the caller" for `result`.
std::string reader_name(const model::Finding& finding);
/// "n = 5, s0 = 2"; calls are told apart when there are several: "call 1: s0 = 2; call 2: s0 = 3".
std::string sizes(const model::RunPlan& plan);
/// "K:0[0:4]" as --fault takes it.
std::string spelling(const model::Fault& fault);
/// The line for torch_npu that forces the same road on a device; empty when no kernel falls back.
std::string force_line(const ReportedFinding& finding);
/// The options as a shell takes them, each with a space before.
std::string reading_options(const InputOptions& options);
/// The command that replays the finding.
std::string replay_command(const ReportedFinding& finding, const std::string& file);
/// "n in 1..8, s0 >= 2", the ranges a proof holds for; empty without symbols.
std::string ranges(const model::Program& program);
/// "1 finding", "2 findings".
std::string counted(std::size_t n, const char* one);
/// What the obligation with this label of docs/buffer-contract.md asks for.
std::string_view rule_text(std::string_view label);

}  // namespace bufferproof::cli
