#include "model/lowering/source_roads.hpp"

#include <algorithm>
#include <map>

#include "model/lowering/dense_layout.hpp"
#include "model/lowering/pointer_use.hpp"
#include "model/lowering/source_text.hpp"
#include "model/lowering/source_touch.hpp"

namespace bufferproof::model::lowering {
namespace {

constexpr const char* kSourceWellBehaved =
    "the compiled C++ or Triton kernel stores every element of its declared outputs, stays inside the "
    "buffers "
    "it is given and loads nothing else than its parameters say";
constexpr const char* kHoldsComplex =
    "a 64-bit buffer that is passed as a pointer to floating-point numbers holds complex numbers";
constexpr const char* kReadsItsOwnStores =
    "a kernel that gets a buffer as input and views of it as outputs loads what it stored itself, or what "
    "was there";

class Builder {
 public:
  explicit Builder(const LaunchContext& context) : context_(context), code_(code_only(context.kernel.text)) {
    road_.name = "tuned";
    for (std::size_t i = 0; i < context.kernel.parameters.size(); ++i)
      if (const auto& scalar = context.launch.arguments[i].scalar; scalar && scalar->constant())
        scalars_.emplace(context.kernel.parameters[i].name, *scalar->constant());
  }

  SourceRoad build() {
    context_.assumptions.add(kSourceWellBehaved, context_.kernel.name);
    for (std::size_t i = 0; i < context_.kernel.parameters.size(); ++i)
      if (const Name& handle = context_.launch.arguments[i].handle; !handle.empty()) {
        assume_complex(context_.kernel.parameters[i], handle);
        argument(context_.kernel.parameters[i], handle);
      }
    road_.clauses = reads_;
    road_.clauses.insert(road_.clauses.end(), writes_.begin(), writes_.end());
    road_.clauses.insert(road_.clauses.end(), late_reads_.begin(), late_reads_.end());
    return {road_, partial_ ? std::vector<Name>{} : outputs_};
  }

 private:
  /// Complex numbers have no type of their own here, and kernels get them as pairs.
  void assume_complex(const Parameter& parameter, const Name& handle) const {
    const auto& held = context_.environment.of(handle).dtype;
    if (held == DType::i64 && parameter.dtype && parameter.role != Role::scalar &&
        is_floating(*parameter.dtype))
      context_.assumptions.add(kHoldsComplex, context_.kernel.name);
  }
  void argument(const Parameter& parameter, const Name& handle) {
    if (parameter.role == Role::scalar) return;
    if (parameter.role == Role::input) return input(parameter, handle);
    const PointerUse use =
        parameter.role == Role::workspace ? PointerUse{} : pointer_use(code_, parameter.name);
    // An out_ptr is loaded, if at all, after its own store; a vector kernel passes it to helpers in ways no
    // scan can tell.
    const bool untouched = !use.seen && parameter.role != Role::workspace && names_another(parameter);
    const bool reads = parameter.role == Role::in_out && (use.seen ? use.loads_first : !untouched);
    if (reads) reads_.push_back(loaded_read(parameter, handle));  // E9
    beyond(parameter, handle);
    if (std::find(outputs_.begin(), outputs_.end(), handle) == outputs_.end()) outputs_.push_back(handle);
    if (!untouched && !only_loaded(use)) store(parameter, handle, use);  // else C1: due, and never stored
  }
  void store(const Parameter& parameter, const Name& handle, const PointerUse& use) {
    const bool partial = use.scatters && !use.stores;
    partial_ = partial_ || partial;
    writes_.push_back(whole(partial ? Clause::Kind::modify : Clause::Kind::write, handle));
    if (!partial) only_stored(parameter, handle, writes_.back());
    const auto declared = context_.environment.of(handle).dtype;
    if (parameter.dtype && declared && !same_elements(*parameter.dtype, *declared)) {
      // C7: what the memory holds afterwards, here and as seen through other handles.
      writes_.push_back(whole(Clause::Kind::unknown, handle));
      road_.rebinds.push_back({.handle = handle, .dtype = *parameter.dtype});
    }
  }
  /// Elements from the handle's first to its last, where they are as many as a number says and of the type
  /// that the kernel was compiled for.
  std::optional<std::int64_t> extent(const Parameter& parameter, const Name& handle) const {
    const Declared& declared = context_.environment.of(handle);
    if (!declared.layout || !declared.dtype || parameter.role == Role::workspace) return std::nullopt;
    if (parameter.dtype && !same_elements(*parameter.dtype, *declared.dtype)) return std::nullopt;
    return (declared.layout->extent() - declared.layout->offset).constant();
  }
  /// Asked for loads, stores and the last element.
  const Touched& touch_of(const Parameter& parameter) const {
    const auto [known, fresh] = touched_.try_emplace(parameter.name);
    if (fresh) known->second = touched(code_, parameter.name, scalars_);
    return known->second;
  }
  /// C5: the last element that the text is certain to touch, where the handle ends before it.
  void beyond(const Parameter& parameter, const Name& handle) {
    const auto elements = extent(parameter, handle);
    const Touched touch = elements ? touch_of(parameter) : Touched{};
    if (touch.reaches <= elements.value_or(0)) return;
    const Layout& layout = *context_.environment.of(handle).layout;
    // Where the place is not exactly known, nothing is stored there.
    const bool stores = touch.stores_there && DenseLayout::of(layout);
    const Clause::Kind kind = stores ? Clause::Kind::write : Clause::Kind::read;
    if (const auto outside = outside_at(kind, handle, layout, touch.reaches - 1))
      (stores ? writes_ : reads_).push_back(*outside);
  }
  /// The elements of the handle that lie between these, both included; nullopt: all of them, or not known.
  std::optional<IndexSet> part(const Parameter& parameter, const Name& handle,
                               std::optional<Range> Touched::*between) const {
    const auto elements = extent(parameter, handle);
    const auto range = elements ? touch_of(parameter).*between : std::nullopt;
    if (!range || (range->lo <= 0 && range->hi >= *elements - 1)) return std::nullopt;
    const auto dense = DenseLayout::of(*context_.environment.of(handle).layout);
    if (!dense) return std::nullopt;
    const std::int64_t end = std::clamp<std::int64_t>(range->hi, -1, *elements - 1) + 1;
    return dense->between(std::clamp<std::int64_t>(range->lo, 0, end), end);
  }
  /// C1: the text stores nothing before or after these elements. That may be meant (a slice of an input is
  /// updated), so what is due is no more.
  void only_stored(const Parameter& parameter, const Name& handle, Clause& write) {
    const auto stored = part(parameter, handle, &Touched::stored);
    if (!stored) return;
    partial_ = true;
    write.set = *stored;
  }
  /// E1: nor are others loaded.
  Clause loaded_read(const Parameter& parameter, const Name& handle) const {
    Clause read = compiled_read(parameter, handle);
    if (const auto loaded = part(parameter, handle, &Touched::loaded)) read.set = *loaded;
    return read;
  }
  /// The text is there, and speaks of pointers.
  bool names_another(const Parameter& parameter) const {
    const auto& all = context_.kernel.parameters;
    return std::any_of(all.begin(), all.end(), [&](const Parameter& other) {
      return other.role != Role::scalar && other.name != parameter.name &&
             pointer_use(code_, other.name).seen;
    });
  }
  static bool only_loaded(const PointerUse& use) {
    return use.seen && !use.stores && !use.scatters && !use.others;
  }
  static Clause compiled_read(const Parameter& parameter, const Name& handle) {
    Clause read = intended_read(handle, true);
    read.compiled_for = parameter.dtype;  // C7
    return read;
  }
  void input(const Parameter& parameter, const Name& handle) {
    Clause read = loaded_read(parameter, handle);
    beyond(parameter, handle);
    if (!shares_with_output(handle)) return reads_.push_back(read);
    read.from = {};
    late_reads_.push_back(read);
    context_.assumptions.add(kReadsItsOwnStores, context_.kernel.name);
  }
  bool shares_with_output(const Name& handle) const {
    for (std::size_t i = 0; i < context_.kernel.parameters.size(); ++i) {
      const Role role = context_.kernel.parameters[i].role;
      const Name& other = context_.launch.arguments[i].handle;
      if ((role == Role::output || role == Role::in_out) && !other.empty() && !(other == handle) &&
          context_.environment.may_overlap(handle, other))
        return true;
    }
    return false;
  }

  const LaunchContext& context_;
  const std::string code_;
  Scalars scalars_;  ///< parameters that are numbers at this launch
  mutable std::map<std::string, Touched> touched_;
  std::vector<Clause> reads_;
  std::vector<Clause> writes_;
  std::vector<Clause> late_reads_;  ///< after the kernel's own stores
  std::vector<Name> outputs_;
  bool partial_ = false;
  Variant road_;
};

/// A number for a number, a tensor for a pointer.
bool takes(const Parameter& parameter, const Argument& argument) {
  return parameter.role == Role::scalar ? argument.handle.empty() : !argument.scalar;
}

}  // namespace

SourceRoad source_road(const LaunchContext& context) {
  const auto& arguments = context.launch.arguments;
  const std::size_t parameters = context.kernel.parameters.size();
  // What follows the parameters are grid sizes and compile-time numbers; a tensor there is not understood.
  const bool fits = parameters > 0 && parameters <= arguments.size() &&
                    std::all_of(arguments.begin() + static_cast<std::ptrdiff_t>(parameters), arguments.end(),
                                [](const Argument& argument) { return argument.handle.empty(); }) &&
                    std::equal(context.kernel.parameters.begin(), context.kernel.parameters.end(),
                               arguments.begin(), takes);
  if (!fits) return {unknown_road(context.launch), {}};  // E8
  return Builder(context).build();
}

}  // namespace bufferproof::model::lowering
