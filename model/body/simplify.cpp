#include "model/body/simplify.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "model/body/builder.hpp"

namespace bufferproof::model {
namespace {

bool is_one(const SymExpr& size) { return size.constant() == 1; }

/// Copies parameters, so that value i of the copy's parameters is parameter i.
void copy_parameters(const TensorFunction& from, FunctionBuilder& to, std::vector<ValueId>& map) {
  for (ValueId id : from.parameters) {
    const TensorValue& value = from.value(id);
    ValueId copy = value.scalar ? to.scalar_parameter(value.name, value.type.dtype)
                                : to.parameter(value.name, value.type);
    map[static_cast<std::size_t>(id)] = copy;
  }
}

class Simplifier {
 public:
  explicit Simplifier(const TensorFunction& function)
      : function_(function), builder_(function.name, function.where), map_(function.values.size(), -1) {}

  TensorFunction run() {
    copy_parameters(function_, builder_, map_);
    for (const TensorOp& op : function_.ops) {
      std::vector<ValueId> operands;
      for (ValueId id : op.operands) operands.push_back(map_[static_cast<std::size_t>(id)]);
      std::vector<ValueId> results = rewrite(op, std::move(operands));
      for (std::size_t i = 0; i < results.size(); ++i)
        map_[static_cast<std::size_t>(op.results[i])] = results[i];
    }
    std::vector<ValueId> results;
    for (ValueId id : function_.results) results.push_back(map_[static_cast<std::size_t>(id)]);
    return builder_.finish(std::move(results));
  }

 private:
  using Key = std::tuple<std::string, std::vector<ValueId>, Attributes>;

  const TensorOp* made_by(ValueId id, std::string_view name) const {
    const TensorOp* op = builder_.function().producer(id);
    return op && op->name == name ? op : nullptr;
  }

  /// An equal operation that exists, or a new one.
  std::vector<ValueId> emit(const std::string& name, std::vector<ValueId> operands, Attributes attributes,
                            const SourceLocation& where) {
    Key key{name, operands, attributes};
    auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    std::vector<ValueId> results =
        builder_.add({name, std::move(operands), {}, std::move(attributes), where});
    known_.emplace(std::move(key), results);
    return results;
  }

  std::vector<ValueId> rewrite(const TensorOp& op, std::vector<ValueId> operands) {
    if (op.name == "cast") return {cast(op, operands[0])};
    if (op.name == "mul") return {multiply(op, operands)};
    if (op.name == "reshape") return {reshape(operands[0], op.sizes("shape"), op.where)};
    if (op.name == "broadcast") return {broadcast(op, operands[0])};
    if (op.name == "transpose" &&
        std::is_sorted(op.integers("permutation").begin(), op.integers("permutation").end()))
      return {operands[0]};
    return emit(op.name, std::move(operands), op.attributes, op.where);
  }

  /// A cast moves through a broadcast to the smaller tensor, and a literal is converted here.
  ValueId cast(const TensorOp& op, ValueId x) {
    DType to = op.dtype("dtype");
    if (const TensorOp* spread = made_by(x, "broadcast")) {
      Attributes attributes = spread->attributes;
      ValueId inner = cast(op, spread->operands[0]);
      return emit("broadcast", {inner}, std::move(attributes), op.where)[0];
    }
    const TensorOp* literal = made_by(x, "constant");
    if (!literal || op.text("round") != "rint") return emit("cast", {x}, op.attributes, op.where)[0];
    double value = value_of_bits(literal->dtype("dtype"), literal->integer("bits"));
    constexpr double kExact = 9007199254740992.0;  // 2^53: every integer up to it is a double
    if (!is_floating(literal->dtype("dtype")) && (value > kExact || value < -kExact))
      return emit("cast", {x}, op.attributes, op.where)[0];
    return emit("constant", {}, {{"bits", bits_of(to, value)}, {"dtype", to}}, op.where)[0];
  }

  bool is_literal_one(ValueId id) const {
    while (const TensorOp* spread = made_by(id, "broadcast")) id = spread->operands[0];
    const TensorOp* literal = made_by(id, "constant");
    return literal && value_of_bits(literal->dtype("dtype"), literal->integer("bits")) == 1.0;
  }

  ValueId multiply(const TensorOp& op, const std::vector<ValueId>& operands) {
    if (is_literal_one(operands[1])) return operands[0];
    if (is_literal_one(operands[0])) return operands[1];
    return emit("mul", operands, op.attributes, op.where)[0];
  }

  ValueId reshape(ValueId x, const std::vector<SymExpr>& shape, const SourceLocation& where) {
    while (const TensorOp* inner = made_by(x, "reshape")) x = inner->operands[0];
    if (builder_.type(x).shape == shape) return x;
    return emit("reshape", {x}, {{"shape", shape}}, where)[0];
  }

  /// Axes of size 1 are dropped first: a repeated axis and a new one are the same thing.
  ValueId broadcast(const TensorOp& op, ValueId x) {
    std::vector<SymExpr> kept;
    std::vector<std::int64_t> dims;
    const std::vector<SymExpr> from = builder_.type(x).shape;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (is_one(from[i])) continue;
      kept.push_back(from[i]);
      dims.push_back(op.integers("dims")[i]);
    }
    x = reshape(x, kept, op.where);
    const std::vector<SymExpr>& to = op.sizes("shape");
    if (kept == to) return x;
    if (const TensorOp* inner = made_by(x, "broadcast")) {
      std::vector<std::int64_t> through;
      for (std::int64_t dim : inner->integers("dims")) through.push_back(dims[static_cast<std::size_t>(dim)]);
      dims = std::move(through);
      x = inner->operands[0];
    }
    return emit("broadcast", {x}, {{"dims", dims}, {"shape", to}}, op.where)[0];
  }

  const TensorFunction& function_;
  FunctionBuilder builder_;
  std::vector<ValueId> map_;
  std::map<Key, std::vector<ValueId>> known_;
};

/// Only what results need, in the order they need it.
TensorFunction reorder(const TensorFunction& function) {
  FunctionBuilder builder(function.name, function.where);
  std::vector<ValueId> map(function.values.size(), -1);
  copy_parameters(function, builder, map);
  // Depth first with an explicit stack: an operation is emitted once all its operands are.
  std::vector<ValueId> stack(function.results.rbegin(), function.results.rend());
  while (!stack.empty()) {
    ValueId id = stack.back();
    const TensorOp* op = function.producer(id);
    if (map[static_cast<std::size_t>(id)] >= 0 || !op) {
      stack.pop_back();
      continue;
    }
    auto missing = std::find_if(op->operands.begin(), op->operands.end(),
                                [&](ValueId operand) { return map[static_cast<std::size_t>(operand)] < 0; });
    if (missing != op->operands.end()) {
      stack.push_back(*missing);
      continue;
    }
    stack.pop_back();
    TensorOp copy{op->name, {}, {}, op->attributes, op->where};
    for (ValueId operand : op->operands) copy.operands.push_back(map[static_cast<std::size_t>(operand)]);
    std::vector<ValueId> results = builder.add(std::move(copy));
    for (std::size_t i = 0; i < results.size(); ++i)
      map[static_cast<std::size_t>(op->results[i])] = results[i];
  }
  std::vector<ValueId> results;
  for (ValueId id : function.results) results.push_back(map[static_cast<std::size_t>(id)]);
  return builder.finish(std::move(results));
}

/// Sizes are n0, n1, ... in the order in which the parameters show them.
TensorFunction number_sizes(TensorFunction function) {
  std::map<std::string, SymExpr, std::less<>> by;
  auto name = [&](const SymExpr& size) {
    std::set<std::string> symbols;
    size.collect_symbols(symbols);
    for (const std::string& symbol : symbols)
      by.emplace(symbol, SymExpr::symbol("n" + std::to_string(by.size())));
  };
  for (ValueId id : function.parameters) {
    for (const SymExpr& size : function.type(id).shape) name(size);
    if (function.value(id).integer) name(*function.value(id).integer);
  }
  if (by.empty()) return function;
  for (TensorValue& value : function.values) {
    for (SymExpr& size : value.type.shape) size = size.substitute(by);
    if (value.integer) value.integer = value.integer->substitute(by);
  }
  for (TensorOp& op : function.ops)
    for (auto& [key, attribute] : op.attributes)
      if (auto* sizes = std::get_if<std::vector<SymExpr>>(&attribute))
        for (SymExpr& size : *sizes) size = size.substitute(by);
  for (Cond& assumption : function.assumptions) assumption = assumption.substitute(by);
  return function;
}

}  // namespace

TensorFunction simplify(const TensorFunction& function) {
  return number_sizes(reorder(Simplifier(function).run()));
}

}  // namespace bufferproof::model
