#include "tests/differential/wrapper_parts.hpp"

#include <algorithm>

namespace bufferproof::differential {

using model::Clause;
using model::IndexSet;
using model::Layout;
using model::SymExpr;
using model::Variant;

namespace {

constexpr const char* kNames[] = {"write",        "partial", "compiled_dense", "rebind", "rebind_strides",
                                  "rebind_shape", "alias",   "shared",         "drop",   "raises"};

IndexSet all_but_first(const Layout& layout) {
  IndexSet set;
  for (std::size_t axis = 0; axis < layout.sizes.size(); ++axis) {
    const std::string variable = "x" + std::to_string(axis);
    set.variables.push_back({variable, axis == 0 ? 1 : 0, layout.sizes[axis]});
    set.index.push_back(SymExpr::symbol(variable));
  }
  return set;
}

Layout reversed(const Layout& layout) {
  Layout out{layout.sizes, layout.strides, 0};
  SymExpr stride = 1;
  for (std::size_t axis = 0; axis < out.sizes.size(); ++axis) {
    out.strides[axis] = stride;
    stride = stride * out.sizes[axis];
  }
  return out;
}

Layout smaller(const Layout& layout) {
  std::vector<SymExpr> sizes = layout.sizes;
  sizes[0] = sizes[0] - 1;
  return model::contiguous(std::move(sizes));
}

void deliver(Road kind, const std::vector<Tensor>& inputs, const Tensor& first, const Tensor& output,
             Variant& out) {
  Clause write = clause(Clause::Kind::write, output.name);
  model::Rebind rebind;
  rebind.handle = output.name;
  switch (kind) {
    case Road::write:
      break;
    case Road::partial:
      write.set = all_but_first(output.declared);
      break;
    case Road::compiled_dense:
      write.as_layout = model::contiguous(output.declared.sizes);
      break;
    case Road::rebind:
      break;
    case Road::rebind_strides:
      rebind.result = reversed(output.declared);
      break;
    case Road::rebind_shape:
      rebind.result = smaller(output.declared);
      break;
    case Road::alias:
      if (inputs.empty()) break;
      rebind.alias_of = inputs[0].name;
      rebind.carries = inputs[0].declared.sizes == output.declared.sizes &&
                       inputs[0].declared.strides == output.declared.strides;
      break;
    case Road::shared:
      // Of another rank, later index sets would not fit: no program that means anything.
      if (out.rebinds.empty() || first.declared.rank() != output.declared.rank()) break;
      rebind.same_as = 0;
      rebind.result = first.declared;
      rebind.result->offset = 0;
      break;
    case Road::drop:
      return;
    case Road::raises:
      out.raises = "on this road";
      return;
  }
  if (kind <= Road::compiled_dense) out.clauses.push_back(std::move(write));
  if (kind > Road::compiled_dense) out.rebinds.push_back(std::move(rebind));
}

}  // namespace

IndexSet whole() {
  IndexSet set;
  set.whole = true;
  return set;
}

Clause clause(Clause::Kind kind, const std::string& name) {
  Clause out;
  out.kind = kind;
  out.buffer = name;
  out.set = whole();
  return out;
}

Clause read_intended(const std::string& name, bool relies_on_declared) {
  Clause out = clause(Clause::Kind::read, name);
  out.from.kind = model::From::Kind::intended;
  out.relies_on_declared = relies_on_declared;
  return out;
}

Variant road(Road kind, const std::string& name, const std::vector<Tensor>& inputs,
             const std::vector<Tensor>& outputs, bool relies_on_declared) {
  Variant out;
  out.name = name + (name == "tuned" ? "" : std::string("_") + kNames[static_cast<int>(kind)]);
  out.fallback = name != "tuned";
  for (const Tensor& input : inputs) out.clauses.push_back(read_intended(input.name, relies_on_declared));
  for (const Tensor& output : outputs) deliver(kind, inputs, outputs[0], output, out);
  return out;
}

WrapperText::WrapperText(const std::string& file) : file_(std::make_shared<const std::string>(file)) {
  program_.dialect = model::Dialect::wrapper;
  program_.file = file;
}

void WrapperText::symbol(const std::string& name, std::int64_t lo, std::int64_t hi) {
  program_.symbols.push_back({name, lo, hi, lo, {file_, 0, 0}});
}

void WrapperText::alloc(const Tensor& tensor, model::Init init) {
  add(model::Alloc{tensor.name, model::DType::f32, tensor.declared, init});
}

namespace {

model::View view_of(const std::string& name, const std::string& base, const Layout& layout) {
  model::View view;
  view.name = name;
  view.base = base;
  view.layout = layout;
  return view;
}

}  // namespace

void WrapperText::view(const std::string& name, const std::string& base, const Layout& layout) {
  add(view_of(name, base, layout));
}

void WrapperText::slice(const std::string& name, const std::string& pool, const Layout& layout) {
  model::View view = view_of(name, pool, layout);
  view.pool_slice = true;
  add(std::move(view));
}

void WrapperText::bind(model::Bind::Kind kind, const std::string& name, const std::string& source) {
  add(model::Bind{kind, name, source});
}

void WrapperText::copy(const std::string& from, const std::string& to) {
  add(model::Copy{"s0", from, whole(), to, whole()});
}

void WrapperText::launch(const std::string& kernel, const std::string& stream,
                         const std::vector<Tensor>& outputs, std::vector<Variant> roads) {
  model::Launch out;
  out.kernel = out.choice = kernel;
  if (!kernel.empty()) out.choice = kernel;
  out.stream = stream;
  for (const Tensor& output : outputs) out.outputs.emplace_back(output.name);
  out.variants = std::move(roads);
  add(std::move(out));
}

void WrapperText::extern_call(const std::string& kernel, const std::string& stream,
                              std::vector<Clause> clauses) {
  model::Launch out;
  out.kernel = kernel;
  out.stream = stream;
  out.variants.emplace_back();
  out.variants.back().clauses = std::move(clauses);
  add(std::move(out));
}

void WrapperText::returns(const std::string& name) {
  model::Return out;
  model::From intended;
  intended.kind = model::From::Kind::intended;
  out.items.push_back({name, whole(), intended});
  out.after_everything = false;
  out.stream = "s0";
  add(std::move(out));
}

model::Program WrapperText::finish() {
  model::number_steps(program_);
  model::validate(program_);
  return std::move(program_);
}

}  // namespace bufferproof::differential
