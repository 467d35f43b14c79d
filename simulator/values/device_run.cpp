#include "simulator/values/device_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "kernels_ref/bounds/bound_support.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/registry.hpp"
#include "simulator/body/enclosure.hpp"
#include "simulator/body/interval.hpp"
#include "simulator/run_state.hpp"

namespace bufferproof::simulator {

using kernels::Tensor;
using kernels::TensorView;

namespace {

struct NamedArithmetic {
  const char* name;
  EnclosedArithmetic arithmetic;
};
/// Narrow first. HF32 is what an NPU's convolutions do unless told otherwise.
constexpr std::array kArithmetics{
    NamedArithmetic{"f32", {}},
    NamedArithmetic{"hf32",
                    {kernels::InputRounding::hf32_ties_even, kernels::InputRounding::hf32_ties_even}}};

/// What stands in memory before the program's first launch is equal on both sides.
bool is_given(const std::string& writer) { return writer == "in" || writer == "zero" || writer == "fill"; }

/// `b = a`: a second name of one handle.
void collect_aliases(const model::Block& block, std::map<std::string, std::string>& sources) {
  for (const model::Step& step : block) {
    if (const auto* bind = std::get_if<model::Bind>(&step.node);
        bind && bind->kind == model::Bind::Kind::alias)
      sources[bind->name.str()] = bind->source.str();
    if (const auto* branch = std::get_if<model::Branch>(&step.node)) {
      collect_aliases(branch->then_block, sources);
      collect_aliases(branch->else_block, sources);
    }
    if (const auto* loop = std::get_if<model::Loop>(&step.node)) collect_aliases(loop->body, sources);
  }
}

Index index_of(const kernels::Sizes& sizes, std::size_t at) {
  Index index(sizes.size());
  auto rest = static_cast<std::int64_t>(at);
  for (std::size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis]) index[axis] = rest % sizes[axis];
  return index;
}

/// `computed`: the element type of the result, which is converted where the device's is another.
void hold(const Tensor& device, const Enclosure& enclosure, model::DType computed, JudgedBuffer& into) {
  const std::vector<double> values = kernels::values_of(device.view());
  const auto lows = enclosure.lo.elements<double>();
  const auto highs = enclosure.hi.elements<double>();
  into.outside = into.open = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Interval due{lows[i], highs[i]};
    if (computed != device.dtype()) due = convert(due, computed, device.dtype(), "trunc");
    if (std::isinf(due.magnitude())) {  // it may overflow, or be NaN
      ++into.open;
    } else if (!due.contains(values[i])) {
      const Index index = index_of(device.sizes(), i);
      if (into.outside++ == 0) {
        into.first = into.least = into.greatest = index;
        into.value = values[i];
        into.lo = due.lo;
        into.hi = due.hi;
      }
      for (std::size_t axis = 0; axis < index.size(); ++axis) {
        into.least[axis] = std::min(into.least[axis], index[axis]);
        into.greatest[axis] = std::max(into.greatest[axis], index[axis]);
      }
    }
  }
}

}  // namespace

void BufferNames::computed(const ComputedLaunch& launch) {
  for (const std::string& name : launch.outputs)
    if (!name.empty()) last[name] = launch.ordinal;
}

std::string BufferNames::stored_as(const model::Program& program, const std::string& name) const {
  if (last.contains(name)) return name;
  std::map<std::string, std::string> sources;
  collect_aliases(program.body, sources);
  std::string at = name;
  for (std::size_t i = 0; i <= sources.size(); ++i) {
    const auto source = sources.find(at);
    if (source == sources.end()) return "";
    at = source->second;
    if (last.contains(at)) return at;
  }
  return "";
}

std::map<std::string, std::string> DeviceRun::second_names(const model::Program& program,
                                                           const Buffers& device, const BufferNames& names) {
  std::map<std::string, std::string> out;
  for (const auto& [name, tensor] : device)
    if (std::string stored = names.stored_as(program, name); !stored.empty()) out.emplace(stored, name);
  return out;
}

const std::string& DeviceRun::called(const std::string& name) const {
  const auto found = called_.find(name);
  return found == called_.end() ? name : found->second;
}

/// The element type a result is converted to where it is stored: that of the buffer, for kernels that are
/// never compiled.
std::optional<model::DType> DeviceRun::stored_type(const ComputedLaunch& launch,
                                                   const std::string& name) const {
  const model::KernelDef* kernel = program_.find_kernel(launch.kernel);
  const auto found = launch.state.names.find(name);
  if (!kernel || kernel->kind != model::KernelKind::import_fx || found == launch.state.names.end() ||
      !found->second.actual)
    return std::nullopt;
  return found->second.actual->declared_dtype;
}

/// What the device had in this result of this launch.
const Tensor* DeviceRun::given(const ComputedLaunch& launch, std::size_t result) const {
  if (result >= launch.outputs.size() || result >= launch.results.size()) return nullptr;
  const std::string& name = launch.outputs[result];
  const auto found = device_.find(called(name));
  const auto last = names_.last.find(name);
  if (found == device_.end() || last == names_.last.end() || last->second != launch.ordinal) return nullptr;
  const TensorView& meant = launch.results[result];
  const Tensor& tensor = found->second;
  const model::DType dtype = stored_type(launch, name).value_or(meant.dtype());
  if (tensor.dtype() != dtype || tensor.sizes() != meant.sizes())
    throw model::InputError(
        launch.where,
        fmt::format("a buffer {} of {} {}", called(name), model::name(dtype),
                    kernels::format_sizes(meant.sizes())),
        fmt::format("{} {}", model::name(tensor.dtype()), kernels::format_sizes(tensor.sizes())));
  return &tensor;
}

void DeviceRun::computed(const ComputedLaunch& launch) {
  const std::size_t first = judged.size();
  for (std::size_t r = 0; r < launch.results.size(); ++r)
    if (const Tensor* tensor = given(launch, r)) {
      judged.push_back({called(launch.outputs[r]), launch.kernel, launch.where, tensor->element_count()});
      judged.back().unjudged = unknown_operand(launch);
    }
  if (first == judged.size()) return;
  if (judged[first].unjudged.empty()) judge(launch, first);
  for (std::size_t r = 0; r < launch.results.size(); ++r)
    if (given(launch, r)) take_over(launch, r);
}

std::string DeviceRun::unknown_operand(const ComputedLaunch& launch) const {
  for (const std::string& name : launch.names)
    if (!name.empty() && !is_the_devices(launch, name)) return name + " is not given";
  return "";
}

/// Every element was left by a launch whose result the device's has replaced, or is an input.
bool DeviceRun::is_the_devices(const ComputedLaunch& launch, const std::string& name) const {
  const auto found = launch.state.names.find(name);
  if (found == launch.state.names.end() || !found->second.actual) return false;
  const Handle& handle = *found->second.actual;
  bool all = true;
  auto look = [&](std::int64_t, std::int64_t, TagId tag) {
    const Tag& known = launch.state.tags[tag];
    all = all && !TagTable::is_unwritten(tag) && !known.unknown && !known.writers.empty() &&
          std::all_of(known.writers.begin(), known.writers.end(), [&](WriterId writer) {
            return is_given(launch.state.tags.writer(writer).name) ||
                   replaced_.count({writer, handle.storage.get()}) > 0;
          });
  };
  model::IndexSet whole;
  whole.whole = true;
  for_each_run(select(handle, whole, {}, launch.where),
               [&](std::int64_t lo, std::int64_t hi) { handle.storage->tags.for_each(lo, hi, look); });
  return all;
}

/// Against the text's body, and its traced graph where the file has one: the device may have run either.
void DeviceRun::judge(const ComputedLaunch& launch, std::size_t first) {
  const model::KernelDef* kernel = program_.find_kernel(launch.kernel);
  const bool two = kernel && kernel->fx_body && kernel->fx_body != launch.body;
  try {
    hold_against(*launch.body, launch, first);
    const bool all_inside = std::all_of(judged.begin() + static_cast<std::ptrdiff_t>(first), judged.end(),
                                        [](const JudgedBuffer& one) { return one.outside == 0; });
    if (all_inside || !two) return;
    const std::vector<JudgedBuffer> tuned(judged.begin() + static_cast<std::ptrdiff_t>(first), judged.end());
    hold_against(*kernel->fx_body, launch, first);
    for (std::size_t i = 0; i < tuned.size(); ++i)
      if (judged[first + i].outside > 0) judged[first + i] = tuned[i];
  } catch (const ExecutionError& error) {
    for (std::size_t i = first; i < judged.size(); ++i) judged[i].unjudged = error.what();
  } catch (const kernels::KernelError& error) {
    for (std::size_t i = first; i < judged.size(); ++i) judged[i].unjudged = error.what();
  }
}

void DeviceRun::hold_against(const model::TensorFunction& body, const ComputedLaunch& launch,
                             std::size_t first) {
  for (const auto& [name, arithmetic] : kArithmetics) {
    const std::vector<Enclosure> enclosures = enclose(body, launch.arguments, arithmetic);
    std::int64_t outside = 0;
    std::size_t next = first;
    for (std::size_t r = 0; r < std::min(enclosures.size(), launch.results.size()); ++r)
      if (const Tensor* tensor = given(launch, r)) {
        JudgedBuffer& one = judged[next++];
        hold(*tensor, enclosures[r], launch.results[r].dtype(), one);
        one.arithmetic = one.outside == 0 ? name : "";
        outside += one.outside;
      }
    if (outside == 0) return;
  }
}

void DeviceRun::take_over(const ComputedLaunch& launch, std::size_t result) {
  const Tensor& tensor = *given(launch, result);
  kernels::OpRegistry::builtin().run(
      {"cast",
       {tensor.view()},
       {{"dtype", launch.results[result].dtype()}, {"round", std::string("trunc")}},
       {launch.results[result]},
       {}});
  const auto found = launch.state.names.find(launch.outputs[result]);
  if (found != launch.state.names.end() && found->second.actual)
    replaced_.insert({launch.writer, found->second.actual->storage.get()});
}

}  // namespace bufferproof::simulator
