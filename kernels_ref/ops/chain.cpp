#include "kernels_ref/ops/chain.hpp"

#include <algorithm>
#include <string>

#include "kernels_ref/fp_state.hpp"
#include "kernels_ref/kernel_error.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/iteration.hpp"
#include "kernels_ref/parallel.hpp"

namespace bufferproof::kernels {
namespace {

constexpr std::int64_t kGrain = 16384;

}  // namespace

ElementwiseChain::ElementwiseChain(Sizes sizes, const NumericsProfile& numerics, bool fast)
    : sizes_(std::move(sizes)),
      numerics_(numerics),
      fast_(fast),
      kernels_(fast ? current_block_kernels() : definition_kernels()) {}

ElementwiseChain::Value ElementwiseChain::add(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<Value>(nodes_.size()) - 1;
}

ElementwiseChain::Value ElementwiseChain::input(const ConstTensorView& view, std::string_view name) {
  inputs_.push_back(broadcast_to(view, sizes_, "chain", name));
  Node node{};
  node.dtype = view.dtype();
  node.input = static_cast<int>(inputs_.size()) - 1;
  return add(std::move(node));
}

ElementwiseChain::Value ElementwiseChain::constant(const Scalar& value, DType dtype) {
  constants_.push_back(std::make_shared<const Tensor>(scalar_tensor(value, dtype)));
  return input(constants_.back()->view());
}

ElementwiseChain::Value ElementwiseChain::apply(std::string_view op, std::initializer_list<Value> operands) {
  return apply(op, std::span(operands.begin(), operands.size()));
}

std::optional<ElementwiseChain::Value> ElementwiseChain::contracted(Value a, Value b) {
  if (!numerics_.contract_mul_add || !model::is_floating(dtype(a))) return std::nullopt;
  for (const auto& [product, other] : {std::pair(a, b), std::pair(b, a)}) {
    const Node& node = nodes_[static_cast<std::size_t>(product)];
    if (!node.product) continue;
    const Value operands[] = {node.operands[0], node.operands[1], other};
    return apply("fma", operands);
  }
  return std::nullopt;
}

ElementwiseChain::Value ElementwiseChain::apply(std::string_view op, std::span<const Value> operands) {
  if (operands.empty()) throw KernelError(op, "inputs", "at least one operand", "none");
  const DType operand = dtype(operands[0]);
  for (Value value : operands)
    if (dtype(value) != operand)
      throw KernelError(op, "inputs", "element type " + std::string(model::name(operand)),
                        model::name(dtype(value)));
  if (op == "add" && operands.size() == 2)
    if (const std::optional<Value> fused = contracted(operands[0], operands[1])) return *fused;
  Node node{};
  node.op = BlockOp::elementwise(op, operand, numerics_, kernels_);
  if (node.op->operand_count() != static_cast<int>(operands.size()))
    throw KernelError(op, "inputs", std::to_string(node.op->operand_count()) + " operands",
                      std::to_string(operands.size()));
  node.dtype = node.op->result_dtype();
  node.operands.assign(operands.begin(), operands.end());
  node.product = op == "mul";
  return add(std::move(node));
}

ElementwiseChain::Value ElementwiseChain::cast(Value value, DType to, std::optional<RoundMode> mode) {
  const Node& from = nodes_.at(static_cast<std::size_t>(value));
  const bool narrows = from.dtype == DType::f32 && model::is_floating(to) && model::size_in_bytes(to) == 2;
  if (numerics_.excess_precision && to == DType::f32 && from.widened_from >= 0) return from.widened_from;
  if (from.dtype == to) return value;
  Node node{};
  node.op = BlockOp::cast(from.dtype, to, mode, kernels_);
  node.dtype = to;
  node.operands = {value};
  if (narrows && mode.value_or(RoundMode::rint) == RoundMode::rint) node.widened_from = value;
  return add(std::move(node));
}

ElementwiseChain::Value ElementwiseChain::select(Value condition, Value a, Value b) {
  if (dtype(condition) != DType::i1)
    throw KernelError("select", "condition", "element type i1", model::name(dtype(condition)));
  if (dtype(a) != dtype(b))
    throw KernelError("select", "b", "element type " + std::string(model::name(dtype(a))),
                      model::name(dtype(b)));
  Node node{};
  node.op = BlockOp::select(dtype(a), kernels_);
  node.dtype = dtype(a);
  node.operands = {condition, a, b};
  return add(std::move(node));
}

void ElementwiseChain::output(Value value, const TensorView& view) {
  if (view.sizes() != sizes_)
    throw KernelError("chain", "out", "shape " + format_sizes(sizes_), "shape " + format_sizes(view.sizes()));
  if (view.dtype() != dtype(value))
    throw KernelError("chain", "out", "element type " + std::string(model::name(dtype(value))),
                      model::name(view.dtype()));
  outputs_.emplace_back(value, view);
}

std::vector<int> ElementwiseChain::assign_slots(const std::vector<bool>& kept, int& count) const {
  std::vector<std::size_t> last_use(nodes_.size(), 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    last_use[i] = std::max(last_use[i], i);
    for (Value operand : nodes_[i].operands) last_use[static_cast<std::size_t>(operand)] = i;
  }
  for (const auto& [value, view] : outputs_) last_use[static_cast<std::size_t>(value)] = nodes_.size();
  std::vector<int> slots(nodes_.size(), -1);
  std::vector<int> free;
  count = 0;
  const auto keeps = [&](std::size_t i) {
    return !nodes_[i].op && kept[static_cast<std::size_t>(nodes_[i].input)];
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (keeps(i)) slots[i] = count++;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (keeps(i)) continue;
    // A slot may be taken over after its last reader.
    if (free.empty()) free.push_back(count++);
    slots[i] = free.back();
    free.pop_back();
    for (std::size_t j = 0; j <= i; ++j)
      if (last_use[j] == i && slots[j] >= 0 && !keeps(j) &&
          std::find(free.begin(), free.end(), slots[j]) == free.end() &&
          (j == i || std::find(nodes_[i].operands.begin(), nodes_[i].operands.end(), static_cast<Value>(j)) !=
                         nodes_[i].operands.end()))
        free.push_back(slots[j]);
  }
  return slots;
}

/// Inputs that are one element along each row, as most of a normalisation's are: their slots are filled when
/// the element changes, not for every block.
struct ElementwiseChain::Repeated {
  struct Filled {
    const void* element = nullptr;
    std::int64_t count = 0;
  };
  std::vector<bool> kept;
  std::vector<Filled> filled;

  Repeated(const BlockWalk& walk, std::size_t inputs) : kept(inputs, false), filled(inputs) {
    constexpr std::size_t kMost = 16;  // slots of their own: they share the nearest cache with the steps'
    std::size_t count = 0;
    for (std::size_t i = 0; i < inputs && count < kMost; ++i) {
      kept[i] = walk.repeats(i);
      count += kept[i] ? 1 : 0;
    }
  }
  const void* get(const BlockWalk& walk, std::size_t input, const BlockWalk::Position& here, std::int64_t n,
                  void* slot) {
    const void* const element = kept[input] ? walk.repeated(input, here, n) : nullptr;
    Filled& known = filled[input];
    if (element != nullptr && element == known.element && n <= known.count) return slot;
    known = {element, n};
    return walk.input(input, here, n, slot);
  }
};

void ElementwiseChain::run_range(const BlockWalk& walk, std::int64_t begin, std::int64_t end,
                                 std::int64_t step) const {
  int slot_count = 0;
  Repeated repeated(walk, inputs_.size());
  const std::vector<int> slots = assign_slots(repeated.kept, slot_count);
  constexpr std::int64_t kSlot = BlockOp::kBlock * 8;
  const Tensor scratch(DType::u8, {slot_count * kSlot});
  auto* const base = const_cast<std::byte*>(scratch.view().bytes());
  std::vector<const void*> at(nodes_.size());
  std::int64_t n = 0;
  BlockWalk::Position here = walk.at(begin);
  for (std::int64_t i = begin; i < end; i += n, walk.advance(here, n)) {
    n = walk.block_size(here, std::min(step, end - i));
    // The last step may store where its result is wanted: nothing of the block is read after it.
    const bool last_alone = outputs_.size() == 1 && outputs_[0].first + 1 == static_cast<int>(nodes_.size());
    void* const place = last_alone && nodes_.back().op ? walk.output_in_place(0, here, n) : nullptr;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const Node& node = nodes_[k];
      void* const slot = place && k + 1 == nodes_.size() ? place : base + slots[k] * kSlot;
      if (!node.op) {
        at[k] = repeated.get(walk, static_cast<std::size_t>(node.input), here, n, slot);
        continue;
      }
      const void* operands[BlockOp::kMostOperands] = {};
      for (std::size_t j = 0; j < node.operands.size(); ++j)
        operands[j] = at[static_cast<std::size_t>(node.operands[j])];
      elementwise_block(*node.op, operands, slot, n);
      at[k] = slot;
    }
    for (std::size_t k = 0; k < outputs_.size() && !place; ++k)
      walk.write(k, at[static_cast<std::size_t>(outputs_[k].first)], here, n);
  }
}

void ElementwiseChain::run() const {
  if (outputs_.empty()) return;
  std::vector<TensorView> views;
  for (const auto& [value, view] : outputs_) views.push_back(view);
  const BlockWalk walk(views, inputs_);
  if (!fast_) {
    const FpStateGuard state;
    return run_range(walk, 0, walk.count(), 1);
  }
  parallel_ranges(walk.count(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    run_range(walk, begin, end, BlockOp::kBlock);
  });
}

}  // namespace bufferproof::kernels
