#include "model/read/wrapper/program_builder.hpp"

#include <algorithm>

namespace bufferproof::model::wrapper {

Clause whole(Clause::Kind kind, const std::string& handle) {
  Clause clause;
  clause.kind = kind;
  clause.buffer = handle;
  clause.set.whole = true;
  if (kind == Clause::Kind::read) clause.from.kind = From::Kind::intended;
  return clause;
}

ProgramBuilder::ProgramBuilder(Program& program, const python::Module& module)
    : program_(program), module_(module), out_(&program.body) {}

std::string ProgramBuilder::fresh(const std::string& wanted) {
  const int use = ++uses_[wanted];
  if (use == 1) return wanted;
  return fresh(wanted + "#" + std::to_string(use));
}

SymExpr ProgramBuilder::symbol(std::string_view name) {
  if (symbols_.find(name) == symbols_.end()) {
    Symbol symbol;
    symbol.name = name;
    symbol.lo = name.substr(0, 1) == "s" ? 2 : 0;
    symbol.where = where_;
    symbols_.emplace(symbol.name, program_.symbols.size());
    uses_.emplace(symbol.name, 1);
    program_.symbols.push_back(std::move(symbol));
  }
  return SymExpr::symbol(std::string(name));
}

SymExpr ProgramBuilder::fresh_symbol(const std::string& wanted, std::int64_t lo,
                                     std::optional<std::int64_t> hi) {
  const std::string name = fresh(wanted);
  const SymExpr made = symbol(name);
  find_symbol(name)->lo = lo;
  find_symbol(name)->hi = hi;
  return made;
}

Symbol* ProgramBuilder::find_symbol(std::string_view name) {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : &program_.symbols[found->second];
}

void ProgramBuilder::assume(const std::string& text) {
  if (assumptions_.insert(text).second) program_.assumptions.push_back(text);
}

void ProgramBuilder::risk(const std::string& label, const std::string& message) {
  program_.risks.push_back({label, message, where_});
}

HandleInfo& ProgramBuilder::info(const std::string& handle) { return handles_[handle]; }

const HandleInfo* ProgramBuilder::find(const std::string& handle) const {
  const auto found = handles_.find(handle);
  return found == handles_.end() ? nullptr : &found->second;
}

std::string ProgramBuilder::storage_of(const std::string& handle) const {
  const HandleInfo* known = find(handle);
  return known && !known->storage.empty() ? known->storage : handle;
}

void ProgramBuilder::learn_dtype(const std::string& handle, DType dtype) {
  HandleInfo& known = handles_[handle];
  if (known.dtype) return;
  const auto input = inputs_.find(storage_of(handle));
  if (input == inputs_.end()) return;
  known.dtype = dtype;
  if (input->first == handle) std::get<Alloc>(prologue_[input->second].node).dtype = dtype;
}

void ProgramBuilder::note_written(const std::string& handle, bool constant) {
  const std::string storage = storage_of(handle);
  const bool first = written_.insert(storage).second;
  if (!constant)
    constants_.erase(storage);
  else if (first)
    constants_.insert(storage);
}

bool ProgramBuilder::is_input(const std::string& handle) const {
  return inputs_.count(storage_of(handle)) > 0;
}

namespace {

constexpr std::int64_t kWidestElement = 16;  ///< bytes, of a complex128

/// Where a statement's sizes and strides leave 64 bits is told at the statement: bytes of the window, and one
/// bit to spare for sums.
void measure(const Layout& layout) {
  (layout.elements() + layout.extent() + layout.offset) * kWidestElement * 2;
}

}  // namespace

void ProgramBuilder::step(decltype(Step::node) node) {
  if (++steps_ > kMostSteps)
    throw InputError(where_, "a program of at most 500,000 steps", "more",
                     "its functions or loops are nested so that their statements multiply");
  if (const auto* alloc = std::get_if<Alloc>(&node); alloc && alloc->layout) measure(*alloc->layout);
  if (const auto* view = std::get_if<View>(&node); view && view->layout) measure(*view->layout);
  if (const auto* asserted = std::get_if<AssertLayout>(&node)) measure(asserted->layout);
  Step step;
  step.where = where_;
  step.node = std::move(node);
  out_->push_back(std::move(step));
}

std::string ProgramBuilder::alloc(const std::string& wanted, std::optional<Layout> layout,
                                  std::optional<DType> dtype, Init init) {
  const std::string name = fresh(wanted);
  handles_[name] = {layout, dtype, name};
  step(Alloc{name, dtype, std::move(layout), init});
  return name;
}

std::string ProgramBuilder::input(const std::string& wanted, std::optional<Layout> layout,
                                  std::optional<DType> dtype) {
  std::string name;
  const std::size_t place = prologue_.size();
  into(prologue_, [&] { name = alloc(wanted, std::move(layout), dtype, Init::input); });
  inputs_.emplace(name, place);
  written_.insert(name);
  return name;
}

std::string ProgramBuilder::callers_view(const std::string& input) {
  const std::string name = fresh(input + " (caller)");
  handles_[name] = handles_[input];
  View node;
  node.name = name;
  node.base = input;
  into(prologue_, [&] { step(std::move(node)); });
  return name;
}

std::string ProgramBuilder::view(const std::string& wanted, const std::string& base,
                                 std::optional<Layout> layout, std::optional<DType> dtype,
                                 bool absolute_offset) {
  const std::string name = fresh(wanted);
  const HandleInfo from = find(base) ? *find(base) : HandleInfo{};
  HandleInfo known{layout, dtype ? dtype : from.dtype, storage_of(base)};
  const bool same_size = !dtype || dtype == from.dtype;
  if (known.layout && from.layout && !absolute_offset && same_size)
    known.layout->offset = known.layout->offset + from.layout->offset;
  handles_[name] = std::move(known);
  View node;
  node.name = name;
  node.base = base;
  node.unknown_layout = !layout;
  node.layout = std::move(layout);
  node.dtype = dtype;
  node.absolute_offset = absolute_offset;
  step(std::move(node));
  return name;
}

std::string ProgramBuilder::pool_slice(const std::string& wanted, const std::string& pool,
                                       const Layout& layout, DType dtype) {
  const std::string name = view(wanted, pool, layout, dtype);
  handles_[name].storage = name;
  handles_[name].pool_slice = true;
  std::get<View>(out_->back().node).pool_slice = true;
  return name;
}

std::string ProgramBuilder::bind(const std::string& wanted, const std::string& source, Bind::Kind kind) {
  const std::string name = fresh(wanted);
  if (const HandleInfo* known = find(source)) {
    HandleInfo copy = *known;
    handles_[name] = std::move(copy);
  }
  step(Bind{kind, name, source});
  return name;
}

void ProgramBuilder::free(std::vector<std::string> names) {
  if (names.empty()) return;
  Free node;
  for (std::string& name : names) node.names.emplace_back(std::move(name));
  step(std::move(node));
}

void ProgramBuilder::launch(const std::string& kernel, std::vector<Clause> clauses, std::vector<Name> outputs,
                            const Name& stream, std::shared_ptr<const LibraryCall> call) {
  Launch node;
  node.kernel = kernel;
  node.call = std::move(call);
  node.stream = stream;
  node.outputs = std::move(outputs);
  node.variants.emplace_back();
  node.variants[0].clauses = std::move(clauses);
  for (const Clause& clause : node.variants[0].clauses)
    if (clause.kind != Clause::Kind::read) note_written(clause.buffer.str());
  step(std::move(node));
}

void ProgramBuilder::unsupported(const std::string& what, const std::set<std::string>& touched) {
  Unsupported node;
  node.what = what;
  node.touched.assign(touched.begin(), touched.end());
  step(std::move(node));
}

void ProgramBuilder::into(Block& block, const std::function<void()>& fill) {
  struct Restore {
    ProgramBuilder& builder;
    Block* before;
    ~Restore() { builder.out_ = before; }
  } const restore{*this, out_};
  out_ = &block;
  fill();
}

void ProgramBuilder::trial(const std::function<void()>& trial) {
  struct Restore {
    ProgramBuilder& builder;
    const ProgramBuilder before;
    const std::size_t symbols, assumptions, risks;
    ~Restore() { builder.forget(before, symbols, assumptions, risks); }
  } const restore{*this, *this, program_.symbols.size(), program_.assumptions.size(), program_.risks.size()};
  Block scratch;
  into(scratch, trial);
}

void ProgramBuilder::forget(const ProgramBuilder& before, std::size_t symbols, std::size_t assumptions,
                            std::size_t risks) {
  steps_ += handles_.size();  // a trial costs what it copies
  program_.symbols.resize(symbols);
  program_.assumptions.resize(assumptions);
  program_.risks.resize(risks);
  prologue_ = before.prologue_;
  uses_ = before.uses_;
  handles_ = before.handles_;
  inputs_ = before.inputs_;
  written_ = before.written_;
  constants_ = before.constants_;
  symbols_ = before.symbols_;
  assumptions_ = before.assumptions_;
  where_ = before.where_;
}

void ProgramBuilder::finish() {
  program_.body.insert(program_.body.begin(), std::make_move_iterator(prologue_.begin()),
                       std::make_move_iterator(prologue_.end()));
  prologue_.clear();
  number_steps(program_);
  validate(program_);
}

}  // namespace bufferproof::model::wrapper
