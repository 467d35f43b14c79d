#include "model/program.hpp"

#include <algorithm>

namespace bufferproof::model {
namespace {

void number(Block& block, int& next) {
  for (Step& step : block) {
    step.id = next++;
    if (auto* branch = std::get_if<Branch>(&step.node)) {
      number(branch->then_block, next);
      number(branch->else_block, next);
    }
    if (auto* loop = std::get_if<Loop>(&step.node)) number(loop->body, next);
  }
}

void require(bool holds, const SourceLocation& where, const std::string& promise) {
  if (!holds) throw InputError(where, "program breaks a promise of its model: " + promise);
}

void check(const Layout& layout, const SourceLocation& where) {
  require(layout.sizes.size() == layout.strides.size(), where, "as many strides as sizes");
}

void check(const IndexSet& set, const SourceLocation& where) {
  require(!set.whole || (set.variables.empty() && set.index.empty()), where, "a whole set has no index");
}

void check(const Program& program, const Step& step);

struct Checker {
  const Program& program;
  const SourceLocation& where;

  void operator()(const Alloc& s) const {
    require(!s.name.empty(), where, "an allocation has a name");
    if (s.layout) check(*s.layout, where);
  }
  void operator()(const View& s) const {
    require(!s.name.empty() && !s.base.empty(), where, "a view has a name and a base");
    if (s.layout) check(*s.layout, where);
  }
  void operator()(const Launch& s) const {
    require(s.definition >= -1 && s.definition < static_cast<int>(program.kernels.size()), where,
            "a launch refers to a kernel of the program");
    for (const Variant& variant : s.variants)
      for (const Clause& clause : variant.clauses) check(clause.set, where);
  }
  void operator()(const Branch& s) const {
    for (const Step& inner : s.then_block) check(program, inner);
    for (const Step& inner : s.else_block) check(program, inner);
  }
  void operator()(const Loop& s) const {
    require(!s.variable.empty(), where, "a loop has a variable");
    for (const Step& inner : s.body) check(program, inner);
  }
  void operator()(const Copy& s) const {
    check(s.source_set, where);
    check(s.destination_set, where);
  }
  template <typename Other>
  void operator()(const Other&) const {}

  static void check(const Program& program, const Step& step) { model::check(program, step); }
  static void check(const Layout& layout, const SourceLocation& where) { model::check(layout, where); }
  static void check(const IndexSet& set, const SourceLocation& where) { model::check(set, where); }
};

void check(const Program& program, const Step& step) { std::visit(Checker{program, step.where}, step.node); }

}  // namespace

const Symbol* Program::find_symbol(std::string_view name) const {
  auto found = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) { return s.name == name; });
  return found == symbols.end() ? nullptr : &*found;
}

const KernelDef* Program::find_kernel(std::string_view name) const {
  auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const KernelDef& k) { return k.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

int number_steps(Block& block) {
  int next = 0;
  number(block, next);
  return next;
}

int number_steps(Program& program) { return number_steps(program.body); }

void validate(const Program& program) {
  for (const Symbol& symbol : program.symbols)
    require(!symbol.hi || *symbol.hi >= symbol.lo, symbol.where,
            "the range of " + symbol.name + " is not empty");
  for (const Step& step : program.body) check(program, step);
}

const Rebind* view_handed_over(const Launch& launch, const Variant& road, const Name& output) {
  const auto is_output = [&](const Name& name) {
    return std::find(launch.outputs.begin(), launch.outputs.end(), name) != launch.outputs.end();
  };
  const auto found = std::find_if(road.rebinds.begin(), road.rebinds.end(),
                                  [&](const Rebind& rebind) { return rebind.handle == output; });
  if (found == road.rebinds.end() || found->alias_of.empty() || !found->carries) return nullptr;
  return is_output(found->alias_of) ? nullptr : &*found;
}

}  // namespace bufferproof::model
