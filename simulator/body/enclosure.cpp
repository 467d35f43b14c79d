#include "simulator/body/enclosure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "kernels_ref/bounds/bound_support.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "model/body/builder.hpp"
#include "model/ops/op_registry.hpp"
#include "simulator/body/interval.hpp"

namespace bufferproof::simulator {

using kernels::Sizes;
using kernels::Tensor;
using model::DType;
using model::TensorOp;
using model::ValueId;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Relative error of an f64 sum or product of the sizes bodies have, host rounding included.
constexpr double kWideError = 0x1p-40;

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// f64 from any element type; integers beyond 2^53 are not exact.
Tensor wide(const kernels::ConstTensorView& view) {
  Tensor out(DType::f64, view.sizes());
  const std::vector<double> values = kernels::values_of(view);
  std::copy(values.begin(), values.end(), out.elements<double>().begin());
  return out;
}

/// NaN says nothing: the whole line.
Enclosure enclosure(Tensor lo, Tensor hi) {
  for (double& value : lo.elements<double>())
    if (std::isnan(value)) value = -kInfinity;
  for (double& value : hi.elements<double>())
    if (std::isnan(value)) value = kInfinity;
  return {std::move(lo), std::move(hi)};
}

Enclosure exact(const Tensor& tensor) {
  Tensor lo = wide(tensor.view());
  for (double& value : lo.elements<double>())
    if (std::abs(value) > 0x1p53 && !model::is_floating(tensor.dtype())) value = std::nan("");
  Tensor hi = lo;
  return enclosure(std::move(lo), std::move(hi));
}

Tensor filled(const Sizes& sizes, double value) {
  Tensor out(DType::f64, sizes);
  std::ranges::fill(out.elements<double>(), value);
  return out;
}

Enclosure whole_line(const Sizes& sizes) { return {filled(sizes, -kInfinity), filled(sizes, kInfinity)}; }

Interval at(const Enclosure& x, std::size_t i) {
  return {x.lo.elements<double>()[i], x.hi.elements<double>()[i]};
}

void put(Enclosure& x, std::size_t i, const Interval& value) {
  x.lo.elements<double>()[i] = value.lo;
  x.hi.elements<double>()[i] = value.hi;
}

bool all_single(const Enclosure& x) {
  return std::ranges::equal(x.lo.elements<double>(), x.hi.elements<double>());
}

class EnclosureRun {
 public:
  EnclosureRun(const model::TensorFunction& function, std::span<const BodyArgument> arguments)
      : function_(function), sizes_(bind_sizes(function, arguments)), values_(function.values.size()) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ValueId id = function.parameters[i];
      if (const auto* view = std::get_if<kernels::ConstTensorView>(&arguments[i])) {
        set(id, exact(kernels::contiguous_copy(*view)));
      } else {
        const auto* integer = std::get_if<std::int64_t>(&arguments[i]);
        const double number = integer ? static_cast<double>(*integer) : std::get<double>(arguments[i]);
        set(id, exact(kernels::scalar_tensor(number, function.type(id).dtype)));
      }
    }
  }

  std::vector<Enclosure> run() {
    for (const TensorOp& op : function_.ops) step(op);
    std::vector<Enclosure> results;
    for (ValueId id : function_.results) results.push_back(value(id));
    return results;
  }

 private:
  const Enclosure& value(ValueId id) const { return *values_[static_cast<std::size_t>(id)]; }
  void set(ValueId id, Enclosure x) { values_[static_cast<std::size_t>(id)] = std::move(x); }
  const Enclosure& operand(const TensorOp& op, std::size_t k) const { return value(op.operands.at(k)); }
  DType dtype(ValueId id) const { return function_.type(id).dtype; }

  Sizes sizes_of(const std::vector<model::SymExpr>& sizes) const {
    Sizes out;
    for (const model::SymExpr& size : sizes) {
      const auto number = size.evaluate(sizes_);
      if (!number) throw ExecutionError("size " + size.str() + " has no value for these arguments");
      out.push_back(*number);
    }
    return out;
  }
  Sizes shape(ValueId id) const { return sizes_of(function_.type(id).shape); }

  model::Attributes fixed(const TensorOp& op, std::optional<DType> as) const {
    model::Attributes out = op.attributes;
    for (auto& [key, attribute] : out) {
      if (auto* sizes = std::get_if<std::vector<model::SymExpr>>(&attribute)) {
        std::vector<model::SymExpr> numbers;
        for (std::int64_t size : sizes_of(*sizes)) numbers.emplace_back(size);
        attribute = std::move(numbers);
      }
      if (as && key == "dtype") attribute = *as;
    }
    return out;
  }

  /// The operation alone, on these tensors; `as` replaces its dtype attribute.
  std::vector<Tensor> alone(const TensorOp& op, const std::vector<const Tensor*>& tensors,
                            std::optional<DType> as) const {
    model::FunctionBuilder builder(op.name);
    std::vector<ValueId> ids;
    std::vector<BodyArgument> arguments;
    for (const Tensor* tensor : tensors) {
      model::TensorType type{tensor->dtype(), {}};
      for (std::int64_t size : tensor->sizes()) type.shape.emplace_back(size);
      ids.push_back(builder.parameter("x", type));
      arguments.emplace_back(tensor->view());
    }
    const std::vector<ValueId> results = builder.add({op.name, ids, {}, fixed(op, as), op.where});
    const model::TensorFunction function = builder.finish(results);
    ExecuteOptions options;
    options.fuse = false;
    return execute(function, arguments, options);
  }
  Tensor in_f64(const TensorOp& op, const std::vector<const Tensor*>& tensors, std::size_t result = 0) const {
    return std::move(alone(op, tensors, DType::f64).at(result));
  }

  /// Operations that move or select elements: each end on its own.
  Enclosure end_by_end(const TensorOp& op) const {
    std::vector<const Tensor*> lows;
    std::vector<const Tensor*> highs;
    for (ValueId id : op.operands) {
      lows.push_back(&value(id).lo);
      highs.push_back(&value(id).hi);
    }
    return enclosure(in_f64(op, lows), in_f64(op, highs));
  }

  /// Operands that are known exactly, in their own types.
  std::optional<std::vector<Tensor>> known_operands(const TensorOp& op) const {
    std::vector<Tensor> out;
    for (ValueId id : op.operands) {
      if (!all_single(value(id))) return std::nullopt;
      out.emplace_back(dtype(id), shape(id));
      const auto from = value(id).lo.elements<double>();
      for (std::size_t i = 0; i < from.size(); ++i) {
        if (!std::isfinite(from[i])) return std::nullopt;
        const Tensor one = kernels::scalar_tensor(from[i], dtype(id));
        const auto bytes = static_cast<std::size_t>(model::size_in_bytes(dtype(id)));
        std::copy_n(one.view().bytes(), bytes, out.back().view().bytes() + i * bytes);
      }
    }
    return out;
  }

  /// Any operation on exactly known operands, with a generous error; else nothing is said.
  void from_known(const TensorOp& op) {
    const auto operands = known_operands(op);
    std::vector<const Tensor*> pointers;
    if (operands)
      for (const Tensor& tensor : *operands) pointers.push_back(&tensor);
    const std::vector<Tensor> results = operands ? alone(op, pointers, std::nullopt) : std::vector<Tensor>{};
    for (std::size_t r = 0; r < op.results.size(); ++r) {
      const ValueId id = op.results[r];
      Enclosure x = operands ? exact(results[r]) : whole_line(shape(id));
      const bool steps = model::is_floating(dtype(id)) && op.name != "bitcast";
      for (std::size_t i = 0; steps && i < x.lo.elements<double>().size(); ++i)
        put(x, i, rounded(at(x, i), dtype(id), 4));
      set(id, std::move(x));
    }
  }

  void step(const TensorOp& op) {
    const ValueId id = op.results[0];
    if (op.name == "empty") return set(id, whole_line(shape(id)));
    if (op.name == "loaded") throw ExecutionError("the values of this tensor constant stand in another file");
    if (op.operands.empty()) return set(id, exact(alone(op, {}, std::nullopt).at(0)));
    if (one_of(op.name, {"broadcast", "reshape", "transpose", "slice", "insert_slice", "concat", "pad",
                         "copy", "copy_contiguous", "overwrite"}))
      return set(id, end_by_end(op));
    if (op.name == "cast") return cast(op);
    if (model::is_elementwise(op.name)) return elementwise(op);
    if (op.name == "reduce") return reduce(op);
    if (op.name == "matmul" || op.name == "convolution") return products(op);
    if (op.name == "avg_pool2d" || op.name == "adaptive_avg_pool2d") return average(op);
    if (op.name == "cumulative" && op.text("fn") == "sum") return sums(op, longest(op));
    if (op.name == "gather" || op.name == "take") return pick(op);
    if (op.name == "max_pool2d" || op.name == "arg_reduce") return extremes(op);
    from_known(op);
  }

  void cast(const TensorOp& op) {
    const Enclosure& x = operand(op, 0);
    Enclosure out = x;
    for (std::size_t i = 0; i < out.lo.elements<double>().size(); ++i)
      put(out, i, convert(at(x, i), dtype(op.operands[0]), op.dtype("dtype"), op.text("round")));
    set(op.results[0], std::move(out));
  }

  void elementwise(const TensorOp& op) {
    const DType type = dtype(op.operands[op.name == "select" ? 1 : 0]);
    Enclosure out = whole_line(shape(op.results[0]));
    std::vector<Interval> operands(op.operands.size());
    for (std::size_t i = 0; i < out.lo.elements<double>().size(); ++i) {
      for (std::size_t k = 0; k < operands.size(); ++k) operands[k] = at(operand(op, k), i);
      const auto result = apply(op.name, operands, type);
      if (!result) return from_known(op);
      put(out, i, *result);
    }
    set(op.results[0], std::move(out));
  }

  /// Elements per result of a reduction.
  double folded(const TensorOp& op) const {
    double n = 1;
    const Sizes sizes = shape(op.operands[0]);
    for (std::int64_t dim : op.integers("dims"))
      n *= static_cast<double>(sizes[static_cast<std::size_t>(dim)]);
    return n;
  }
  double longest(const TensorOp& op) const {
    const Sizes sizes = shape(op.operands[0]);
    return static_cast<double>(*std::max_element(sizes.begin(), sizes.end()));
  }

  void reduce(const TensorOp& op) {
    const std::string& fn = op.text("fn");
    if (fn == "sum" && dtype(op.results[0]) != DType::i1) return sums(op, folded(op));
    if (fn != "max" && fn != "min" && fn != "maxnum" && fn != "minnum") return from_known(op);
    set(op.results[0], end_by_end(op));
  }

  Tensor magnitudes(const Enclosure& x) const {
    Tensor out = x.lo;
    for (std::size_t i = 0; i < out.elements<double>().size(); ++i)
      out.elements<double>()[i] = at(x, i).magnitude();
    return out;
  }

  /// Sums in any order: ends plus a share of the sum of magnitudes.
  void sums(const TensorOp& op, double n) {
    std::vector<Tensor> sizes;
    std::vector<const Tensor*> pointers;
    for (ValueId id : op.operands) sizes.push_back(magnitudes(value(id)));
    for (const Tensor& tensor : sizes) pointers.push_back(&tensor);
    const Tensor total = in_f64(op, pointers);
    Enclosure out = end_by_end(op);
    const DType type = dtype(op.results[0]);
    const double share = model::is_floating(type) ? sum_error(n, type) + kWideError : 0;
    for (std::size_t i = 0; i < total.elements<double>().size(); ++i) {
      const double error = share * total.elements<double>()[i];
      const Interval x = at(out, i);
      put(out, i,
          std::isfinite(error) ? rounded({x.lo - error, x.hi + error}, type, 0.5) : Interval::whole());
    }
    set(op.results[0], std::move(out));
  }

  /// Sums of products, from middles and radii: |ab - AB| <= |A| rb + |B| ra + ra rb.
  void products(const TensorOp& op) {
    std::vector<Tensor> middles;
    std::vector<Tensor> sizes;
    for (ValueId id : op.operands) {
      const Enclosure& x = value(id);
      if (model::is_floating(dtype(id)) &&
          std::ranges::all_of(magnitudes(x).elements<double>(), [](double v) { return std::isfinite(v); })) {
        middles.push_back(middle(x));
        sizes.push_back(magnitudes(x));
      } else {
        return from_known(op);
      }
    }
    const Tensor centre = in_f64(op, pointers(middles));
    const Tensor most = in_f64(op, pointers(sizes));
    std::vector<Tensor> inner;  // |middle|: what the sizes would be without radii
    for (const Tensor& tensor : middles) {
      inner.push_back(tensor);
      for (double& v : inner.back().elements<double>()) v = std::abs(v);
    }
    const Tensor least = in_f64(op, pointers(inner));
    const ValueId id = op.results[0];
    const double share = sum_error(terms(op), dtype(id)) + kWideError;
    Enclosure out = whole_line(shape(id));
    for (std::size_t i = 0; i < centre.elements<double>().size(); ++i) {
      const double size = most.elements<double>()[i];
      const double error = (size - least.elements<double>()[i]) + share * size;
      const double value = centre.elements<double>()[i];
      if (std::isfinite(error)) put(out, i, rounded({value - error, value + error}, dtype(id), 0.5));
    }
    set(id, std::move(out));
  }

  static std::vector<const Tensor*> pointers(const std::vector<Tensor>& tensors) {
    std::vector<const Tensor*> out;
    for (const Tensor& tensor : tensors) out.push_back(&tensor);
    return out;
  }
  static Tensor middle(const Enclosure& x) {
    Tensor out = x.lo;
    for (std::size_t i = 0; i < out.elements<double>().size(); ++i)
      out.elements<double>()[i] = at(x, i).lo / 2 + at(x, i).hi / 2;
    return out;
  }
  /// Products and additions per result.
  double terms(const TensorOp& op) const {
    const Sizes sizes = shape(op.operands[op.name == "matmul" ? 0 : 1]);
    double n = 2;
    if (op.name == "matmul") return n + static_cast<double>(sizes.back());
    for (std::size_t i = 1; i < sizes.size(); ++i) n *= static_cast<double>(sizes[i]);
    return n + 2;
  }

  void average(const TensorOp& op) {
    const Sizes sizes = shape(op.operands[0]);
    double n = 1;
    for (std::size_t i = sizes.size() - 2; i < sizes.size(); ++i) n *= static_cast<double>(sizes[i]);
    sums(op, n + 1);
  }

  void pick(const TensorOp& op) {
    if (!all_single(operand(op, 1))) return from_known(op);
    Tensor index(DType::i64, shape(op.operands[1]));
    const auto from = operand(op, 1).lo.elements<double>();
    std::transform(from.begin(), from.end(), index.elements<std::int64_t>().begin(),
                   [](double v) { return static_cast<std::int64_t>(v); });
    set(op.results[0],
        enclosure(in_f64(op, {&operand(op, 0).lo, &index}), in_f64(op, {&operand(op, 0).hi, &index})));
  }

  /// Values end by end; where they stand is known only on exact operands.
  void extremes(const TensorOp& op) {
    from_known(op);
    const auto* fn = op.has("fn") ? &op.text("fn") : nullptr;
    if (fn && op.operands.size() > 1) return;
    std::vector<Tensor> lows = alone(op, {&operand(op, 0).lo}, std::nullopt);
    std::vector<Tensor> highs = alone(op, {&operand(op, 0).hi}, std::nullopt);
    set(op.results[0], enclosure(std::move(lows[0]), std::move(highs[0])));
  }

  const model::TensorFunction& function_;
  model::Valuation sizes_;
  std::vector<std::optional<Enclosure>> values_;
};

}  // namespace

std::vector<Enclosure> enclose(const model::TensorFunction& function,
                               std::span<const BodyArgument> arguments) {
  return EnclosureRun(function, arguments).run();
}

}  // namespace bufferproof::simulator
