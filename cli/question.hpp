// `--why OUTPUT[INDEX]`: an element somebody asks about, and the answer for people and as JSON.
//
// Tested by tests/cli/why_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "cli/json_parts.hpp"
#include "model/program.hpp"
#include "model/run_plan.hpp"
#include "simulator/why.hpp"

namespace bufferproof::cli {

struct Question {
  std::string output;
  std::vector<std::int64_t> index;
};

/// "buf1[0,17]"; "buf1" for an output without axes. Raises InputError.
Question parse_question(const std::string& text);
/// "buf1[0, 17]"
std::string spelling(const Question& question);

/// Why the element is what it is at the end of the plan's last call. Raises InputError: no such output
/// (naming the nearest), no such element.
simulator::Explanation answer(const model::Program& lowered, const model::RunPlan& plan,
                              const Question& question);

/// The last link alone: what was read, by whom, who should have written it, where its memory comes from.
std::string blame_text(const simulator::Explanation& explanation);
/// The whole chain, one link a line, from the output backwards.
std::string chain_text(const simulator::Explanation& explanation);
Json explanation_json(const simulator::Explanation& explanation);

}  // namespace bufferproof::cli
