#include "model/lowering/mlir_roads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/lowering/dense_layout.hpp"

namespace bufferproof::model::lowering {
namespace {

const std::string kCompiledWellBehaved =
    "the compiled kernel stores every element of its declared outputs (its text is not readable)";
constexpr const char* kFallbackWellBehaved =
    "the FX fallback returns one fresh contiguous tensor per declared output, of its size and dtype";
constexpr const char* kFallbackAsCompiled = "the FX fallback computes what the compiled text says";
constexpr const char* kMovedIntoOwnMemory =
    "the FX fallback puts elements that are only moved into memory of their own, row-major";
constexpr const char* kStridesAgree =
    "the FX fallback's results are row-major where symbolic sizes leave it open";
constexpr const char* kSizesAgree = "the sizes a kernel's body computes are those the wrapper declares";

/// Integers of MLIR have no sign: i8 is what torch calls int8 and uint8.
bool same_in_mlir(DType a, DType b) {
  const auto is_byte = [](DType dtype) { return dtype == DType::i8 || dtype == DType::u8; };
  return a == b || (is_byte(a) && is_byte(b));
}

std::string graph_note(const KernelDef& kernel) {
  if (kernel.docstring.empty()) return " (its graph is not in the file)";
  return " (its graph is not understood" +
         (kernel.body_unsupported.empty() ? "" : ": " + kernel.body_unsupported) + ")";
}

std::size_t input_count(const LaunchContext& context) {
  return context.launch.arguments.size() - static_cast<std::size_t>(context.kernel.num_outputs.value_or(0));
}

/// E7: does the runtime hand a contiguous temporary to the kernel instead of this output?
bool uses_temporary(const LaunchContext& context, const Name& output) {
  const bool skipped =
      context.profile.temporary_needs_call_functions && context.kernel.num_call_functions == 0;
  return context.profile.noncontiguous_outputs_by_temporary && !skipped &&
         !context.environment.contiguous(output);
}

/// Inputs with gaps or another order become contiguous copies before anything runs, the fallback included.
bool copies_inputs(const LaunchContext& context) {
  return context.profile.noncontiguous_inputs_by_copy && context.kernel.num_call_functions != 0;
}

const std::vector<ElementBox> kNoBoxes;

/// C4. What the body moves, a view of other strides may move back to where it is stored.
Within load_order(const LaunchContext& context, const std::optional<BodyFacts>& facts, std::size_t input) {
  if (!facts || input >= facts->within.size()) return Within::in_place;  // E9: well behaved
  const auto row_major = [&](const Name& name) { return context.environment.contiguous(name); };
  const bool plain = row_major(context.launch.arguments[input].handle) &&
                     std::all_of(context.outputs.begin(), context.outputs.end(), row_major);
  return facts->moved[input] && !plain ? Within::unclear : facts->within[input];
}

/// Of an argument that has other sizes than the kernel was compiled for, what the kernel loads: fewer
/// elements
/// (`read` is restricted to them), or one behind the last, which is returned (C5).
std::optional<Clause> by_own_sizes(const LaunchContext& context, const OwnSizes& own, Clause& read) {
  const auto& layout = context.environment.of(read.buffer).layout;
  if (!layout) return std::nullopt;
  const std::int64_t extent = (layout->extent() - layout->offset).constant().value_or(-1);
  const auto dense = DenseLayout::of(*layout);
  if (dense && own.elements < extent) read.set = dense->between(0, own.elements);
  if (extent < 0 || own.reaches <= extent) return std::nullopt;
  return outside_at(Clause::Kind::read, read.buffer, *layout, own.reaches - 1);
}

/// `compiled`: by a kernel that stores as it loads, through base pointers.
void add_reads(const LaunchContext& context, const std::optional<BodyFacts>& facts, bool compiled,
               Variant& road) {
  const bool relies = compiled && !copies_inputs(context);
  for (std::size_t i = 0; i < input_count(context); ++i) {
    const Name& handle = context.launch.arguments[i].handle;
    if (handle.empty()) continue;
    Clause read = intended_read(handle, relies);
    const auto& declared = context.environment.of(handle).dtype;
    if (compiled && facts && i < facts->elements.size() && facts->elements[i] &&
        !(declared && same_in_mlir(*facts->elements[i], *declared)))
      read.compiled_for = facts->elements[i];  // C7
    if (compiled && !(copies_inputs(context) && !context.environment.contiguous(handle)))
      read.within = load_order(context, facts, i);
    const bool row_major = context.environment.contiguous(handle);
    if (compiled && facts && i < facts->own_sizes.size() && facts->own_sizes[i] && row_major)
      if (const auto outside = by_own_sizes(context, *facts->own_sizes[i], read))
        road.clauses.push_back(*outside);
    if (!facts || i >= facts->reads.size() || !facts->reads[i]) {
      road.clauses.push_back(read);
      continue;
    }
    for (const ElementBox& box : *facts->reads[i]) {
      read.set = box_set(box);
      road.clauses.push_back(read);
    }
    read.may = true;
    for (const ElementBox& box : i < facts->may_reads.size() ? facts->may_reads[i] : kNoBoxes) {
      read.set = box_set(box);
      road.clauses.push_back(read);
    }
  }
}

/// E4: in-place calls of the traced graph store into an input's own memory, or into the copy made of it,
/// whatever is handed over afterwards.
void add_overwrites(const LaunchContext& context, const std::optional<BodyFacts>& facts, Variant& road) {
  for (std::size_t i = 0; facts && i < facts->overwritten.size() && i < input_count(context); ++i) {
    const Name& handle = context.launch.arguments[i].handle;
    if (facts->overwritten[i] == Overwritten::none || handle.empty()) continue;
    if (copies_inputs(context) && !context.environment.contiguous(handle)) continue;
    const bool all = facts->overwritten[i] == Overwritten::whole;
    road.clauses.push_back(whole(all ? Clause::Kind::write : Clause::Kind::unknown, handle));
  }
}

/// Are these the sizes the wrapper declares? Where symbols leave it open, differing sizes are followed as
/// they are, and others are taken to agree, which is listed.
std::optional<bool> as_declared(const LaunchContext& context, const std::vector<SymExpr>& sizes,
                                const std::vector<SymExpr>& declared) {
  const auto same = same_sizes(sizes, declared);
  if (same) return same;
  if (differ_somewhere(sizes, declared)) return false;
  context.assumptions.add(kSizesAgree, context.kernel.name);
  return std::nullopt;
}

/// How many outputs a road hands over: pairing stops at the shorter list (E6).
std::size_t paired(const std::vector<Name>& outputs, const std::optional<BodyFacts>& facts) {
  return facts ? std::min(outputs.size(), facts->results.size()) : outputs.size();
}

class CompiledRoad {
 public:
  CompiledRoad(const LaunchContext& context, const std::optional<BodyFacts>& facts)
      : context_(context), facts_(facts) {}

  Variant build() {
    road_.name = "tuned";
    road_.tunes = context_.profile.tuning_on_real_outputs;  // E10
    if (!facts_) assume_well_behaved();
    if (facts_ && facts_->open_sizes) context_.assumptions.add(kSizesAgree, context_.kernel.name);
    add_reads(context_, facts_, true, road_);
    const std::vector<Name>& outputs = context_.outputs;
    for (std::size_t i = 0; i < paired(outputs, facts_); ++i)
      write(outputs[i], facts_ ? &facts_->results[i] : nullptr);
    return road_;
  }

 private:
  void write(const Name& output, const ResultFacts* result) {
    const bool temporary = uses_temporary(context_, output);
    if (temporary && context_.kernel.dynamic && context_.profile.dynamic_copy_back_raises)  // E11
      road_.raises = fmt::format(
          "copying back the non-contiguous output {} of a dynamic kernel raises TypeError", output.str());
    Clause clause = whole(Clause::Kind::write, output);
    if (!temporary) clause.within = Within::unordered;
    if (!result || !context_.environment.of(output).layout) {
      if (!temporary) place(output, clause);
    } else {
      write_result(output, *result, temporary, clause);
    }
    road_.clauses.push_back(clause);
    for (const ElementBox& box : std::exchange(unfollowed_, {})) {  // defined or not: nobody knows
      Clause unknown = whole(Clause::Kind::unknown, output);
      unknown.set = box_set(box);
      road_.clauses.push_back(unknown);
    }
    if (std::exchange(other_elements_, false)) road_.clauses.push_back(whole(Clause::Kind::unknown, output));
  }
  /// E9
  void assume_well_behaved() const {
    const KernelDef& kernel = context_.kernel;
    const std::string why =
        kernel.body_unsupported.empty() ? "" : "; not understood: " + kernel.body_unsupported;
    context_.assumptions.add(kCompiledWellBehaved + why, kernel.name);
  }
  /// E2: a bare pointer and the compiled row-major layout, whatever the handle's strides are.
  void place(const Name& output, Clause& clause) const {
    if (context_.profile.rules(context_.kernel.kind) && !context_.environment.contiguous(output))
      clause.as_layout = contiguous(context_.environment.of(output).layout->sizes);
  }
  void write_result(const Name& output, const ResultFacts& result, bool temporary, Clause& clause) {
    const Declared& declared = context_.environment.of(output);
    const auto same = as_declared(context_, result.sizes, declared.layout->sizes);
    if (same == false) {  // B2: the store starts at the base and has the result's own shape
      if (temporary)
        clause.kind = Clause::Kind::unknown;  // the temporary's rest is copied back undefined
      else
        clause.as_layout = contiguous(result.sizes);
    } else if (!temporary) {
      place(output, clause);
    }
    if (same != false) unfollowed_ = result.unfollowed;
    if (!result.undefined.empty() && clause.kind == Clause::Kind::write)  // C8
      clause.set =
          all_but(clause.as_layout ? clause.as_layout->sizes : declared.layout->sizes, result.undefined);
    if (declared.dtype && !same_in_mlir(*declared.dtype, result.dtype)) {
      // C7: the memory holds another element type afterwards, here and as seen through other handles.
      other_elements_ = true;
      road_.rebinds.push_back({.handle = output, .dtype = result.dtype});
    }
  }

  const LaunchContext& context_;
  const std::optional<BodyFacts>& facts_;
  std::vector<ElementBox> unfollowed_;
  bool other_elements_ = false;
  Variant road_;
};

class FallbackRoad {
 public:
  FallbackRoad(const LaunchContext& context, const KernelRules& rules, const std::optional<BodyFacts>& facts)
      : context_(context), rules_(rules), facts_(facts), outputs_(context.outputs) {}

  Variant build() {
    road_.name = "fallback";
    road_.fallback = true;
    add_reads(context_, facts_, false, road_);
    add_overwrites(context_, facts_, road_);
    rebind_of_.assign(outputs_.size(), -1);
    for (std::size_t i = 0; i < paired(outputs_, facts_) && road_.raises.empty(); ++i) deliver(i);
    return road_;
  }

 private:
  const ResultFacts* result(std::size_t i) const { return facts_ ? &facts_->results[i] : nullptr; }
  const Declared& declared(std::size_t i) const { return context_.environment.of(outputs_[i]); }
  bool other_dtype(std::size_t i) const {
    return result(i) && declared(i).dtype && !same_in_mlir(*declared(i).dtype, result(i)->dtype);
  }

  void deliver(std::size_t i) {
    Delivery delivery = rules_.fallback;
    if (other_dtype(i)) delivery = rules_.fallback_on_dtype_mismatch.value_or(delivery);
    if (delivery == Delivery::drop) return;  // E5
    if (delivery == Delivery::kernel_write || delivery == Delivery::copy ||
        uses_temporary(context_, outputs_[i]))
      return copy(i);
    // B5, C8: the fresh memory would hold undefined elements. A Rebind is whole, so none of it is handed over
    // here.
    if (result(i) && !result(i)->undefined.empty()) return;
    rebind(i, delivery);
  }

  /// E3, and the copy back of E7.
  void copy(std::size_t i) {
    if (result(i) && declared(i).layout) {
      const auto fits = broadcasts_to(result(i)->sizes, declared(i).layout->sizes);
      if (!fits) context_.assumptions.add(kSizesAgree, context_.kernel.name);
      if (fits == false) {
        road_.raises =
            fmt::format("result {} of the fallback does not fit the shape of {}", i, outputs_[i].str());
        return;
      }
    }
    Clause clause = whole(Clause::Kind::write, outputs_[i]);
    if (result(i) && !result(i)->undefined.empty() && declared(i).layout)  // C8
      clause.set = all_but(declared(i).layout->sizes, result(i)->undefined);
    clause.within = Within::unordered;  // one output's copy would undo another's
    road_.clauses.push_back(clause);
  }

  /// E4.
  void rebind(std::size_t i, Delivery delivery) {
    Rebind move{.handle = outputs_[i]};
    if (delivery == Delivery::rebind_set && other_dtype(i)) {
      road_.raises = fmt::format("set_ of a result of another dtype to {}", outputs_[i].str());
      return;
    }
    if (other_dtype(i)) move.dtype = result(i)->dtype;
    const auto layout = delivered_layout(i, delivery);
    if (layout && !(declared(i).layout && agrees(*layout, *declared(i).layout))) move.result = layout;
    if (result(i)) share(i, delivery, move);
    rebind_of_[i] = static_cast<int>(road_.rebinds.size());
    road_.rebinds.push_back(move);
  }

  /// Sizes that symbols leave open are taken to agree, and the assumption is listed.
  bool agrees(const Layout& delivered, const Layout& wanted) const {
    if (as_declared(context_, delivered.sizes, wanted.sizes) == false) return false;
    if (delivered.is_contiguous() && wanted.is_contiguous()) return true;
    for (std::size_t i = 0; i < wanted.sizes.size(); ++i)
      if (wanted.sizes[i] != SymExpr(1) && delivered.strides[i] != wanted.strides[i]) return false;
    return true;
  }

  std::optional<Layout> delivered_layout(std::size_t i, Delivery delivery) const {
    if (!result(i)) {
      if (!declared(i).layout) return std::nullopt;
      return contiguous(declared(i).layout->sizes);
    }
    Layout layout = contiguous(result(i)->sizes);
    const bool keeps = delivery == Delivery::rebind_data && context_.profile.fallback_keeps_result_strides;
    if (keeps && !result(i)->strides_known) context_.assumptions.add(kStridesAgree, context_.kernel.name);
    if (keeps && result(i)->eager_strides.size() == layout.sizes.size())
      layout.strides = result(i)->eager_strides;  // B1s
    return layout;
  }

  /// One tensor returned twice.
  void share_earlier(const ResultFacts& facts, Rebind& move) const {
    if (facts.same_as >= 0) move.same_as = rebind_of_[static_cast<std::size_t>(facts.same_as)];
  }

  void share(std::size_t i, Delivery delivery, Rebind& move) const {
    const ResultFacts& facts = *result(i);
    const Layout own{facts.sizes, facts.eager_strides, facts.view_offset};
    if (delivery == Delivery::rebind_set && !own.is_contiguous()) return;  // contiguous() made a copy
    if (facts.view_of < 0) return share_earlier(facts, move);
    const Name& input = context_.launch.arguments[static_cast<std::size_t>(facts.view_of)].handle;
    const bool of_a_copy = !context_.environment.contiguous(input) && copies_inputs(context_);
    if (of_a_copy) return share_earlier(facts, move);
    move.alias_of = input;
    move.result = own;
    move.carries = !move.dtype && can_be_carried(own, declared(i).layout);
  }
  /// As a copy of elements that both engines follow.
  static bool can_be_carried(const Layout& view, const std::optional<Layout>& declared) {
    const auto is_number = [](const SymExpr& e) { return e.is_constant(); };
    if (!declared || view.sizes != declared->sizes) return false;
    return view.strides == declared->strides ||
           (std::all_of(view.sizes.begin(), view.sizes.end(), is_number) &&
            std::all_of(view.strides.begin(), view.strides.end(), is_number) &&
            std::all_of(declared->strides.begin(), declared->strides.end(), is_number));
  }

  const LaunchContext& context_;
  const KernelRules& rules_;
  const std::optional<BodyFacts>& facts_;
  const std::vector<Name>& outputs_;
  std::vector<int> rebind_of_;  ///< per output its Rebind, -1: none
  Variant road_;
};

}  // namespace

std::vector<Name> mlir_outputs(const KernelDef& kernel, const Launch& launch) {
  const auto& arguments = launch.arguments;
  const std::int64_t wanted = kernel.num_outputs.value_or(0);
  if (wanted < 0 || wanted > static_cast<std::int64_t>(arguments.size())) return {};
  std::vector<Name> outputs;
  for (auto argument = arguments.end() - wanted; argument != arguments.end(); ++argument) {
    if (argument->handle.empty()) return {};
    outputs.push_back(argument->handle);
  }
  return outputs;
}

namespace {

/// What a compiled text does not say of eager execution: what the compiler left undefined, and whether
/// elements that are only moved (permute, then clone or not) make a view or a tensor of their own.
void as_eager(const LaunchContext& context, ResultFacts& result) {
  result.undefined.clear();
  if (result.view_of < 0) return;
  context.assumptions.add(kMovedIntoOwnMemory + graph_note(context.kernel), context.kernel.name);
  result.view_of = -1;
  result.strides_known = true;
  result.eager_strides = contiguous(result.sizes).strides;
}

/// Whether the graph was traced, or the text compiled, for arguments like these: what eager execution does to
/// others is not known (E8).
bool takes_these(const LaunchContext& context, const std::optional<BodyFacts>& facts) {
  if (!facts || !facts->differences.empty()) return false;
  for (std::size_t i = 0; i < facts->elements.size(); ++i) {
    const auto declared = context.environment.of(context.launch.arguments[i].handle).dtype;
    if (facts->elements[i] && declared && !same_in_mlir(*facts->elements[i], *declared)) return false;
  }
  return true;
}

}  // namespace

std::vector<Variant> mlir_roads(const LaunchContext& context, const std::optional<BodyFacts>& tuned,
                                const std::optional<BodyFacts>& fallback) {
  const auto wanted = context.kernel.num_outputs;
  if (!wanted || static_cast<std::int64_t>(context.outputs.size()) != *wanted)
    return {unknown_road(context.launch)};  // E8

  if (context.kernel.body && !tuned) return {unknown_road(context.launch)};  // other arguments than it takes
  const KernelRules* rules = context.profile.rules(context.kernel.kind);
  std::vector<Variant> roads;
  if (!rules || rules->has_tuned) roads.push_back(CompiledRoad(context, tuned).build());
  // num_outputs == 0 disables the fallback of a compiled kernel.
  if (rules && rules->has_fallback && (*wanted > 0 || !rules->has_tuned)) {
    std::optional<BodyFacts> facts = fallback ? fallback : tuned;
    if ((context.kernel.fx_body || facts) && !takes_these(context, facts)) {
      roads.push_back(unknown_road(context.launch));
      roads.back().name = "fallback";
      roads.back().fallback = true;
      return roads;
    }
    if (!fallback && facts)
      for (ResultFacts& result : facts->results) as_eager(context, result);
    if (!facts)
      context.assumptions.add(kFallbackWellBehaved + graph_note(context.kernel), context.kernel.name);
    else if (!fallback)
      context.assumptions.add(kFallbackAsCompiled + graph_note(context.kernel), context.kernel.name);
    roads.push_back(FallbackRoad(context, *rules, facts).build());
    for (const auto& [name, delivery] : rules->more_roads) {
      KernelRules other = *rules;
      other.fallback = delivery;
      roads.push_back(FallbackRoad(context, other, facts).build());
      roads.back().name = name;
    }
  }
  return roads;
}

}  // namespace bufferproof::model::lowering
