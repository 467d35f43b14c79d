#include "tests/differential/generate.hpp"

#include <map>

#include "model/read/bufprog/reader.hpp"

namespace bufferproof::differential {

using model::Program;
using model::RunPlan;

namespace {

constexpr std::int64_t kCut = 8;

using Roads = std::map<std::string, std::vector<std::string>>;

void collect_roads(const model::Block& block, Roads& roads) {
  for (const model::Step& step : block) {
    if (const auto* launch = std::get_if<model::Launch>(&step.node); launch && !launch->choice.empty()) {
      std::vector<std::string>& names = roads[launch->choice];
      names.clear();
      for (const model::Variant& variant : launch->variants) names.push_back(variant.name);
    }
    if (const auto* branch = std::get_if<model::Branch>(&step.node)) {
      collect_roads(branch->then_block, roads);
      collect_roads(branch->else_block, roads);
    }
    if (const auto* loop = std::get_if<model::Loop>(&step.node)) collect_roads(loop->body, roads);
  }
}

}  // namespace

std::uint64_t small_world_size() { return small_bufprog_size() + small_wrapper_size(); }

Program small_world(std::uint64_t index) {
  if (index >= small_bufprog_size()) return small_wrapper(index - small_bufprog_size());
  return model::read_bufprog(small_bufprog_text(index), "small-" + std::to_string(index) + ".bufprog")
      .program;
}

Program random_program(std::uint64_t seed) {
  if (seed % 2) return random_wrapper(seed);
  return model::read_bufprog(random_bufprog_text(seed), "random-" + std::to_string(seed) + ".bufprog")
      .program;
}

std::vector<RunPlan> all_runs(const Program& program) {
  std::vector<RunPlan> plans(1);
  for (const model::Symbol& symbol : program.symbols) {
    std::vector<RunPlan> next;
    for (const RunPlan& plan : plans)
      for (std::int64_t value = symbol.lo; value <= symbol.hi.value_or(symbol.lo + kCut); ++value) {
        next.push_back(plan);
        next.back().calls[0][symbol.name] = value;
      }
    plans = std::move(next);
  }
  Roads roads;
  collect_roads(program.body, roads);
  for (const auto& [choice, names] : roads) {
    std::vector<RunPlan> next;
    for (const RunPlan& plan : plans)
      for (const std::string& name : names) {
        next.push_back(plan);
        next.back().variants[choice] = name;
      }
    plans = std::move(next);
  }
  return plans;
}

}  // namespace bufferproof::differential
