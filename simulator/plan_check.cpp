#include "simulator/plan_check.hpp"

#include <fmt/format.h>

#include <set>

namespace bufferproof::simulator {

using model::Block;
using model::InputError;
using model::Launch;
using model::Program;
using model::RunPlan;
using model::SourceLocation;
using model::Step;

namespace {

void collect_launches(const Block& block, std::vector<std::pair<const Launch*, SourceLocation>>& out) {
  for (const Step& step : block) {
    if (const auto* launch = std::get_if<Launch>(&step.node)) out.emplace_back(launch, step.where);
    if (const auto* branch = std::get_if<model::Branch>(&step.node)) {
      collect_launches(branch->then_block, out);
      collect_launches(branch->else_block, out);
    }
    if (const auto* loop = std::get_if<model::Loop>(&step.node)) collect_launches(loop->body, out);
  }
}

SourceLocation place(const Program& program) {
  return {std::make_shared<const std::string>(program.file.empty() ? "<program>" : program.file), 0, 0};
}

int write_clauses(const model::Variant& variant) {
  int count = 0;
  for (const model::Clause& clause : variant.clauses) count += clause.kind == model::Clause::Kind::write;
  return count;
}

/// A kernel name as written may have holes: "K{i}" names every "K<digits>".
bool may_be_named(const model::Name& pattern, std::string_view text) {
  const auto& literals = pattern.literals();
  if (literals.empty() || text.substr(0, literals[0].size()) != literals[0]) return false;
  text.remove_prefix(literals[0].size());
  for (std::size_t i = 1; i < literals.size(); ++i) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return false;
    text.remove_prefix(digits);
    if (text.substr(0, literals[i].size()) != literals[i]) return false;
    text.remove_prefix(literals[i].size());
  }
  return text.empty();
}

void check_fault(const model::Fault& fault, const RunPlan& plan, const SourceLocation& where,
                 const std::vector<std::pair<const Launch*, SourceLocation>>& launches) {
  bool named = false;
  int outputs = 0;
  for (const auto& [launch, at] : launches) {
    if (!may_be_named(launch->kernel, fault.kernel)) continue;
    named = true;
    outputs = std::max(outputs, write_clauses(chosen_variant(*launch, plan, at)));
  }
  if (!named) throw InputError(where, "a fault in a kernel of the program", "'" + fault.kernel + "'");
  if (outputs == 0)
    throw InputError(where, fmt::format("a road on which {} stores into its outputs", fault.kernel),
                     "one that hands its results over whole", "no part of them can be left out there");
  if (fault.output < 0 || fault.output >= outputs)
    throw InputError(where, fmt::format("an output of {} from 0 to {}", fault.kernel, outputs - 1),
                     std::to_string(fault.output));
}

}  // namespace

model::Valuation call_values(const Program& program, const model::Valuation& given) {
  const SourceLocation where = place(program);
  for (const auto& [name, value] : given)
    if (!program.find_symbol(name))
      throw InputError(where, "a symbol of the program", "'" + name + "'", "bufferproof show lists them");
  model::Valuation values;
  for (const model::Symbol& symbol : program.symbols) {
    const auto found = given.find(symbol.name);
    const auto value = found == given.end() ? symbol.value : std::optional(found->second);
    if (!value)
      throw InputError(where, "a value for the symbol " + symbol.name, "none",
                       fmt::format("give one with --size {}=N", symbol.name));
    if (*value < symbol.lo || (symbol.hi && *value > *symbol.hi))
      throw InputError(where,
                       fmt::format("a value of {} in {}..{}", symbol.name, symbol.lo,
                                   symbol.hi ? std::to_string(*symbol.hi) : "inf"),
                       std::to_string(*value));
    values[symbol.name] = *value;
  }
  return values;
}

void check_plan(const Program& program, const RunPlan& plan) {
  const SourceLocation where = place(program);
  std::vector<std::pair<const Launch*, SourceLocation>> launches;
  collect_launches(program.body, launches);
  std::set<std::string> choices;
  for (const auto& [launch, at] : launches) {
    if (launch->variants.empty())
      throw InputError(at, "a launch with at least one road", "none",
                       "lower the program under a runtime first");
    choices.insert(launch->choice);
    chosen_variant(*launch, plan, at);
  }
  for (const auto& [choice, variant] : plan.variants)
    if (!choices.count(choice))
      throw InputError(where, "a kernel of the program", "'" + choice + "'", "bufferproof show lists them");
  for (const model::Fault& fault : plan.faults) check_fault(fault, plan, where, launches);
}

const model::Variant& chosen_variant(const Launch& launch, const RunPlan& plan, const SourceLocation& where) {
  const auto choice = launch.choice.empty() ? plan.variants.end() : plan.variants.find(launch.choice);
  if (choice == plan.variants.end()) return launch.variants.front();
  std::string names;
  for (const model::Variant& variant : launch.variants) {
    if (variant.name == choice->second) return variant;
    names += (names.empty() ? "" : ", ") + variant.name;
  }
  throw InputError(where, fmt::format("a road of {}: {}", launch.choice, names), "'" + choice->second + "'");
}

model::IndexSet fault_region(const model::Fault& fault, const Shape& output, const SourceLocation& where) {
  model::IndexSet set;
  set.whole = fault.region.empty();
  if (set.whole) return set;
  if (fault.region.size() != output.sizes.size())
    throw InputError(where, fmt::format("a fault region of {} axes", output.sizes.size()),
                     std::to_string(fault.region.size()));
  for (std::size_t axis = 0; axis < fault.region.size(); ++axis) {
    const auto [lo, hi] = fault.region[axis];
    if (lo < 0 || hi < lo || hi > output.sizes[axis])
      throw InputError(where, fmt::format("a fault region within 0:{} on axis {}", output.sizes[axis], axis),
                       fmt::format("{}:{}", lo, hi));
    const std::string variable = "$" + std::to_string(axis);
    set.variables.push_back({variable, lo, hi});
    set.index.push_back(model::SymExpr::symbol(variable));
  }
  return set;
}

std::string path_text(const RunPlan& plan, const model::Valuation& given) {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [choice, variant] : plan.variants) add(choice + "=" + variant);
  for (const auto& [symbol, value] : given) add(fmt::format("{}={}", symbol, value));
  return text;
}

}  // namespace bufferproof::simulator
