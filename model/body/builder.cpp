#include "model/body/builder.hpp"

#include <fmt/format.h>

#include <cassert>

namespace bufferproof::model {

/// Hands equalities of an operation's rule to the builder.
class BuilderInference : public InferContext {
 public:
  BuilderInference(FunctionBuilder& builder, const TensorOp& op, std::vector<const TensorType*> operands)
      : InferContext(op, std::move(operands)), builder_(builder) {}

 private:
  void assume_equal(const SymExpr& a, const SymExpr& b) override {
    builder_.require_equal(a, b, op.where, "sizes");
  }
  FunctionBuilder& builder_;
};

namespace {

constexpr std::size_t kMostOps = 1'000'000;

void substitute(Attributes& attributes, const std::map<std::string, SymExpr, std::less<>>& by) {
  if (by.empty()) return;
  for (auto& [key, attribute] : attributes)
    if (auto* sizes = std::get_if<std::vector<SymExpr>>(&attribute))
      for (SymExpr& size : *sizes)
        if (!size.is_constant()) size = size.substitute(by);
}

/// Names come from other languages: what the printer's notation has no character for becomes '_'.
std::string printable(std::string name) {
  for (char& c : name) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '_' && c != '$' && c != '.' && c != '-') c = '_';
  }
  return name.empty() ? "_" : name;
}

/// A name that also reads as a symbol in a size expression.
std::string identifier(std::string name) {
  name = printable(std::move(name));
  for (char& c : name)
    if (c == '$' || c == '.' || c == '-') c = '_';
  return name[0] >= '0' && name[0] <= '9' ? "p" + name : name;
}

bool mentions(const SymExpr& expr, const std::string& symbol) {
  std::set<std::string> symbols;
  expr.collect_symbols(symbols);
  return symbols.count(symbol) != 0;
}

}  // namespace

FunctionBuilder::FunctionBuilder(std::string name, SourceLocation where) {
  function_.name = identifier(std::move(name));
  function_.where = std::move(where);
}

std::string FunctionBuilder::unique_name(const std::string& name) {
  std::string wanted = printable(name);
  auto [entry, fresh] = names_.emplace(wanted, 0);
  if (fresh) return wanted;
  for (;;) {
    std::string candidate = fmt::format("{}_{}", wanted, ++entry->second);
    if (names_.emplace(candidate, 0).second) return candidate;
  }
}

SymExpr FunctionBuilder::open_size(const std::string& hint) {
  std::string name = unique_name(identifier(hint));
  open_.emplace(name, open_.size());
  return SymExpr::symbol(name);
}

ValueId FunctionBuilder::add_value(TensorValue value) {
  function_.values.push_back(std::move(value));
  resolved_.push_back(0);
  return static_cast<ValueId>(function_.values.size() - 1);
}

ValueId FunctionBuilder::parameter(const std::string& name, TensorType type) {
  TensorValue value{unique_name(name),
                    std::move(type),
                    false,
                    std::nullopt,
                    -1,
                    static_cast<std::int32_t>(function_.parameters.size())};
  function_.parameters.push_back(add_value(std::move(value)));
  return function_.parameters.back();
}

ValueId FunctionBuilder::scalar_parameter(const std::string& name, DType dtype) {
  ValueId id = parameter(identifier(name), {dtype, {}});
  TensorValue& value = function_.values[static_cast<std::size_t>(id)];
  value.scalar = true;
  if (dtype == DType::i64 || dtype == DType::i32) value.integer = SymExpr::symbol(value.name);
  return id;
}

SymExpr FunctionBuilder::resolve(const SymExpr& size) const {
  return replaced_.empty() || size.is_constant() ? size : size.substitute(replaced_);
}

std::vector<SymExpr> FunctionBuilder::resolve(const std::vector<SymExpr>& sizes) const {
  std::vector<SymExpr> out;
  out.reserve(sizes.size());
  for (const SymExpr& size : sizes) out.push_back(resolve(size));
  return out;
}

const TensorType& FunctionBuilder::type(ValueId id) const {
  const auto at = static_cast<std::size_t>(id);
  TensorType& type = function_.values.at(at).type;
  if (resolved_[at] != replaced_.size()) {
    for (SymExpr& size : type.shape)
      if (!size.is_constant()) size = size.substitute(replaced_);
    resolved_[at] = replaced_.size();
  }
  return type;
}

bool FunctionBuilder::replace(const SymExpr& symbol, const SymExpr& by) {
  auto name = symbol.as_symbol();
  if (!name || open_.find(*name) == open_.end() || mentions(by, *name)) return false;
  std::map<std::string, SymExpr, std::less<>> step{{*name, by}};
  for (auto& [known, expr] : replaced_) expr = expr.substitute(step);
  replaced_.emplace(*name, by);
  return true;
}

void FunctionBuilder::unify(const SymExpr& a, const SymExpr& b) {
  auto left = a.as_symbol();
  auto right = b.as_symbol();
  auto age = [&](const std::optional<std::string>& name) {
    auto found = name ? open_.find(*name) : open_.end();
    return found == open_.end() ? std::optional<std::size_t>() : std::optional(found->second);
  };
  bool right_younger = age(right) && (!age(left) || *age(right) > *age(left));
  if (right_younger ? replace(b, a) || replace(a, b) : replace(a, b) || replace(b, a)) return;
  Cond equal = Cond::eq(a, b);
  for (const Cond& known : function_.assumptions)
    if (known == equal) return;
  function_.assumptions.push_back(equal);
}

void FunctionBuilder::require_equal(const SymExpr& a, const SymExpr& b, const SourceLocation& where,
                                    std::string_view what) {
  if (a == b) return;
  SymExpr left = resolve(a);
  SymExpr right = resolve(b);
  if (left == right) return;
  if ((left - right).is_constant())
    throw InputError(where, fmt::format("equal {}", what), fmt::format("{} and {}", left.str(), right.str()));
  unify(left, right);
}

std::vector<ValueId> FunctionBuilder::add(TensorOp op) {
  const OpRule* rule = OpRegistry::shipped().find(op.name);
  if (!rule) throw InputError(op.where, "an operation of the registry", "'" + op.name + "'");
  if (op.operands.size() < rule->least_operands || op.operands.size() > rule->most_operands)
    throw InputError(
        op.where,
        fmt::format("{} to {} operands of '{}'", rule->least_operands, rule->most_operands, op.name),
        fmt::format("{}", op.operands.size()));
  if (function_.ops.size() >= kMostOps)
    throw InputError(op.where, "at most 1,000,000 operations in a body", "more");
  substitute(op.attributes, replaced_);
  std::vector<const TensorType*> operands;  // no value is added while the rule looks at them
  for (ValueId id : op.operands) operands.push_back(&type(id));
  BuilderInference inference(*this, op, std::move(operands));
  std::vector<TensorType> results = rule->infer(inference);
  std::vector<ValueId> ids;
  for (TensorType& result : results) {
    result.shape = resolve(result.shape);
    TensorValue value{{},
                      std::move(result),
                      false,
                      std::nullopt,
                      static_cast<std::int32_t>(function_.ops.size()),
                      static_cast<std::int32_t>(ids.size())};
    ids.push_back(add_value(std::move(value)));
  }
  op.results = ids;
  function_.ops.push_back(std::move(op));
  return ids;
}

ValueId FunctionBuilder::add(std::string_view op, std::vector<ValueId> operands, Attributes attributes,
                             const SourceLocation& where) {
  std::vector<ValueId> results =
      add({std::string(op), std::move(operands), {}, std::move(attributes), where});
  assert(results.size() == 1);
  return results.front();
}

ValueId FunctionBuilder::constant(DType dtype, std::int64_t bits, const SourceLocation& where) {
  ValueId id = add("constant", {}, {{"dtype", dtype}, {"bits", bits}}, where);
  if (!is_floating(dtype)) set_integer(id, SymExpr(bits));
  return id;
}

ValueId FunctionBuilder::number(DType dtype, double value, const SourceLocation& where) {
  return constant(dtype, bits_of(dtype, value), where);
}

ValueId FunctionBuilder::size(const SymExpr& value, const SourceLocation& where) {
  ValueId id = add("size", {}, {{"value", std::vector<SymExpr>{value}}}, where);
  set_integer(id, value);
  return id;
}

ValueId FunctionBuilder::broadcast_to(ValueId value, const std::vector<SymExpr>& shape,
                                      const SourceLocation& where) {
  if (type(value).shape == shape) return value;
  TensorType from = type(value);
  std::vector<SymExpr> to = resolve(shape);
  if (from.shape == to) return value;
  if (from.rank() > to.size())
    throw InputError(where, "a shape to broadcast to",
                     TensorType{from.dtype, to}.str() + " for " + from.str());
  std::vector<std::int64_t> dims;
  for (std::size_t i = 0; i < from.rank(); ++i)
    dims.push_back(static_cast<std::int64_t>(to.size() - from.rank() + i));
  return add("broadcast", {value}, {{"dims", dims}, {"shape", to}}, where);
}

ValueId FunctionBuilder::reshape(ValueId value, const std::vector<SymExpr>& shape,
                                 const SourceLocation& where) {
  return add("reshape", {value}, {{"shape", resolve(shape)}}, where);
}

ValueId FunctionBuilder::cast(ValueId value, DType dtype, const SourceLocation& where,
                              std::string_view round) {
  return add("cast", {value}, {{"dtype", dtype}, {"round", std::string(round)}}, where);
}

void FunctionBuilder::rename(ValueId id, const std::string& name) {
  TensorValue& value = function_.values.at(static_cast<std::size_t>(id));
  if (value.name.empty()) value.name = unique_name(name);
}

void FunctionBuilder::mark_scalar(ValueId id) {
  function_.values.at(static_cast<std::size_t>(id)).scalar = true;
}

void FunctionBuilder::set_integer(ValueId id, const SymExpr& value) {
  function_.values.at(static_cast<std::size_t>(id)).integer = resolve(value);
}

TensorFunction FunctionBuilder::finish(std::vector<ValueId> results) {
  function_.results = std::move(results);
  int next = 0;
  for (TensorValue& value : function_.values) {
    while (value.name.empty()) {
      std::string name = fmt::format("{}", next++);
      if (names_.emplace(name, 0).second) value.name = name;
    }
    value.type.shape = resolve(value.type.shape);
    if (value.integer) value.integer = resolve(*value.integer);
  }
  if (!replaced_.empty()) {
    for (TensorOp& op : function_.ops) substitute(op.attributes, replaced_);
    for (Cond& assumption : function_.assumptions) assumption = assumption.substitute(replaced_);
    std::erase_if(function_.assumptions, [](const Cond& assumption) { return assumption.is_true(); });
  }
  return std::move(function_);
}

}  // namespace bufferproof::model
