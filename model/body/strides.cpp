#include "model/body/strides.hpp"

#include <algorithm>

#include "model/body/region.hpp"
#include "model/ops/op_registry.hpp"

namespace bufferproof::model {
namespace {

constexpr SizeBounds kAtLeastTwo{2};

bool is_one(const SymExpr& size) { return size.constant() == 1; }
bool is_zero(const SymExpr& stride) { return stride.constant() == 0; }

/// Sign of a - b for all sizes of at least 2, or nullopt.
std::optional<int> order(const SymExpr& a, const SymExpr& b) {
  if (a == b) return 0;
  if (provably_lt(a, b, kAtLeastTwo)) return -1;
  if (provably_lt(b, a, kAtLeastTwo)) return 1;
  return std::nullopt;
}

/// TensorIterator's should_swap: > 0 when dim0 (inner) must move outside dim1. nullopt: undecided sizes.
std::optional<int> should_swap(std::size_t dim0, std::size_t dim1, const std::vector<SymExpr>& shape,
                               const std::vector<std::vector<SymExpr>>& operands) {
  for (const auto& strides : operands) {
    const SymExpr& inner = strides[dim0];
    const SymExpr& outer = strides[dim1];
    if (is_zero(inner) || is_zero(outer)) continue;
    auto sign = order(inner, outer);
    if (!sign) return std::nullopt;
    if (*sign != 0) return *sign;
    auto larger = order(shape[dim0], shape[dim1]);
    if (!larger) return std::nullopt;
    if (*larger > 0) return 1;
  }
  return 0;
}

/// Axes from innermost to outermost, as TensorIterator orders them.
std::optional<std::vector<std::size_t>> loop_order(const std::vector<SymExpr>& shape,
                                                   const std::vector<std::vector<SymExpr>>& operands) {
  std::size_t rank = shape.size();
  std::vector<std::size_t> axes(rank);
  for (std::size_t i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
  // Insertion sort with ambiguous comparisons: an undecided pair (0) is passed over, a decided one stops.
  for (std::size_t i = 1; i < rank; ++i) {
    std::size_t at = i;
    for (std::size_t j = i; j-- > 0;) {
      auto sign = should_swap(axes[j], axes[at], shape, operands);
      if (!sign) return std::nullopt;
      if (*sign > 0) {
        std::swap(axes[j], axes[at]);
        at = j;
      } else if (*sign < 0) {
        break;
      }
    }
  }
  return axes;
}

/// Dense without overlap: sorted by stride, each stride is the product of the sizes inside it.
bool is_dense(const std::vector<SymExpr>& shape, const std::vector<SymExpr>& strides) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!is_one(shape[i])) axes.push_back(i);
  SymExpr expected = 1;
  while (!axes.empty()) {
    auto next = std::find_if(axes.begin(), axes.end(), [&](std::size_t i) { return strides[i] == expected; });
    if (next == axes.end()) return false;
    expected = expected * shape[*next];
    axes.erase(next);
  }
  return true;
}

class EagerRun {
 public:
  explicit EagerRun(const TensorFunction& function) : function_(function), tensors_(function.values.size()) {}

  std::vector<EagerTensor> run(const std::vector<std::optional<std::vector<SymExpr>>>& parameter_strides) {
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
      ValueId id = function_.parameters[i];
      bool given = i < parameter_strides.size() && parameter_strides[i];
      set(id, given ? *parameter_strides[i] : contiguous_strides(function_.type(id).shape), id, SymExpr(0));
    }
    for (const TensorOp& op : function_.ops) step(op);
    return std::move(tensors_);
  }

 private:
  void set(ValueId id, std::optional<std::vector<SymExpr>> strides, ValueId base,
           std::optional<SymExpr> offset) {
    tensors_[static_cast<std::size_t>(id)] = {std::move(strides), base, std::move(offset)};
  }
  const EagerTensor& at(ValueId id) const { return tensors_[static_cast<std::size_t>(id)]; }

  void fresh(ValueId id) { set(id, contiguous_strides(function_.type(id).shape), id, SymExpr(0)); }

  void step(const TensorOp& op) {
    const OpRule& rule = *OpRegistry::shipped().find(op.name);
    switch (rule.eager) {
      case EagerResult::fresh:
        for (ValueId id : op.results) fresh(id);
        return;
      case EagerResult::unknown:
        for (ValueId id : op.results) set(id, std::nullopt, id, SymExpr(0));
        return;
      case EagerResult::view:
        return view(op, rule);
      case EagerResult::elementwise:
        return elementwise(op);
    }
  }

  /// A view keeps its operand's base; a reshape that cannot be a view copies to contiguous memory.
  void view(const TensorOp& op, const OpRule& rule) {
    ValueId id = op.results[0];
    const EagerTensor& from = at(op.operands[0]);
    if (!from.strides) return set(id, std::nullopt, from.base, std::nullopt);
    auto strides = rule.view_strides(OpContext{function_, op, kAtLeastTwo}, *from.strides);
    if (!strides) return fresh(id);
    std::optional<SymExpr> offset = from.offset;
    if (offset && op.name == "slice") {
      const auto& offsets = op.sizes("offsets");
      for (std::size_t i = 0; i < offsets.size(); ++i) offset = *offset + offsets[i] * (*from.strides)[i];
    }
    set(id, std::move(strides), from.base, std::move(offset));
  }

  /// A cast to the same element type returns its operand in eager mode (`_to_copy` copies, `to` does not);
  /// the copy is what the traced graphs contain.
  void elementwise(const TensorOp& op) {
    ValueId id = op.results[0];
    std::vector<std::vector<SymExpr>> operands;
    for (ValueId operand : op.operands) {
      if (!at(operand).strides) return set(id, std::nullopt, id, SymExpr(0));
      operands.push_back(*at(operand).strides);
    }
    set(id, elementwise_strides(function_.type(id).shape, operands), id, SymExpr(0));
  }

  const TensorFunction& function_;
  std::vector<EagerTensor> tensors_;
};

}  // namespace

std::vector<SymExpr> contiguous_strides(const std::vector<SymExpr>& shape) {
  std::vector<SymExpr> strides(shape.size(), SymExpr(1));
  for (std::size_t i = shape.size(); i-- > 1;) {
    // PyTorch multiplies by max(size, 1).
    SymExpr size = shape[i].constant() == 0 ? SymExpr(1) : shape[i];
    strides[i - 1] = strides[i] * size;
  }
  return strides;
}

bool is_contiguous(const std::vector<SymExpr>& shape, const std::vector<SymExpr>& strides) {
  std::vector<SymExpr> wanted = contiguous_strides(shape);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!is_one(shape[i]) && !(strides[i] == wanted[i])) return false;
  return true;
}

std::optional<std::vector<SymExpr>> elementwise_strides(const std::vector<SymExpr>& shape,
                                                        const std::vector<std::vector<SymExpr>>& operands) {
  auto all_zero = [](const std::vector<SymExpr>& strides) {
    return std::all_of(strides.begin(), strides.end(), is_zero);
  };
  std::vector<std::vector<SymExpr>> ranked;
  for (const auto& strides : operands)
    if (!all_zero(strides)) ranked.push_back(strides);  // numbers repeated: their order says nothing
  if (ranked.empty()) return contiguous_strides(shape);
  bool contiguous =
      std::all_of(ranked.begin(), ranked.end(), [&](const auto& s) { return is_contiguous(shape, s); });
  if (contiguous) return contiguous_strides(shape);
  bool same = std::all_of(ranked.begin(), ranked.end(), [&](const auto& s) { return s == ranked[0]; });
  if (same && is_dense(shape, ranked[0])) return ranked[0];
  auto axes = loop_order(shape, ranked);
  if (!axes) return std::nullopt;
  std::vector<SymExpr> strides(shape.size(), SymExpr(1));
  SymExpr next = 1;
  for (std::size_t axis : *axes) {
    strides[axis] = next;
    next = next * shape[axis];
  }
  return strides;
}

std::vector<EagerTensor> eager_tensors(
    const TensorFunction& function,
    const std::vector<std::optional<std::vector<SymExpr>>>& parameter_strides) {
  return EagerRun(function).run(parameter_strides);
}

}  // namespace bufferproof::model
