#include "model/tensor_function.hpp"

#include <fmt/format.h>

#include <cassert>

namespace bufferproof::model {
namespace {

template <typename T>
const T& get(const TensorOp& op, std::string_view key) {
  auto found = op.attributes.find(key);
  assert(found != op.attributes.end() && std::holds_alternative<T>(found->second));
  return std::get<T>(found->second);
}

std::vector<TensorType> types_of(const TensorFunction& function, const std::vector<ValueId>& ids) {
  std::vector<TensorType> types;
  for (ValueId id : ids) types.push_back(function.type(id));
  return types;
}

}  // namespace

std::string TensorType::str() const {
  std::string text = std::string(model::name(dtype)) + "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + shape[i].str();
  return text + "]";
}

std::int64_t TensorOp::integer(std::string_view key) const { return get<std::int64_t>(*this, key); }
const std::string& TensorOp::text(std::string_view key) const { return get<std::string>(*this, key); }
DType TensorOp::dtype(std::string_view key) const { return get<DType>(*this, key); }
const std::vector<std::int64_t>& TensorOp::integers(std::string_view key) const {
  return get<std::vector<std::int64_t>>(*this, key);
}
const std::vector<SymExpr>& TensorOp::sizes(std::string_view key) const {
  return get<std::vector<SymExpr>>(*this, key);
}

const TensorOp* TensorFunction::producer(ValueId id) const {
  std::int32_t op = value(id).op;
  return op < 0 ? nullptr : &ops.at(static_cast<std::size_t>(op));
}

std::vector<TensorType> TensorFunction::parameter_types() const { return types_of(*this, parameters); }
std::vector<TensorType> TensorFunction::result_types() const { return types_of(*this, results); }

bool same_body(const TensorFunction& a, const TensorFunction& b) {
  if (a.parameters.size() != b.parameters.size() || a.ops.size() != b.ops.size() || a.results != b.results)
    return false;
  if (a.parameter_types() != b.parameter_types()) return false;
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    const TensorOp& x = a.ops[i];
    const TensorOp& y = b.ops[i];
    if (x.name != y.name || x.operands != y.operands || x.results != y.results ||
        x.attributes != y.attributes)
      return false;
    for (ValueId id : x.results)
      if (!(a.type(id) == b.type(id))) return false;
  }
  return true;
}

}  // namespace bufferproof::model
