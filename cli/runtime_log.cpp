#include "cli/runtime_log.hpp"

#include <algorithm>
#include <set>

namespace bufferproof::cli {
namespace {

constexpr std::string_view kTuningFailed = ": Tuning accuracy failed, no valid kernels found, using fallback";
constexpr std::string_view kCompileFailed = "====Kernel compiled failed!====";

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// The identifier that ends at `end`.
std::string_view name_before(std::string_view line, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_name_char(line[begin - 1])) --begin;
  return line.substr(begin, end - begin);
}

/// The first identifier of a line.
std::string_view first_name(std::string_view line) {
  const auto begin = std::find_if(line.begin(), line.end(), is_name_char);
  const auto end = std::find_if_not(begin, line.end(), is_name_char);
  return {line.data() + (begin - line.begin()), static_cast<std::size_t>(end - begin)};
}

void restrict_block(model::Block& block, const std::set<std::string>& fallen_back) {
  for (model::Step& step : block) {
    if (auto* branch = std::get_if<model::Branch>(&step.node)) {
      restrict_block(branch->then_block, fallen_back);
      restrict_block(branch->else_block, fallen_back);
    } else if (auto* loop = std::get_if<model::Loop>(&step.node)) {
      restrict_block(loop->body, fallen_back);
    } else if (auto* launch = std::get_if<model::Launch>(&step.node)) {
      const bool fell = fallen_back.contains(launch->kernel.str());
      auto wrong = [fell](const model::Variant& v) { return v.fallback != fell; };
      auto& variants = launch->variants;
      if (!std::all_of(variants.begin(), variants.end(), wrong)) std::erase_if(variants, wrong);
    }
  }
}

}  // namespace

std::vector<std::string> kernels_fallen_back(std::string_view log, const model::Program& program,
                                             std::vector<std::string>& unknown) {
  std::set<std::string> known;
  std::set<std::string> strange;
  auto fell = [&](std::string_view name) {
    if (!name.empty()) (program.find_kernel(name) ? known : strange).emplace(name);
  };
  bool name_follows = false;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (const auto at = line.find(kTuningFailed); at != std::string_view::npos) fell(name_before(line, at));
    if (name_follows) fell(first_name(line));
    name_follows = line.find(kCompileFailed) != std::string_view::npos;
  }
  unknown.assign(strange.begin(), strange.end());
  return {known.begin(), known.end()};
}

void restrict_to_log(model::Program& lowered, const std::vector<std::string>& fallen_back) {
  restrict_block(lowered.body, {fallen_back.begin(), fallen_back.end()});
}

}  // namespace bufferproof::cli
