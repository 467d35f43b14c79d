#include "model/read/wrapper/operator_shapes.hpp"

#include <algorithm>
#include <unordered_set>

namespace bufferproof::model::wrapper {
namespace {

using Sizes = std::vector<SymExpr>;
using Results = std::vector<ResultShape>;

class Rules {
 public:
  Rules(std::string_view op, const std::vector<Operand>& operands) : op_(op), operands_(operands) {}

  Results infer() const {
    if (op_ == "mm" || op_ == "_int_mm") return product({"self", "mat2"}, {});
    if (op_ == "addmm") return product({"mat1", "mat2"}, {});
    if (op_ == "bmm") return product({"self", "mat2"}, {});
    if (op_ == "baddbmm") return product({"batch1", "batch2"}, {});
    if (op_ == "convolution") return convolution();
    if (op_ == "max_pool2d_with_indices") return max_pool();
    if (op_ == "gather") return like("index", dtype("self"));
    if (op_ == "embedding") return embedding();
    if (op_ == "cat") return cat();
    if (is(kSame)) return like("self", result_dtype());
    if (is(kPredicates)) return like("self", DType::i1);
    if (op_ == "sort") return twice(like("self", dtype("self")), DType::i64);
    if (is(kReductions)) return reduction();
    if (is(kFactories)) return factory();
    return {};
  }

 private:
  static inline const std::unordered_set<std::string_view> kSame = {
      "relu",      "exp",        "log",    "sqrt",       "rsqrt",     "sigmoid",  "tanh",
      "neg",       "abs",        "sin",    "cos",        "clone",     "_softmax", "_log_softmax",
      "floor",     "ceil",       "cumsum", "alias",      "detach",    "_to_copy", "bitwise_not",
      "bernoulli", "contiguous", "erf",    "reciprocal", "silu",      "gelu",     "leaky_relu",
      "hardtanh",  "round",      "sign",   "square",     "lift_fresh"};
  static inline const std::unordered_set<std::string_view> kPredicates = {"logical_not", "isnan", "isinf"};
  static inline const std::unordered_set<std::string_view> kReductions = {
      "any", "all", "sum", "mean", "amax", "amin", "argmax", "argmin", "prod"};
  static inline const std::unordered_set<std::string_view> kFactories = {"full",  "zeros",   "ones",  "rand",
                                                                         "randn", "randint", "normal"};

  bool is(const std::unordered_set<std::string_view>& set) const { return set.count(op_) > 0; }

  const Operand* find(std::string_view name) const { return find_operand(operands_, name); }
  const Layout* layout(std::string_view name) const {
    const Operand* operand = find(name);
    return operand && operand->layout ? &*operand->layout : nullptr;
  }
  std::optional<DType> dtype(std::string_view name) const {
    const Operand* operand = find(name);
    return operand ? operand->dtype : std::nullopt;
  }
  std::optional<DType> result_dtype() const {
    const auto asked = dtype("dtype");
    return asked ? asked : dtype("self");
  }
  std::optional<SymExpr> integer(std::string_view name) const {
    const Operand* operand = find(name);
    if (!operand || !operand->integers || operand->integers->size() != 1) return std::nullopt;
    return operand->integers->front();
  }
  /// One number per spatial axis; a single number stands for all.
  std::optional<Sizes> per_axis(std::string_view name, std::size_t axes, SymExpr missing) const {
    const Operand* operand = find(name);
    if (!operand || !operand->integers || operand->integers->empty()) return Sizes(axes, missing);
    if (operand->integers->size() == 1) return Sizes(axes, operand->integers->front());
    return operand->integers->size() == axes ? operand->integers : std::nullopt;
  }

  static Results one(Sizes sizes, std::optional<DType> dtype) {
    return {{contiguous(std::move(sizes)), dtype}};
  }

  Results like(std::string_view name, std::optional<DType> dtype) const {
    const Layout* from = layout(name);
    if (!from || !from->is_contiguous()) return {{std::nullopt, dtype}};
    return one(from->sizes, dtype);
  }
  static Results twice(Results first, std::optional<DType> second_dtype) {
    first.push_back({first[0].layout, second_dtype});
    return first;
  }

  struct Pair {
    std::string_view left, right;
  };
  /// (..., n, k) times (..., k, m)
  Results product(Pair names, std::optional<DType>) const {
    const Layout* left = layout(names.left);
    const Layout* right = layout(names.right);
    const auto type = op_ == "_int_mm" ? std::optional(DType::i32) : dtype(names.left);
    if (!left || !right || left->rank() < 2 || left->rank() != right->rank()) return {{std::nullopt, type}};
    Sizes sizes = left->sizes;
    sizes.back() = right->sizes.back();
    return one(sizes, type);
  }

  Results convolution() const {
    const Layout* input = layout("input");
    const Layout* weight = layout("weight");
    const Operand* transposed = find("transposed");
    const Results unknown = {{std::nullopt, dtype("input")}};
    if (!input || !weight || input->rank() < 3 || input->rank() != weight->rank()) return unknown;
    if (!transposed || transposed->truth != false) return unknown;
    const std::size_t axes = input->rank() - 2;
    const auto stride = per_axis("stride", axes, 1), padding = per_axis("padding", axes, 0),
               dilation = per_axis("dilation", axes, 1);
    if (!stride || !padding || !dilation) return unknown;
    Sizes sizes{input->sizes[0], weight->sizes[0]};
    for (std::size_t i = 0; i < axes; ++i)
      sizes.push_back(
          window(input->sizes[i + 2], weight->sizes[i + 2], (*stride)[i], (*padding)[i], (*dilation)[i]));
    if (input->is_contiguous() && weight->is_contiguous()) return one(sizes, dtype("input"));
    return {{std::nullopt, dtype("input"), sizes}};  // channels-last: strides may differ
  }

  static SymExpr window(const SymExpr& size, const SymExpr& kernel, const SymExpr& stride,
                        const SymExpr& padding, const SymExpr& dilation) {
    return floordiv(size + padding * 2 - dilation * (kernel - 1) - 1, stride) + 1;
  }

  Results max_pool() const {
    const Layout* input = layout("self");
    const Operand* ceil = find("ceil_mode");
    const Results unknown = {{std::nullopt, dtype("self")}, {std::nullopt, DType::i64}};
    if (!input || input->rank() < 3 || !input->is_contiguous() || (ceil && ceil->truth == true))
      return unknown;
    const auto kernel = per_axis("kernel_size", 2, 1), padding = per_axis("padding", 2, 0),
               dilation = per_axis("dilation", 2, 1);
    const Operand* given = find("stride");
    const bool has_stride = given && given->integers && !given->integers->empty();
    const auto stride = has_stride ? per_axis("stride", 2, 1) : kernel;
    if (!kernel || !stride || !padding || !dilation) return unknown;
    Sizes sizes = input->sizes;
    for (std::size_t i = 0; i < 2; ++i) {
      SymExpr& size = sizes[sizes.size() - 2 + i];
      size = window(size, (*kernel)[i], (*stride)[i], (*padding)[i], (*dilation)[i]);
    }
    return twice(one(sizes, dtype("self")), DType::i64);
  }

  Results embedding() const {
    const Layout* weight = layout("weight");
    const Layout* indices = layout("indices");
    if (!weight || !indices || weight->rank() != 2) return {{std::nullopt, dtype("weight")}};
    Sizes sizes = indices->sizes;
    sizes.push_back(weight->sizes[1]);
    return one(sizes, dtype("weight"));
  }

  Results cat() const {
    const Operand* tensors = find("tensors");
    if (!tensors || tensors->items.empty() || !tensors->items[0].layout) return {};
    const auto type = tensors->items[0].dtype;
    Sizes sizes = tensors->items[0].layout->sizes;
    const auto axis = axis_of(integer("dim").value_or(0), sizes.size());
    if (!axis) return {{std::nullopt, type}};
    for (std::size_t i = 0; i < tensors->items.size(); ++i) {
      const auto& item = tensors->items[i].layout;
      if (!item || item->rank() != sizes.size() || !item->is_contiguous()) return {{std::nullopt, type}};
      if (i > 0) sizes[*axis] = sizes[*axis] + item->sizes[*axis];
    }
    return one(sizes, type);
  }

  std::optional<DType> reduced_dtype() const {
    if (op_ == "any" || op_ == "all") return DType::i1;
    if (op_ == "argmax" || op_ == "argmin") return DType::i64;
    const auto type = result_dtype();
    const bool widens = (op_ == "sum" || op_ == "prod") && type && !is_floating(*type) && !dtype("dtype");
    return widens ? DType::i64 : type;
  }

  Results reduction() const {
    const Layout* from = layout("self");
    const auto type = reduced_dtype();
    if (!from || !from->is_contiguous()) return {{std::nullopt, type}};
    const Operand* keep = find("keepdim");
    const Operand* dim = find("dim");
    std::vector<bool> reduced(from->rank(), !dim || !dim->integers || dim->integers->empty());
    if (dim && dim->integers)
      for (const SymExpr& axis : *dim->integers) {
        const auto at = axis_of(axis, from->rank());
        if (!at) return {{std::nullopt, type}};
        reduced[*at] = true;
      }
    Sizes sizes;
    for (std::size_t i = 0; i < from->rank(); ++i) {
      if (!reduced[i]) sizes.push_back(from->sizes[i]);
      if (reduced[i] && keep && keep->truth == true) sizes.emplace_back(1);
    }
    return one(sizes, type);
  }

  Results factory() const {
    const Operand* size = find(op_ == "normal" ? "shape" : "size");
    if (!size || !size->integers) return {{std::nullopt, dtype("dtype")}};
    return one(*size->integers, dtype("dtype"));
  }

  std::string_view op_;
  const std::vector<Operand>& operands_;
};

}  // namespace

const Operand* find_operand(const std::vector<Operand>& operands, std::string_view name) {
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [&](const Operand& operand) { return operand.name == name; });
  return found == operands.end() ? nullptr : &*found;
}

std::optional<std::size_t> axis_of(const SymExpr& axis, std::size_t rank) {
  const auto value = axis.constant();
  if (!value) return std::nullopt;
  const std::int64_t at = *value < 0 ? *value + static_cast<std::int64_t>(rank) : *value;
  if (at < 0 || at >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(at);
}

std::vector<ResultShape> infer_results(std::string_view op, const std::vector<Operand>& operands) {
  return Rules(op, operands).infer();
}

std::optional<Layout> layout_of_result(const std::optional<Layout>& asserted, const ResultShape& inferred) {
  if (!asserted) return inferred.layout;
  if (!inferred.layout && !inferred.sizes) return asserted;
  const Layout computed = inferred.layout ? *inferred.layout : contiguous(*inferred.sizes);
  bool other = asserted->rank() != computed.rank();
  for (std::size_t axis = 0; !other && axis < computed.rank(); ++axis)
    other = (asserted->sizes[axis] - computed.sizes[axis]).constant().value_or(0) != 0;
  return other ? computed : asserted;
}

}  // namespace bufferproof::model::wrapper
