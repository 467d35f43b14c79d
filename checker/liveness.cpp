#include "checker/liveness.hpp"

namespace bufferproof::checker {

using namespace model;

void LastUse::use(const Name& name, int step) {
  if (!name.empty()) last_.insert_or_assign(name.str(), step);
}

void LastUse::visit(const Block& block) {
  for (const Step& step : block) visit(step);
}

void LastUse::visit(const Step& step) {
  if (const auto* s = std::get_if<View>(&step.node)) use(s->base, step.id);
  if (const auto* s = std::get_if<Bind>(&step.node)) use(s->source, step.id);
  if (const auto* s = std::get_if<AssertLayout>(&step.node)) use(s->name, step.id);
  if (const auto* s = std::get_if<Point>(&step.node)) {
    use(s->handle, step.id);
    use(s->target, step.id);
  }
  if (const auto* s = std::get_if<Copy>(&step.node)) {
    use(s->source, step.id);
    use(s->destination, step.id);
  }
  if (const auto* s = std::get_if<Launch>(&step.node)) {
    for (const Name& output : s->outputs) use(output, step.id);
    for (const Argument& argument : s->arguments) use(argument.handle, step.id);
    for (const Variant& variant : s->variants) {
      for (const Clause& clause : variant.clauses) use(clause.buffer, step.id);
      for (const Rebind& rebind : variant.rebinds) use(rebind.handle, step.id), use(rebind.alias_of, step.id);
    }
  }
  if (const auto* s = std::get_if<Return>(&step.node))
    for (const Return::Item& item : s->items) use(item.name, step.id);
  if (const auto* s = std::get_if<Unsupported>(&step.node))
    for (const Name& name : s->touched) use(name, step.id);
  if (const auto* s = std::get_if<Branch>(&step.node)) {
    visit(s->then_block);
    visit(s->else_block);
  }
  if (const auto* s = std::get_if<Loop>(&step.node)) visit(s->body);
}

}  // namespace bufferproof::checker
