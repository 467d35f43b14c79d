#include "checker/mentions.hpp"

namespace bufferproof::checker {
namespace {

using namespace model;

struct Mentions {
  std::set<std::string>& into;

  void add(const SymExpr& expr) const { expr.collect_symbols(into); }
  void add(const Name& name) const {
    for (const SymExpr& hole : name.holes()) add(hole);
  }
  void add(const Layout& layout) const {
    for (const SymExpr& size : layout.sizes) add(size);
    for (const SymExpr& stride : layout.strides) add(stride);
    add(layout.offset);
  }
  template <typename T>
  void add(const std::optional<T>& value) const {
    if (value) add(*value);
  }
  void add(const IndexSet& set) const {
    std::set<std::string> found;
    for (const BoundVariable& variable : set.variables) {
      variable.lo.collect_symbols(found);
      variable.hi.collect_symbols(found);
    }
    for (const SymExpr& index : set.index) index.collect_symbols(found);
    set.where.collect_symbols(found);
    for (const BoundVariable& variable : set.variables) found.erase(variable.name);
    into.merge(found);
  }
  void add(const Variant& variant) const {
    for (const Clause& clause : variant.clauses) {
      add(clause.buffer);
      add(clause.set);
      add(clause.as_layout);
      for (const Name& name : clause.from.names) add(name);
    }
    for (const Rebind& rebind : variant.rebinds) {
      add(rebind.handle);
      add(rebind.result);
      add(rebind.alias_of);
    }
  }

  void operator()(const Alloc& s) const { add(s.name), add(s.layout); }
  void operator()(const View& s) const { add(s.name), add(s.base), add(s.layout); }
  void operator()(const Bind& s) const { add(s.name), add(s.source); }
  void operator()(const Point& s) const { add(s.handle), add(s.target); }
  void operator()(const Launch& s) const {
    add(s.kernel), add(s.stream);
    for (const Argument& argument : s.arguments) add(argument.handle), add(argument.scalar);
    for (const Name& output : s.outputs) add(output);
    for (const Variant& variant : s.variants) add(variant);
  }
  void operator()(const Copy& s) const {
    add(s.stream), add(s.source), add(s.destination);
    add(s.source_set), add(s.destination_set);
  }
  void operator()(const Free& s) const {
    for (const Name& name : s.names) add(name);
  }
  void operator()(const Signal& s) const { add(s.event), add(s.stream); }
  void operator()(const Wait& s) const { add(s.event), add(s.stream); }
  void operator()(const HostSync& s) const { add(s.stream); }
  void operator()(const Branch& s) const {
    s.condition.collect_symbols(into);
    into.merge(symbols_of(s.then_block));
    into.merge(symbols_of(s.else_block));
  }
  void operator()(const Loop& s) const {
    add(s.count);
    std::set<std::string> inside = symbols_of(s.body);
    inside.erase(s.variable);
    into.merge(inside);
  }
  void operator()(const Return& s) const {
    add(s.stream);
    for (const Return::Item& item : s.items) add(item.name), add(item.set);
  }
  void operator()(const AssertLayout& s) const { add(s.name), add(s.layout); }
  void operator()(const Unsupported& s) const {
    for (const Name& name : s.touched) add(name);
  }
};

}  // namespace

std::set<std::string> symbols_of(std::span<const Step> steps) {
  std::set<std::string> out;
  for (const Step& step : steps) std::visit(Mentions{out}, step.node);
  return out;
}

}  // namespace bufferproof::checker
