#include "simulator/body/execute.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/ops/rounding.hpp"
#include "model/body/builder.hpp"
#include "model/ops/op_registry.hpp"
#include "simulator/body/body_run.hpp"

namespace bufferproof::simulator {

using kernels::ConstTensorView;
using kernels::Sizes;
using kernels::Tensor;
using kernels::TensorView;
using model::TensorOp;
using model::ValueId;

namespace {

Tensor number_argument(const BodyArgument& argument, model::DType dtype) {
  if (const auto* integer = std::get_if<std::int64_t>(&argument))
    return kernels::scalar_tensor(*integer, dtype);
  return kernels::scalar_tensor(std::get<double>(argument), dtype);
}

}  // namespace

BodyRun::BodyRun(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                 std::span<const TensorView> targets, const ExecuteOptions& options)
    : function_(function), targets_(targets), options_(options), sizes_(bind_sizes(function, arguments)) {
  values_.resize(function.values.size());
  waiting_.resize(function.values.size());
  users_.resize(function.values.size());
  left_.resize(function.values.size());
  for (std::size_t i = 0; i < function.ops.size(); ++i)
    for (ValueId id : function.ops[i].operands) {
      users_[static_cast<std::size_t>(id)].push_back(i);
      ++left_[static_cast<std::size_t>(id)];
    }
  for (ValueId id : function.results) ++left_[static_cast<std::size_t>(id)];
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ValueId id = function.parameters[i];
    if (const auto* tensor = std::get_if<ConstTensorView>(&arguments[i])) {
      values_[static_cast<std::size_t>(id)] = BodyValue{nullptr, *tensor};
    } else {
      set(id, number_argument(arguments[i], function.type(id).dtype));
    }
  }
}

void BodyRun::fail(const TensorOp& op, const std::string& text) const {
  throw ExecutionError(
      fmt::format("{}: kernel '{}', operation '{}': {}", op.where.str(), function_.name, op.name, text));
}

Sizes BodyRun::sizes_of(const std::vector<model::SymExpr>& sizes, const TensorOp& op) const {
  Sizes out;
  for (const model::SymExpr& size : sizes) {
    auto value = size.evaluate(sizes_);
    if (!value) fail(op, "size " + size.str() + " has no value for these arguments");
    out.push_back(*value);
  }
  return out;
}

Sizes BodyRun::shape(ValueId id) const {
  const TensorOp* op = function_.producer(id);
  static const TensorOp kParameter{};
  return sizes_of(function_.type(id).shape, op ? *op : kParameter);
}

void BodyRun::set(ValueId id, Tensor tensor) {
  auto owner = std::make_shared<const Tensor>(std::move(tensor));
  ConstTensorView view = owner->view();
  values_[static_cast<std::size_t>(id)] = BodyValue{std::move(owner), view};
}

void BodyRun::set_view(ValueId id, const BodyValue& base, ConstTensorView view) {
  values_[static_cast<std::size_t>(id)] = BodyValue{base.owner, std::move(view)};
}

const BodyValue& BodyRun::need(ValueId id) {
  auto at = static_cast<std::size_t>(id);
  if (!values_[at] && waiting_[at]) flush(*waiting_[at]);
  return values_[at].value();
}

BodyValue BodyRun::make(ValueId id, const Sizes& sizes) {
  for (std::size_t i = 0; i < targets_.size(); ++i)
    if (function_.results[i] == id && targets_[i].sizes() == sizes) return {nullptr, targets_[i]};
  auto owner = std::make_shared<const Tensor>(function_.type(id).dtype, sizes);
  ConstTensorView view = owner->view();
  return {std::move(owner), std::move(view)};
}

/// What `make` gave is nobody else's yet.
TensorView BodyRun::writable(const BodyValue& made) const {
  return {const_cast<std::byte*>(made.view.bytes()), made.view.dtype(), made.view.sizes()};
}

void BodyRun::run() {
  for (std::size_t i = 0; i < function_.ops.size(); ++i) step(i);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const ConstTensorView& view = need(function_.results[i]).view;
    if (view.bytes() != targets_[i].bytes())
      kernels::OpRegistry::builtin().run({"copy", {view}, {}, {targets_[i]}, options_.numerics});
  }
}

void BodyRun::step(std::size_t index) {
  const TensorOp& op = function_.ops[index];
  if (options_.fuse && model::is_elementwise(op.name)) return join_group(index);
  for (ValueId id : op.operands) need(id);
  if (op.operands.empty()) {
    literal(op);
  } else if (!movement(op)) {
    call(op);
  }
  if (options_.observer && !op.operands.empty()) observe(op);  // literals that nobody needs are not made
  // Memory of values nobody uses any more goes back before the next operation allocates.
  for (ValueId id : op.operands)
    if (--left_[static_cast<std::size_t>(id)] == 0) values_[static_cast<std::size_t>(id)].reset();
}

void BodyRun::observe(const TensorOp& op) {
  Ran ran{function_, op, sizes_, {}, {}};
  for (ValueId id : op.operands) ran.operands.push_back(need(id).view);
  for (ValueId id : op.results) ran.results.push_back(need(id).view);
  options_.observer->ran(ran);
}

/// A contracted product and its sum stay in one chain, so profiles that contract keep the whole shape.
Sizes BodyRun::distinct_sizes(const TensorOp& op) const {
  Sizes sizes = shape(op.results[0]);
  const kernels::NumericsProfile& numerics = options_.numerics;
  if (numerics.contract_mul_add || numerics.excess_precision || kernels::element_count(sizes) == 0)
    return sizes;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const bool repeats = std::all_of(op.operands.begin(), op.operands.end(), [&](ValueId id) {
      const auto at = static_cast<std::size_t>(id);
      return values_[at] ? values_[at]->view.strides()[axis] == 0 : waiting_[at]->sizes[axis] == 1;
    });
    if (repeats) sizes[axis] = 1;
  }
  return sizes;
}

void BodyRun::join_group(std::size_t index) {
  const TensorOp& op = function_.ops[index];
  Sizes sizes = distinct_sizes(op);
  Group& group = groups_[sizes];
  group.sizes = sizes;
  for (ValueId id : op.operands)
    if (waiting_[static_cast<std::size_t>(id)] != &group) need(id);
  constexpr std::size_t kMostSteps = 512;
  if (group.ops.size() >= kMostSteps) flush(group);
  group.ops.push_back(index);
  waiting_[static_cast<std::size_t>(op.results[0])] = &group;
}

/// Results of the body, and values an operation outside the group uses, must become tensors.
bool BodyRun::leaves_group(ValueId id, const Group& group) const {
  const auto& results = function_.results;
  if (std::find(results.begin(), results.end(), id) != results.end()) return true;
  const auto& users = users_[static_cast<std::size_t>(id)];
  return std::any_of(users.begin(), users.end(), [&](std::size_t user) {
    return std::find(group.ops.begin(), group.ops.end(), user) == group.ops.end();
  });
}

void BodyRun::flush(Group& group) {
  kernels::ElementwiseChain chain(group.sizes, options_.numerics);
  std::map<ValueId, kernels::ElementwiseChain::Value> numbers;
  std::vector<std::pair<ValueId, BodyValue>> outputs;
  auto operand = [&](ValueId id) {
    auto known = numbers.find(id);
    if (known != numbers.end()) return known->second;
    const ConstTensorView& view = values_[static_cast<std::size_t>(id)]->view;
    return numbers
        .emplace(id, chain.input({view.bytes(), view.dtype(), group.sizes, view.strides()},
                                 function_.value(id).name))
        .first->second;
  };
  for (std::size_t index : group.ops) {
    const TensorOp& op = function_.ops[index];
    std::vector<kernels::ElementwiseChain::Value> in;
    for (ValueId id : op.operands) in.push_back(operand(id));
    ValueId out = op.results[0];
    if (op.name == "cast") {
      numbers[out] = chain.cast(in[0], op.dtype("dtype"), kernels::parse_round_mode(op.text("round")));
    } else if (op.name == "select") {
      numbers[out] = chain.select(in[0], in[1], in[2]);
    } else {
      numbers[out] = chain.apply(op.name, in);
    }
    if (leaves_group(out, group)) outputs.emplace_back(out, make(out, group.sizes));
  }
  for (auto& [id, made] : outputs) chain.output(numbers.at(id), writable(made));
  chain.run();
  for (auto& [id, made] : outputs) {
    Sizes strides = made.view.strides();
    const Sizes sizes = shape(id);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis)
      if (group.sizes[axis] != sizes[axis]) strides[axis] = 0;
    set_view(id, made, {made.view.bytes(), made.view.dtype(), sizes, strides});
  }
  for (std::size_t index : group.ops) {
    waiting_[static_cast<std::size_t>(function_.ops[index].results[0])] = nullptr;
    for (ValueId id : function_.ops[index].operands)
      if (--left_[static_cast<std::size_t>(id)] == 0) values_[static_cast<std::size_t>(id)].reset();
  }
  group.ops.clear();
}

std::vector<ResultShape> result_shapes(const model::TensorFunction& function,
                                       std::span<const BodyArgument> arguments) {
  const model::Valuation sizes = bind_sizes(function, arguments);
  std::vector<ResultShape> out;
  for (ValueId id : function.results) {
    const model::TensorType& type = function.type(id);
    out.push_back({type.dtype, {}});
    for (const model::SymExpr& size : type.shape) {
      const auto value = size.evaluate(sizes);
      if (!value)
        throw ExecutionError(fmt::format("kernel '{}': size {} of a result has no value for these arguments",
                                         function.name, size.str()));
      out.back().sizes.push_back(*value);
    }
  }
  return out;
}

void execute_into(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                  std::span<const TensorView> targets, const ExecuteOptions& options) {
  if (targets.size() != function.results.size())
    throw ExecutionError(fmt::format("kernel '{}': {} results, memory for {}", function.name,
                                     function.results.size(), targets.size()));
  BodyRun(function, arguments, targets, options).run();
}

std::vector<Tensor> execute(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                            const ExecuteOptions& options) {
  std::vector<Tensor> results;
  std::vector<TensorView> targets;
  for (const ResultShape& shape : result_shapes(function, arguments)) {
    results.emplace_back(shape.dtype, shape.sizes);
    targets.push_back(results.back().view());
  }
  execute_into(function, arguments, targets, options);
  return results;
}

}  // namespace bufferproof::simulator
