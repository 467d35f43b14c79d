// One execution of a body: values as they exist, and groups of elementwise operations not yet run.
//
// Private to this folder; execute.hpp is the interface. Tested by tests/simulator/body_execute_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "kernels_ref/ops/chain.hpp"
#include "kernels_ref/registry.hpp"
#include "simulator/body/execute.hpp"

namespace bufferproof::simulator {

/// A value that exists: a view, and what keeps its memory.
struct BodyValue {
  std::shared_ptr<const kernels::Tensor> owner;  ///< empty: an argument
  kernels::ConstTensorView view;
};

class BodyRun {
 public:
  BodyRun(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
          std::span<const kernels::TensorView> targets, const ExecuteOptions& options);
  void run();

 private:
  /// Elementwise operations of one shape, in order, that have not run. Axes along which all their operands
  /// repeat have size 1 here; the results repeat along them as well.
  struct Group {
    kernels::Sizes sizes;
    std::vector<std::size_t> ops;
  };

  void step(std::size_t index);
  void observe(const model::TensorOp& op);
  void join_group(std::size_t index);
  /// The shape an elementwise operation has to be computed in.
  kernels::Sizes distinct_sizes(const model::TensorOp& op) const;
  void flush(Group& group);
  /// Runs the group a value waits in.
  const BodyValue& need(model::ValueId id);
  bool leaves_group(model::ValueId id, const Group& group) const;

  /// Memory for an operation's result: the target of the body's result it is, else memory of its own.
  BodyValue make(model::ValueId id, const kernels::Sizes& sizes);
  kernels::TensorView writable(const BodyValue& made) const;
  void set(model::ValueId id, kernels::Tensor tensor);
  void set_view(model::ValueId id, const BodyValue& base, kernels::ConstTensorView view);
  bool movement(const model::TensorOp& op);
  void reshape(const model::TensorOp& op);
  void literal(const model::TensorOp& op);
  void undefined(model::ValueId id);
  void call(const model::TensorOp& op);
  kernels::Attributes attributes(const model::TensorOp& op) const;

  kernels::Sizes sizes_of(const std::vector<model::SymExpr>& sizes, const model::TensorOp& op) const;
  kernels::Sizes shape(model::ValueId id) const;
  [[noreturn]] void fail(const model::TensorOp& op, const std::string& text) const;

  const model::TensorFunction& function_;
  std::span<const kernels::TensorView> targets_;  ///< one per result of the body
  const ExecuteOptions& options_;
  model::Valuation sizes_;
  std::vector<std::optional<BodyValue>> values_;
  std::map<kernels::Sizes, Group> groups_;
  std::vector<Group*> waiting_;                  ///< per value: the group its operation waits in
  std::vector<std::vector<std::size_t>> users_;  ///< per value: operations that use it
  std::vector<std::size_t> left_;                ///< per value: uses still to come, result uses included
};

}  // namespace bufferproof::simulator
