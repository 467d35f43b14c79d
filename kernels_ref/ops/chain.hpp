// ElementwiseChain: a fused chain of elementwise ops, run block by block while the block is in cache, with
// the bits the ops would give one after the other over whole tensors.
//
// Values are numbered as they are made; every value has the chain's shape, inputs broadcast to it. Each step
// rounds to its element type, as a separate op would; only the profile changes that, and then for both run()
// and define():
//   excess_precision   a cast f32 -> f16/bf16 -> f32 (default rounding) gives the f32 value it started from
//   contract_mul_add   add(mul(a, b), c) and add(c, mul(a, b)) are fma(a, b, c) (the first operand's product
//   when both are)
// Tested by tests/kernels_ref/ops_chain_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels_ref/ops/block_op.hpp"

namespace bufferproof::kernels {

class ElementwiseChain {
 public:
  using Value = int;

  ElementwiseChain(Sizes sizes, const NumericsProfile& numerics, bool fast = true);

  /// `name` stands in errors. The view's elements must outlive run().
  Value input(const ConstTensorView& view, std::string_view name = "x");
  Value constant(const Scalar& value, DType dtype);
  /// An op of elementwise_table.hpp; KernelError when operand types differ or the op does not take them.
  Value apply(std::string_view op, std::initializer_list<Value> operands);
  Value apply(std::string_view op, std::span<const Value> operands);
  Value cast(Value value, DType to, std::optional<RoundMode> mode = {});
  Value select(Value condition, Value a, Value b);
  /// Also writes `value` to `view` (of the chain's sizes and the value's type).
  void output(Value value, const TensorView& view);

  DType dtype(Value value) const { return nodes_.at(static_cast<std::size_t>(value)).dtype; }
  /// Runs all steps; a chain made with fast = false runs one element at a time on the definitions.
  void run() const;

 private:
  struct Node {
    DType dtype;
    int input = -1;             ///< index among the inputs, or -1
    std::optional<BlockOp> op;  ///< a step
    std::vector<Value> operands;
    Value widened_from = -1;  ///< for a narrowing cast of f32: its operand (excess precision)
    bool product = false;     ///< a mul
  };
  Value add(Node node);
  std::optional<Value> contracted(Value a, Value b);
  /// Scratch slot of each step, reusing slots of values that are read no more; and how many there are. Inputs
  /// in `kept` keep theirs.
  std::vector<int> assign_slots(const std::vector<bool>& kept, int& count) const;
  struct Repeated;
  void run_range(const class BlockWalk& walk, std::int64_t begin, std::int64_t end, std::int64_t step) const;

  Sizes sizes_;
  NumericsProfile numerics_;
  bool fast_;
  BlockKernels kernels_;
  std::vector<Node> nodes_;
  std::vector<ConstTensorView> inputs_;
  std::vector<std::shared_ptr<const Tensor>> constants_;
  std::vector<std::pair<Value, TensorView>> outputs_;
};

}  // namespace bufferproof::kernels
