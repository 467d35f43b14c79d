#include "simulator/body/enclosure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "kernels_ref/bounds/bound_support.hpp"
#include "kernels_ref/ops/elementwise.hpp"
#include "kernels_ref/registry.hpp"
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
    if (std::abs(value) >= 0x1p53 && !model::is_floating(tensor.dtype())) value = std::nan("");
  Tensor hi = lo;
  return enclosure(std::move(lo), std::move(hi));
}

Tensor filled(const Sizes& sizes, double value) {
  Tensor out(DType::f64, sizes);
  std::ranges::fill(out.elements<double>(), value);
  return out;
}

Enclosure whole_line(const Sizes& sizes) { return {filled(sizes, -kInfinity), filled(sizes, kInfinity)}; }

/// Both ends of every element; for loops.
struct Ends {
  explicit Ends(const Enclosure& x) : lo(x.lo.elements<double>()), hi(x.hi.elements<double>()) {}
  Interval operator[](std::size_t i) const { return {lo[i], hi[i]}; }
  std::size_t size() const { return lo.size(); }
  std::span<const double> lo;
  std::span<const double> hi;
};

class MutableEnds {
 public:
  explicit MutableEnds(Enclosure& x) : lo_(x.lo.elements<double>()), hi_(x.hi.elements<double>()) {}
  Interval operator[](std::size_t i) const { return {lo_[i], hi_[i]}; }
  std::size_t size() const { return lo_.size(); }
  void put(std::size_t i, const Interval& value) {
    lo_[i] = value.lo;
    hi_[i] = value.hi;
  }

 private:
  std::span<double> lo_;
  std::span<double> hi_;
};

bool all_single(const Enclosure& x) {
  return std::ranges::equal(x.lo.elements<double>(), x.hi.elements<double>());
}

/// Largest relative error of rounding an operand; infinite where its range shrinks as well.
double relative_error(kernels::InputRounding rounding) {
  switch (rounding) {
    case kernels::InputRounding::none:
      return 0;
    case kernels::InputRounding::hf32_ties_even:
    case kernels::InputRounding::hf32_ties_toward_zero:
      return 0x1p-12;
    case kernels::InputRounding::tf32:
      return 0x1p-11;
    case kernels::InputRounding::bf16:
      return 0x1p-8;
    case kernels::InputRounding::f16:
      break;
  }
  return kInfinity;
}
/// Of subnormal operands: the low bits that are dropped are at most so much.
constexpr double kSmallestKept = 0x1p-133;

class EnclosureRun {
 public:
  EnclosureRun(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
               const EnclosedArithmetic& arithmetic)
      : function_(function),
        arithmetic_(arithmetic),
        sizes_(bind_sizes(function, arguments)),
        values_(function.values.size()),
        left_(function.values.size()) {
    for (const TensorOp& op : function.ops)
      for (ValueId id : op.operands) ++left_[static_cast<std::size_t>(id)];
    for (ValueId id : function.results) ++left_[static_cast<std::size_t>(id)];
    find_regrouped();
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
    for (const TensorOp& op : function_.ops) {
      step(op);
      for (ValueId id : op.operands)
        if (--left_[static_cast<std::size_t>(id)] == 0) values_[static_cast<std::size_t>(id)].reset();
    }
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
      const auto from = value(id).lo.elements<double>();
      if (!std::ranges::all_of(from, [](double v) { return std::isfinite(v); })) return std::nullopt;
      out.emplace_back(dtype(id), shape(id));
      const bool integer = !model::is_floating(dtype(id)) && dtype(id) != DType::i1;
      kernels::OpRegistry::builtin().run(
          {"cast",
           {std::as_const(value(id).lo).view()},
           {{"dtype", dtype(id)}, {"round", std::string(integer ? "trunc" : "rint")}},
           {out.back().view()},
           {}});
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
      MutableEnds ends(x);
      for (std::size_t i = 0; steps && i < ends.size(); ++i) ends.put(i, rounded(ends[i], dtype(id), 4));
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
    MutableEnds ends(out);
    const DType from = dtype(op.operands[0]);
    const DType to = op.dtype("dtype");
    const std::string& round = op.text("round");
    for (std::size_t i = 0; i < ends.size(); ++i) ends.put(i, convert(ends[i], from, to, round));
    set(op.results[0], std::move(out));
  }

  /// Differences that are multiplied, and sums with a product.
  void find_regrouped() {
    regroups_.assign(function_.values.size(), false);
    for (const TensorOp& op : function_.ops) {
      const auto made = [&](ValueId id) { return function_.producer(id); };
      if (op.name == "mul")
        for (ValueId id : op.operands)
          if (made(id) && made(id)->name == "sub") regroups_[static_cast<std::size_t>(id)] = true;
      if (op.name == "add" && std::any_of(op.operands.begin(), op.operands.end(),
                                          [&](ValueId id) { return made(id) && made(id)->name == "mul"; }))
        regroups_[static_cast<std::size_t>(op.results[0])] = true;
    }
  }

  void elementwise(const TensorOp& op) {
    const DType type = dtype(op.operands[op.name == "select" ? 1 : 0]);
    Enclosure out = whole_line(shape(op.results[0]));
    MutableEnds ends(out);
    std::vector<Ends> inputs;
    for (ValueId id : op.operands) inputs.emplace_back(value(id));
    std::vector<Interval> operands(op.operands.size());
    const bool distributes = model::is_floating(type) && regroups_[static_cast<std::size_t>(op.results[0])];
    for (std::size_t i = 0; i < ends.size(); ++i) {
      for (std::size_t k = 0; k < operands.size(); ++k) operands[k] = inputs[k][i];
      const auto result = apply(op.name, operands, type);
      if (!result) return from_known(op);
      ends.put(i, distributes ? regrouped(*result, operands[0], operands[1], type) : *result);
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
    set(op.results[0], end_by_end_with_nan(op));
  }

  /// Both ends NaN where the element may be: the greatest of NaN and others is NaN.
  static Enclosure with_nan(Enclosure x) {
    MutableEnds ends(x);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const Interval old = ends[i];
      if (!old.single() && std::isinf(old.magnitude())) ends.put(i, {std::nan(""), std::nan("")});
    }
    return x;
  }

  Enclosure end_by_end_with_nan(const TensorOp& op) const {
    std::vector<Enclosure> operands;
    for (ValueId id : op.operands) operands.push_back(with_nan(value(id)));
    std::vector<const Tensor*> lows;
    std::vector<const Tensor*> highs;
    for (const Enclosure& x : operands) {
      lows.push_back(&x.lo);
      highs.push_back(&x.hi);
    }
    return enclosure(in_f64(op, lows), in_f64(op, highs));
  }

  Tensor magnitudes(const Enclosure& x) const {
    Tensor out = x.lo;
    const Ends ends(x);
    const auto into = out.elements<double>();
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = ends[i].magnitude();
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
    MutableEnds ends(out);
    const auto totals = total.elements<double>();
    for (std::size_t i = 0; i < totals.size(); ++i) {
      const double error = share * totals[i];
      const Interval x = ends[i];
      ends.put(i,
               std::isfinite(error) ? rounded({x.lo - error, x.hi + error}, type, 0.5) : Interval::whole());
    }
    set(op.results[0], std::move(out));
  }

  /// Sums of products, from middles and radii: |ab - AB| <= |A| rb + |B| ra + ra rb.
  void products(const TensorOp& op) {
    std::vector<Tensor> middles;
    std::vector<Tensor> sizes;
    for (ValueId id : op.operands) {
      const Enclosure x =
          id == op.operands[0] || id == op.operands[1] ? rounded_operand(op, value(id)) : value(id);
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
    const bool exact_operands =
        std::equal(inner.begin(), inner.end(), sizes.begin(), [](const Tensor& a, const Tensor& b) {
          return std::ranges::equal(a.elements<double>(), b.elements<double>());
        });
    const Tensor least = exact_operands ? most : in_f64(op, pointers(inner));
    const ValueId id = op.results[0];
    const double share = sum_error(terms(op), dtype(id)) + kWideError;
    Enclosure out = whole_line(shape(id));
    MutableEnds ends(out);
    const auto centres = centre.elements<double>();
    const auto sums = most.elements<double>();
    const auto without = least.elements<double>();
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const double size = sums[i];
      const double error = (size - without[i]) + share * size;
      const double value = centres[i];
      if (std::isfinite(error)) ends.put(i, rounded({value - error, value + error}, dtype(id), 0.5));
    }
    set(id, std::move(out));
  }

  /// As the unit that multiplies may round it first.
  Enclosure rounded_operand(const TensorOp& op, const Enclosure& x) const {
    const double relative =
        relative_error(op.name == "convolution" ? arithmetic_.convolution : arithmetic_.matmul);
    Enclosure out = x;
    MutableEnds ends(out);
    for (std::size_t i = 0; relative > 0 && i < ends.size(); ++i) {
      const Interval old = ends[i];
      const double error =
          relative * (1 + relative) * old.magnitude() + (old.magnitude() > 0 ? kSmallestKept : 0);
      // The largest numbers may round to infinity.
      ends.put(i,
               old.magnitude() > 0x1.ffp127 ? Interval::whole() : Interval{old.lo - error, old.hi + error});
    }
    return out;
  }

  static std::vector<const Tensor*> pointers(const std::vector<Tensor>& tensors) {
    std::vector<const Tensor*> out;
    for (const Tensor& tensor : tensors) out.push_back(&tensor);
    return out;
  }
  static Tensor middle(const Enclosure& x) {
    Tensor out = x.lo;
    const Ends ends(x);
    const auto into = out.elements<double>();
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = ends.lo[i] / 2 + ends.hi[i] / 2;
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
    const Enclosure x = with_nan(operand(op, 0));
    std::vector<Tensor> lows = alone(op, {&x.lo}, std::nullopt);
    std::vector<Tensor> highs = alone(op, {&x.hi}, std::nullopt);
    set(op.results[0], enclosure(std::move(lows[0]), std::move(highs[0])));
  }

  const model::TensorFunction& function_;
  const EnclosedArithmetic arithmetic_;
  model::Valuation sizes_;
  std::vector<std::optional<Enclosure>> values_;
  std::vector<bool> regroups_;     ///< per value: see regrouped (simulator/body/interval.hpp)
  std::vector<std::size_t> left_;  ///< per value: uses still to come
};

}  // namespace

std::vector<Enclosure> enclose(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                               const EnclosedArithmetic& arithmetic) {
  return EnclosureRun(function, arguments, arithmetic).run();
}

}  // namespace bufferproof::simulator
