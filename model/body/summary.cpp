#include "model/body/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/body/access.hpp"
#include "model/body/definedness.hpp"
#include "model/body/strides.hpp"

namespace bufferproof::model {
namespace {

std::vector<InputSummary> summarize_inputs(const TensorFunction& function) {
  std::vector<BoxParts> demand = demanded_elements(function);
  std::vector<InputSummary> inputs;
  for (ValueId id : function.parameters) {
    const TensorValue& value = function.value(id);
    InputSummary input{value.name, value.type, value.scalar, {}, Overwritten::none};
    for (const BoxPart& part : demand[static_cast<std::size_t>(id)])
      input.reads.push_back({part.box, part.exact});
    inputs.push_back(std::move(input));
  }
  return inputs;
}

/// The parameter itself, or what an earlier in-place call left in its memory.
bool is_all_of(const TensorFunction& function, ValueId id, ValueId parameter) {
  for (const TensorOp* op = function.producer(id); op && op->name == "overwrite"; op = function.producer(id))
    id = op->operands[0];
  return id == parameter;
}

void find_overwritten(const TensorFunction& function, const std::vector<EagerTensor>& eager,
                      std::vector<InputSummary>& inputs) {
  for (const TensorOp& op : function.ops) {
    if (op.name != "overwrite") continue;
    ValueId base = eager[static_cast<std::size_t>(op.operands[0])].base;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (function.parameters[i] != base || inputs[i].overwritten == Overwritten::whole) continue;
      bool all = is_all_of(function, op.operands[0], base);
      inputs[i].overwritten = all ? Overwritten::whole : Overwritten::part;
    }
  }
}

int position_of(const std::vector<ValueId>& ids, ValueId id) {
  auto found = std::find(ids.begin(), ids.end(), id);
  return found == ids.end() ? -1 : static_cast<int>(found - ids.begin());
}

/// E4: a view of an input, one tensor twice, or two views of one fresh tensor.
void describe_eager(const TensorFunction& function, const std::vector<EagerTensor>& eager,
                    std::size_t position, OutputSummary& output) {
  ValueId id = function.results[position];
  const EagerTensor& tensor = eager[static_cast<std::size_t>(id)];
  output.view_of = position_of(function.parameters, tensor.base);
  output.offset_known = tensor.offset.has_value();
  output.offset = tensor.offset.value_or(SymExpr(0));
  for (std::size_t k = 0; k < position && output.same_as < 0; ++k) {
    ValueId other = function.results[k];
    if (eager[static_cast<std::size_t>(other)].base != tensor.base) continue;
    output.same_as = static_cast<int>(k);
    output.identical = other == id;
  }
  if (!tensor.strides) {
    output.layout = EagerLayout::unknown;
  } else if (!is_contiguous(function.type(id).shape, *tensor.strides)) {
    output.layout = EagerLayout::strided;
    output.strides = *tensor.strides;
  }
}

/// The element of a result at an index no text has names for.
Box one_element(const std::vector<SymExpr>& shape) {
  Box box;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const SymExpr at = shape[axis] == SymExpr(1) ? SymExpr(0) : SymExpr::symbol("$" + std::to_string(axis));
    box.axes.push_back({at, at + 1});
  }
  return box;
}

bool is_one_element(const Box& box) {
  return std::all_of(box.axes.begin(), box.axes.end(),
                     [](const Interval& axis) { return axis.end - axis.begin == SymExpr(1); });
}

/// C4: an element of a result that needs an input's element of another index may be stored before that is
/// loaded.
Within order_of(const BoxPart& loaded, const TensorType& input, const Box& stored, const TensorType& result) {
  if (loaded.box == stored) return Within::in_place;  // of one rank; equal sizes or not
  const bool reshaped = input.shape != result.shape && is_one_element(loaded.box);  // may be the same place
  return loaded.exact && !reshaped ? Within::unordered : Within::unclear;
}

void find_order(const TensorFunction& function, std::size_t result, std::size_t i, const BoxParts& loaded,
                const Box& stored, InputSummary& input) {
  const TensorType& type = function.type(function.results[result]);
  for (const BoxPart& part : loaded) {
    const Within here = order_of(part, function.type(function.parameters[i]), stored, type);
    if (here == Within::unordered) {
      input.moved = is_one_element(part.box) && (input.moved || input.within != Within::unordered);
      input.within = here;
    } else if (here == Within::unclear && input.within == Within::in_place) {
      input.within = here;
    }
  }
}

void find_order(const TensorFunction& function, std::vector<InputSummary>& inputs) {
  for (InputSummary& input : inputs) input.within = Within::in_place;
  for (std::size_t r = 0; r < function.results.size(); ++r) {
    const Box stored = one_element(function.type(function.results[r]).shape);
    const std::vector<BoxParts> behind = elements_behind(function, r, stored);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      find_order(function, r, i, behind[static_cast<std::size_t>(function.parameters[i])], stored, inputs[i]);
  }
}

std::string count_message(std::string_view what, std::size_t kernel, std::size_t fallback) {
  return fmt::format("the kernel has {} {}, its fallback {}", kernel, what, fallback);
}

}  // namespace

BodySummary summarize(const TensorFunction& function,
                      const std::vector<std::optional<std::vector<SymExpr>>>& parameter_strides) {
  BodySummary summary;
  summary.inputs = summarize_inputs(function);
  summary.assumptions = function.assumptions;
  std::vector<std::vector<UndefinedElements>> undefined = undefined_elements(function);
  std::vector<EagerTensor> eager = eager_tensors(function, parameter_strides);
  find_overwritten(function, eager, summary.inputs);
  find_order(function, summary.inputs);
  for (std::size_t i = 0; i < function.results.size(); ++i) {
    ValueId id = function.results[i];
    OutputSummary output;
    output.type = function.type(id);
    output.undefined = undefined[static_cast<std::size_t>(id)];
    describe_eager(function, eager, i, output);
    summary.outputs.push_back(std::move(output));
  }
  return summary;
}

namespace {

/// Sizes differ for certain, or have constants that differ. Symbols are local to each text, so only constants
/// and ranks can be compared.
bool shapes_differ(const TensorType& a, const TensorType& b) {
  if (a.rank() != b.rank()) return true;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    auto x = a.shape[i].constant();
    auto y = b.shape[i].constant();
    if (x && y && *x != *y) return true;
  }
  return false;
}

}  // namespace

std::vector<BodyDifference> compare_bodies(const TensorFunction& kernel, const TensorFunction& fallback) {
  using Kind = BodyDifference::Kind;
  std::vector<BodyDifference> out;
  if (kernel.parameters.size() != fallback.parameters.size())
    out.push_back({Kind::parameter_count, -1,
                   count_message("parameters", kernel.parameters.size(), fallback.parameters.size())});
  if (kernel.results.size() != fallback.results.size())
    out.push_back(
        {Kind::result_count, -1, count_message("results", kernel.results.size(), fallback.results.size())});
  for (std::size_t i = 0; i < std::min(kernel.results.size(), fallback.results.size()); ++i) {
    const TensorType& a = kernel.type(kernel.results[i]);
    const TensorType& b = fallback.type(fallback.results[i]);
    std::string pair = fmt::format("result {}: kernel {}, fallback {}", i, a.str(), b.str());
    if (a.dtype != b.dtype) out.push_back({Kind::dtype, static_cast<int>(i), pair});
    if (shapes_differ(a, b)) out.push_back({Kind::shape, static_cast<int>(i), pair});
  }
  return out;
}

}  // namespace bufferproof::model
