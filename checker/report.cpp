#include "checker/report.hpp"

#include <fmt/format.h>

namespace bufferproof::checker {
namespace {

using model::Finding;
using model::FindingClass;
using model::RunPlan;

/// The case that holds in the witness.
const TagCase* actual(const std::vector<TagCase>& cases, const model::Valuation& values) {
  for (const TagCase& c : cases)
    if (c.when.evaluate(values).value_or(false)) return &c;
  return nullptr;
}

std::string writer_name(const World& world, const model::Name& identity, const model::Valuation& values) {
  const std::string text = identity.resolve(values);
  auto found = world.writers.find(text);
  return found == world.writers.end() ? text : found->second.first;
}

/// Who should have written (wrappers, from the ideal world), or who wrote instead.
void fill_writer(Finding& finding, const World& world, const Question& question,
                 const model::Valuation& values) {
  for (const auto* cases : {&question.meant, &question.cases}) {
    const TagCase* c = actual(*cases, values);
    if (!c || !c->base) continue;
    finding.writer = writer_name(world, *c->base, values);
    auto place = world.writers.find(c->base->resolve(values));
    if (place != world.writers.end()) finding.writer_where = place->second.second;
    return;
  }
}

std::string path_text(const RunPlan& plan, const World& world) {
  std::vector<std::string> parts;
  for (const Choice& choice : world.choices) {
    auto found = plan.variants.find(choice.kernel);
    if (found != plan.variants.end()) parts.push_back(choice.kernel + "=" + found->second);
  }
  for (const auto& [symbol, value] : plan.calls[0]) parts.push_back(fmt::format("{}={}", symbol, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string sentence(const Finding& f, const Question& question) {
  if (!question.message.empty()) return fmt::format("{} {}", f.buffer, question.message);
  switch (f.kind) {
    case FindingClass::unwritten:
      return f.writer.empty()
                 ? fmt::format("{} reads an element of {} that nothing has written", f.reader, f.buffer)
                 : fmt::format("{} reads an element of {} that {} should have written and did not", f.reader,
                               f.buffer, f.writer);
    case FindingClass::stale:
      return question.meant.empty()
                 ? fmt::format("{} reads an element of {} that {} wrote, not the producer it means", f.reader,
                               f.buffer, f.writer.empty() ? "another step" : f.writer)
                 : fmt::format(
                       "{} reads an element of {} whose last writer is not {}, the producer the file means",
                       f.reader, f.buffer, f.writer);
    case FindingClass::incomplete:
      return fmt::format("{} reads an element of {} that lacks a contribution", f.reader, f.buffer);
    case FindingClass::extra:
      return fmt::format("{} reads an element of {} with a contribution that is not due", f.reader, f.buffer);
    case FindingClass::oob:
      return fmt::format("{} accesses {} outside its bounds", f.reader, f.buffer);
    default:
      return fmt::format("{} uses {}", f.reader, f.buffer);
  }
}

RunPlan plan_of(const model::Program& program, const World& world, const Witness& witness) {
  RunPlan plan;
  for (const model::Symbol& symbol : program.symbols)
    plan.calls[0][symbol.name] = witness.values.at(symbol.name);
  for (const Choice& choice : world.choices) {
    auto value = witness.values.find(choice.symbol);
    if (value != witness.values.end())
      plan.variants[choice.kernel] = choice.names[static_cast<std::size_t>(value->second)];
  }
  return plan;
}

}  // namespace

Refutation refutation(const model::Program& program, const World& world, const Question& question,
                      const Witness& witness) {
  Refutation out;
  out.plan = plan_of(program, world, witness);
  out.plan.watch_buffer = question.buffer;
  out.plan.watch_element = witness.element;
  Finding& f = out.finding;
  f.kind = question.kind;
  f.rule = question.rule;
  f.buffer = question.buffer;
  f.reader = question.reader.resolve(witness.values);
  f.element = witness.element;
  f.where = question.where;
  f.writer = question.writer.resolve(witness.values);
  f.writer_where = question.writer_where;
  if (question.storage >= 0) f.alloc_where = world.storages[static_cast<std::size_t>(question.storage)].where;
  fill_writer(f, world, question, witness.values);
  f.path = path_text(out.plan, world);
  f.message = sentence(f, question);
  return out;
}

}  // namespace bufferproof::checker
