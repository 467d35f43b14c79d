#include "tests/mutation/sites.hpp"

#include <algorithm>
#include <map>

namespace bufferproof::mutation {
namespace {

using namespace model;

bool names(const Clause& clause, const Name& name) { return clause.buffer == name; }

/// The step reads this name, as a kernel, a copy or the caller.
bool reads(const Step& step, const Name& name) {
  if (const auto* launch = std::get_if<Launch>(&step.node)) {
    for (const Variant& variant : launch->variants)
      for (const Clause& clause : variant.clauses)
        if (clause.kind == Clause::Kind::read && names(clause, name)) return true;
  }
  if (const auto* result = std::get_if<Return>(&step.node))
    return std::any_of(result->items.begin(), result->items.end(),
                       [&](const Return::Item& item) { return item.name == name; });
  return false;
}

bool frees(const Step& step, const Name& name) {
  const auto* free = std::get_if<Free>(&step.node);
  return free && std::find(free->names.begin(), free->names.end(), name) != free->names.end();
}

bool same_tensor(const lowering::Declared& a, const lowering::Declared& b) {
  return a.layout && b.layout && a.dtype == b.dtype && a.layout->sizes == b.layout->sizes &&
         a.layout->strides == b.layout->strides;
}

/// Some later step reads the name, or makes another name of it.
bool used_after(const Program& program, std::size_t step, const Name& name) {
  return std::any_of(program.body.begin() + static_cast<std::ptrdiff_t>(step) + 1, program.body.end(),
                     [&](const Step& later) {
                       const auto* view = std::get_if<View>(&later.node);
                       const auto* bind = std::get_if<Bind>(&later.node);
                       const auto* copy = std::get_if<Copy>(&later.node);
                       return reads(later, name) || (view && view->base == name) ||
                              (bind && bind->source == name) || (copy && copy->source == name);
                     });
}

/// A slice of a buffer is read through the buffer, under another name.
bool is_view(const Program& program, std::size_t step, const Name& name) {
  return std::any_of(program.body.begin(), program.body.begin() + static_cast<std::ptrdiff_t>(step),
                     [&](const Step& earlier) {
                       const auto* view = std::get_if<View>(&earlier.node);
                       return view && view->name == name;
                     });
}

}  // namespace

std::vector<Site> find_sites(const Program& program) {
  std::vector<Site> sites;
  lowering::Environment environment;
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    environment.step(program.body[i]);
    const auto* launch = std::get_if<Launch>(&program.body[i].node);
    if (!launch) continue;
    for (std::size_t output = 0; output < launch->outputs.size(); ++output)
      if (const Name& name = launch->outputs[output];
          used_after(program, i, name) || is_view(program, i, name))
        sites.push_back({i, output, environment.of(name)});
  }
  return sites;
}

Launch& launch_at(Program& program, std::size_t step) { return std::get<Launch>(program.body.at(step).node); }
const Launch& launch_at(const Program& program, std::size_t step) {
  return std::get<Launch>(program.body.at(step).node);
}

void retarget(Launch& launch, const Name& from, const Name& to) {
  for (Argument& argument : launch.arguments)
    if (argument.handle == from) argument.handle = to;
  for (Variant& variant : launch.variants) {
    for (Clause& clause : variant.clauses)
      if (clause.buffer == from) clause.buffer = to;
    for (Rebind& rebind : variant.rebinds)
      if (rebind.handle == from) rebind.handle = to;
  }
}

std::optional<std::size_t> allocation_of(const Program& program, const Site& site) {
  const Name& output = launch_at(program, site.step).outputs.at(site.output);
  for (std::size_t i = site.step; i-- > 0;) {
    const auto* alloc = std::get_if<Alloc>(&program.body[i].node);
    if (alloc && alloc->name == output) return alloc->init == Init::uninit ? std::optional(i) : std::nullopt;
    const auto* bind = std::get_if<Bind>(&program.body[i].node);
    const auto* view = std::get_if<View>(&program.body[i].node);
    if ((bind && bind->name == output) || (view && view->name == output)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Name> still_needed_twin(const Program& program, const Site& site) {
  const auto allocation = allocation_of(program, site);
  if (!allocation) return std::nullopt;
  lowering::Environment environment;
  std::vector<Name> written;
  for (std::size_t i = 0; i < *allocation; ++i) {
    environment.step(program.body[i]);
    if (const auto* launch = std::get_if<Launch>(&program.body[i].node))
      written.insert(written.end(), launch->outputs.begin(), launch->outputs.end());
    if (const auto* free = std::get_if<Free>(&program.body[i].node))
      for (const Name& name : free->names)
        written.erase(std::remove(written.begin(), written.end(), name), written.end());
  }
  for (const Name& name : written) {
    if (!same_tensor(environment.of(name), site.declared)) continue;
    for (std::size_t i = *allocation; i < program.body.size() && !frees(program.body[i], name); ++i)
      if (i > site.step && reads(program.body[i], name)) return name;
  }
  return std::nullopt;
}

}  // namespace bufferproof::mutation
