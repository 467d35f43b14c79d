#include "model/substitute.hpp"

namespace bufferproof::model {
namespace {

template <typename T>
std::vector<T> each(const std::vector<T>& items, const Substitution& by);

Name replace(const Name& name, const Substitution& by) {
  return name.has_holes() ? name.substitute(by) : name;
}
SymExpr replace(const SymExpr& expr, const Substitution& by) { return expr.substitute(by); }
IndexSet replace(const IndexSet& set, const Substitution& by) { return substitute(set, by); }
Layout replace(const Layout& layout, const Substitution& by) { return substitute(layout, by); }
Step replace(const Step& step, const Substitution& by) { return substitute(step, by); }

template <typename T>
std::optional<T> replace(const std::optional<T>& value, const Substitution& by) {
  return value ? std::optional<T>(replace(*value, by)) : std::nullopt;
}

From replace(const From& from, const Substitution& by) { return {from.kind, each(from.names, by)}; }

Clause replace(Clause c, const Substitution& by) {
  c.buffer = replace(c.buffer, by);
  c.set = replace(c.set, by);
  c.from = replace(c.from, by);
  c.as_layout = replace(c.as_layout, by);
  return c;
}

Rebind replace(Rebind r, const Substitution& by) {
  r.handle = replace(r.handle, by);
  r.result = replace(r.result, by);
  r.alias_of = replace(r.alias_of, by);
  return r;
}

Variant replace(Variant v, const Substitution& by) {
  v.clauses = each(v.clauses, by);
  v.rebinds = each(v.rebinds, by);
  return v;
}

Argument replace(const Argument& a, const Substitution& by) {
  return {replace(a.handle, by), replace(a.scalar, by)};
}

Return::Item replace(const Return::Item& item, const Substitution& by) {
  return {replace(item.name, by), replace(item.set, by), replace(item.from, by)};
}

template <typename T>
std::vector<T> each(const std::vector<T>& items, const Substitution& by) {
  std::vector<T> out;
  out.reserve(items.size());
  for (const T& item : items) out.push_back(replace(item, by));
  return out;
}

struct Replacer {
  const Substitution& by;

  void operator()(Alloc& s) const {
    s.name = replace(s.name, by);
    s.layout = replace(s.layout, by);
  }
  void operator()(View& s) const {
    s.name = replace(s.name, by);
    s.base = replace(s.base, by);
    s.layout = replace(s.layout, by);
  }
  void operator()(Bind& s) const {
    s.name = replace(s.name, by);
    s.source = replace(s.source, by);
  }
  void operator()(Point& s) const {
    s.handle = replace(s.handle, by);
    s.target = replace(s.target, by);
  }
  void operator()(Launch& s) const {
    s.kernel = replace(s.kernel, by);
    s.stream = replace(s.stream, by);
    s.arguments = each(s.arguments, by);
    s.outputs = each(s.outputs, by);
    s.variants = each(s.variants, by);
  }
  void operator()(Copy& s) const {
    s.stream = replace(s.stream, by);
    s.source = replace(s.source, by);
    s.source_set = replace(s.source_set, by);
    s.destination = replace(s.destination, by);
    s.destination_set = replace(s.destination_set, by);
  }
  void operator()(Free& s) const { s.names = each(s.names, by); }
  void operator()(Signal& s) const {
    s.event = replace(s.event, by);
    s.stream = replace(s.stream, by);
  }
  void operator()(Wait& s) const {
    s.event = replace(s.event, by);
    s.stream = replace(s.stream, by);
  }
  void operator()(HostSync& s) const { s.stream = replace(s.stream, by); }
  void operator()(Branch& s) const {
    s.condition = s.condition.substitute(by);
    s.then_block = each(s.then_block, by);
    s.else_block = each(s.else_block, by);
  }
  void operator()(Loop& s) const {
    s.count = replace(s.count, by);
    Substitution inner = by;
    inner.erase(s.variable);
    s.body = each(s.body, inner);
  }
  void operator()(Return& s) const {
    s.items = each(s.items, by);
    s.stream = replace(s.stream, by);
  }
  void operator()(AssertLayout& s) const {
    s.name = replace(s.name, by);
    s.layout = replace(s.layout, by);
  }
  void operator()(Unsupported& s) const { s.touched = each(s.touched, by); }
};

}  // namespace

Layout substitute(const Layout& layout, const Substitution& by) {
  return {each(layout.sizes, by), each(layout.strides, by), layout.offset.substitute(by)};
}

IndexSet substitute(const IndexSet& set, const Substitution& by) {
  IndexSet out = set;
  Substitution inner = by;
  for (BoundVariable& variable : out.variables) {
    variable.lo = variable.lo.substitute(inner);
    variable.hi = variable.hi.substitute(inner);
    inner.erase(variable.name);
  }
  out.index = each(out.index, inner);
  out.where = out.where.substitute(inner);
  return out;
}

Step substitute(const Step& step, const Substitution& by) {
  Step out = step;
  std::visit(Replacer{by}, out.node);
  return out;
}

}  // namespace bufferproof::model
