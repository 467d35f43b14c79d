#include "checker/walk.hpp"

#include "checker/cover.hpp"
#include "checker/walker.hpp"

namespace bufferproof::checker {
namespace {

void collect_streams(const Block& block, std::set<std::string>& into) {
  for (const Step& step : block) {
    if (const auto* result = std::get_if<Return>(&step.node); result && !result->after_everything)
      into.insert(result->stream.str());
    if (const auto* launch = std::get_if<Launch>(&step.node)) into.insert(launch->stream.str());
    if (const auto* copy = std::get_if<Copy>(&step.node)) into.insert(copy->stream.str());
    if (const auto* loop = std::get_if<Loop>(&step.node)) collect_streams(loop->body, into);
    if (const auto* branch = std::get_if<Branch>(&step.node)) {
      collect_streams(branch->then_block, into);
      collect_streams(branch->else_block, into);
    }
  }
}

}  // namespace

bool several_streams(const Block& body) {
  std::set<std::string> streams;
  collect_streams(body, streams);
  return streams.size() > 1 || (!streams.empty() && streams.begin()->find('{') != std::string::npos);
}

World Walker::run(const Block& body) {
  world_.several_streams = several_streams(body);
  walk(body);
  return std::move(world_);
}

// ---- walking
// ------------------------------------------------------------------------------------------------

Cond Walker::simplified(const Cond& condition) const {
  constexpr std::size_t kMostSymbols = 4;
  constexpr std::int64_t kMostValues = 256;
  if (condition.kind() == Cond::Kind::constant) return condition;
  std::set<std::string> symbols;
  condition.collect_symbols(symbols);
  if (symbols.size() > kMostSymbols) return condition;
  std::vector<Valuation> values{{}};
  for (const std::string& symbol : symbols) {
    const Interval range = world_.ranges.of(SymExpr::symbol(symbol));
    if (!range.lo || !range.hi || *range.hi - *range.lo >= kMostValues) return condition;
    std::vector<Valuation> next;
    for (const Valuation& so_far : values)
      for (std::int64_t value = *range.lo; value <= *range.hi; ++value) {
        next.push_back(so_far);
        next.back()[symbol] = value;
      }
    if (static_cast<std::int64_t>(next.size()) > kMostValues) return condition;
    values = std::move(next);
  }
  std::size_t holds = 0;
  for (const Valuation& one : values) holds += condition.evaluate(one).value_or(true) ? 1 : 0;
  return holds == 0 ? Cond(false) : holds == values.size() ? Cond(true) : condition;
}

void Walker::walk(std::span<const Step> block) {
  for (const Step& step : block) {
    step_ = &step;
    std::visit([&](const auto& node) { visit(node); }, step.node);
  }
}

void Walker::visit(const Branch& s) {
  const Cond outer = path_;
  const Cond condition = rename_loops(s.condition);
  path_ = outer && condition;
  if (!path_.is_false()) walk(s.then_block);
  path_ = outer && !condition;
  if (!path_.is_false()) walk(s.else_block);
  path_ = outer;
}

/// A summarised loop: its body is walked once, for an arbitrary iteration. Names it binds keep, afterwards,
/// what the last iteration gave them.
void Walker::visit(const Loop& s) {
  const std::string variable = fmt::format("{}#{}", s.variable, step_->id);
  const SymExpr count = rename_loops(s.count);
  const auto outer_name = loop_names_.find(s.variable);
  const std::optional<SymExpr> shadowed =
      outer_name == loop_names_.end() ? std::nullopt : std::optional(outer_name->second);
  loops_.push_back({step_->id, variable, count});
  loop_names_.insert_or_assign(s.variable, SymExpr::symbol(variable));
  world_.ranges.set(variable, {0, upper(count)});
  const Bindings before = bindings_;
  walk(s.body);
  after_loop(before, variable, count);
  loops_.pop_back();
  loop_names_.erase(s.variable);
  if (shadowed) loop_names_.insert_or_assign(s.variable, *shadowed);
}

std::optional<std::int64_t> Walker::upper(const SymExpr& count) const {
  const auto hi = world_.ranges.of(count).hi;
  return hi ? std::optional(std::max<std::int64_t>(*hi - 1, 0)) : std::nullopt;
}

void Walker::after_loop(const Bindings& before, const std::string& variable, const SymExpr& count) {
  const Cond ran = Cond::lt(0, count);
  const Substitution last{{variable, count - 1}};
  for (auto& [name, alternatives] : bindings_) {
    auto old = before.find(name);
    std::vector<Guarded<Binding>> merged;
    if (!ran.is_true() && old != before.end())
      for (const auto& one : old->second) merged.push_back({one.when && !ran, one.value});
    else if (!ran.is_true())
      merged.push_back({!ran, Binding{Binding::Kind::no_storage}});
    bool bound_inside = false;
    for (const auto& one : alternatives) {
      Guarded<Binding> copy{one.when.substitute(last) && ran, one.value};
      if (one.value.object >= 0 && mentions_variable(one.value.object, variable)) {
        copy.value.object = copy_object(one.value.object, last);
        bound_inside = true;
      }
      merged.push_back(std::move(copy));
    }
    if (bound_inside || old == before.end()) alternatives = std::move(merged);
  }
}

bool Walker::mentions_variable(int object, const std::string& variable) const {
  std::set<std::string> symbols;
  for (const auto& state : objects_[object].states) {
    state.when.collect_symbols(symbols);
    if (!state.value.layout) continue;
    state.value.layout->offset.collect_symbols(symbols);
    for (const SymExpr& e : state.value.layout->sizes) e.collect_symbols(symbols);
    for (const SymExpr& e : state.value.layout->strides) e.collect_symbols(symbols);
  }
  return symbols.contains(variable);
}

int Walker::copy_object(int object, const Substitution& by) {
  HandleObject copy = objects_[object];
  for (auto& state : copy.states) {
    state.when = state.when.substitute(by);
    if (state.value.layout) state.value.layout = substitute(*state.value.layout, by);
  }
  objects_.push_back(std::move(copy));
  return static_cast<int>(objects_.size()) - 1;
}

/// Sizes for which there is no element, and strides do not matter.
Cond Walker::is_empty(const Layout& layout) const {
  Cond out(false);
  for (const SymExpr& size : layout.sizes)
    if (!world_.ranges.surely_le(1, size)) out = out || Cond::eq(size, 0);
  return out;
}

/// C7: against what a fallback may have delivered, and against what the file itself says elsewhere.
void Walker::visit(const AssertLayout& s) {
  const Name asserting("assert_size_stride");
  for (const Use& use : uses(s.name, asserting)) {
    const Cond when = report_mismatch(use, {.declared = true}, shown(text(s.name)), asserting);
    const auto& layout = use.state.value.layout;
    const auto& held = objects_[static_cast<std::size_t>(use.binding.value.object)].dtype;
    if (!layout || use.state.value.mismatch != Mismatch::none) continue;
    const Layout asserted = in_units(rename_loops(s.layout), use.state.value.scale);
    const bool other_elements = s.dtype && held && *s.dtype != *held;
    const Cond sizes = same_sizes(asserted, *layout);
    const Cond same =
        sizes.is_false() ? sizes : sizes && (same_strides(asserted, *layout) || is_empty(*layout));
    const Cond differ = other_elements ? when : when && !same;
    if (differ.is_false()) continue;
    world_.misuses.push_back({FindingClass::mismatch, differ && (alive_ ? *alive_ : Cond(true)), place(0),
                              shown(text(s.name)), asserting, "C7",
                              "does not have the layout and element type that are asserted", step_->where,
                              objects_[use.binding.value.object].where});
  }
}

/// E8: whatever it names becomes unknown, and no proof passes over it.
void Walker::visit(const Unsupported& s) {
  give_up(Verdict::unsupported, s.what);
  for (const Name& name : s.touched)
    if (const auto found = bindings_.find(text(name)); found != bindings_.end())
      for (const auto& binding : found->second) make_unknown(binding);
}

/// A name that was given up, or has no storage, is not used by it: that it is named is all that is known.
void Walker::make_unknown(const Guarded<Binding>& binding) {
  if (binding.value.kind != Binding::Kind::handle) return;
  const Name identity(fmt::format("unsupported@{}", step_->id));
  const Cond when = path() && binding.when;
  for (const auto& state : objects_[binding.value.object].states)
    if (const Cond here = when && state.when; !here.is_false())
      add_event(Event::Kind::unknown, access_all(state.value, here, 0), identity, state.value.life);
  if (world_.dialect == Dialect::wrapper && !when.is_false())
    add_event(Event::Kind::unknown, access_all(binding.value.ideal, when, 0), identity, -1);
}

World walk(const Program& program, const Block& body, const Ranges& ranges) {
  return Walker(program, body, ranges).run(body);
}

}  // namespace bufferproof::checker
