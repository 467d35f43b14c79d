#include "simulator/body/value_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kernels_ref/bounds/bound_support.hpp"
#include "model/ops/op_registry.hpp"
#include "simulator/launch_body.hpp"

namespace bufferproof::simulator {

using kernels::ConstTensorView;
using model::TensorFunction;
using model::TensorOp;
using model::ValueId;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }

/// A window of a tensor: what the asked element depends on, and a little more.
struct Crop {
  Index origin;
  std::vector<std::int64_t> sizes;
  std::vector<double> values;

  bool empty() const { return values.empty(); }
  double element(const Index& index) const {
    if (empty()) throw ExecutionError("an element that was not kept");
    std::int64_t flat = 0;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const std::int64_t i = index[axis] - origin[axis];
      if (i < 0 || i >= sizes[axis]) throw ExecutionError("an element outside of what was kept");
      flat = flat * sizes[axis] + i;
    }
    return values.at(static_cast<std::size_t>(flat));
  }
};

/// The smallest window around boxes.
model::Box hull(const model::BoxParts& parts) {
  model::Box out = parts.at(0).box;
  for (const model::BoxPart& part : parts)
    for (std::size_t axis = 0; axis < out.axes.size(); ++axis) {
      out.axes[axis].begin = model::smaller(out.axes[axis].begin, part.box.axes[axis].begin);
      out.axes[axis].end = model::larger(out.axes[axis].end, part.box.axes[axis].end);
      out.axes[axis].step = 1;
    }
  return out;
}

Crop crop(const ConstTensorView& view, const model::Box& box) {
  Crop out;
  std::int64_t start = 0;
  for (std::size_t axis = 0; axis < box.axes.size(); ++axis) {
    out.origin.push_back(box.axes[axis].begin.constant().value_or(0));
    out.sizes.push_back(box.axes[axis].end.constant().value_or(0) - out.origin.back());
    start += out.origin.back() * view.strides()[axis];
  }
  out.values = kernels::values_of(
      {view.bytes() + start * model::size_in_bytes(view.dtype()), view.dtype(), out.sizes, view.strides()});
  return out;
}

/// One execution, of which the elements that are depended on stay.
class Values : public BodyObserver {
 public:
  Values(const TensorFunction& function, const std::vector<model::BoxParts>& demand)
      : function_(function), demand_(demand), crops_(function.values.size()) {}

  void run(std::span<const BodyArgument> arguments, const kernels::NumericsProfile& numerics) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ValueId id = function_.parameters[i];
      if (const auto* view = std::get_if<ConstTensorView>(&arguments[i])) {
        keep(id, *view);
      } else if (!demand_[at(id)].empty()) {
        const auto* integer = std::get_if<std::int64_t>(&arguments[i]);
        crops_[at(id)] = {{}, {}, {integer ? static_cast<double>(*integer) : std::get<double>(arguments[i])}};
      }
    }
    ExecuteOptions how;
    how.numerics = numerics;
    how.fuse = false;
    how.observer = this;
    execute(function_, arguments, how);
  }
  void ran(const Ran& what) override {
    for (std::size_t k = 0; k < what.operands.size(); ++k) keep(what.op.operands[k], what.operands[k]);
    for (std::size_t r = 0; r < what.results.size(); ++r) keep(what.op.results[r], what.results[r]);
  }
  double element(ValueId id, const Index& index) const { return crops_[at(id)].element(index); }

 private:
  void keep(ValueId id, const ConstTensorView& view) {
    Crop& kept = crops_[at(id)];
    if (kept.empty() && !demand_[at(id)].empty()) kept = crop(view, hull(demand_[at(id)]));
  }

  const TensorFunction& function_;
  const std::vector<model::BoxParts>& demand_;
  std::vector<Crop> crops_;
};

bool chooses(const TensorOp& op) {
  if (op.name == "reduce") return op.text("fn") != "sum" && op.text("fn") != "prod";
  return op.name == "max" || op.name == "min" || op.name == "maxnum" || op.name == "minnum" ||
         op.name == "relu" || op.name == "clamp" || op.name == "max_pool2d";
}

class Walk {
 public:
  Walk(const TensorFunction& function, const Values& actual, const Values* right)
      : function_(function), actual_(actual), right_(right) {}

  ValuePath from(std::size_t result, const Index& element) {
    Spot spot{function_.results.at(result), element};
    const double value = actual_.element(spot.id, spot.index);
    nan_ = std::isnan(value);
    if (score(spot.id, spot.index) == 0) {
      if (!right_) return {};
      return {{}, {}, ValueBirth{"another computation", "", {}, {}}};
    }
    while (const TensorOp* op = function_.producer(spot.id)) {
      const OpElement of{function_, *op, position(spot.id), spot.index};
      const auto next = step(of);
      if (!next) return born(of, actual_.element(spot.id, spot.index));
      spot = *next;
    }
    return {static_cast<std::size_t>(function_.value(spot.id).position), spot.index, {}};
  }

 private:
  struct Spot {
    ValueId id;
    Index index;
  };

  std::size_t position(ValueId id) const { return static_cast<std::size_t>(function_.value(id).position); }

  /// How wrong an element is; 0: not in the way that is asked about.
  double score(ValueId id, const Index& index) const {
    const double x = actual_.element(id, index);
    const double y = right_ ? right_->element(id, index) : 0;
    if (nan_) return !std::isnan(x) ? 0 : right_ && std::isnan(y) ? 1 : 2;
    if (!right_) return std::isinf(x) ? 1 : 0;
    if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
    const double error = std::abs(x - y);
    return std::isnan(error) ? kInfinity : error;
  }
  double actual(const OpElement& of, std::size_t k, const Index& index) const {
    return actual_.element(of.op.operands[k], index);
  }

  /// The operand element to go on with.
  std::optional<Spot> step(const OpElement& of) const {
    const TensorOp& op = of.op;
    if (op.operands.empty()) return std::nullopt;
    if (op.name == "select") return selected(of);
    if (op.name == "gather" || op.name == "take") return gathered(of);
    Best best;
    std::size_t first = 0;
    if (sums_products(op, function_)) {
      products(of, best);
      first = 2;
    }
    for (std::size_t k = first; k < op.operands.size(); ++k)
      for_each_read(of, k,
                    [&](const Index& index) { best.offer(op.operands[k], index, weight(of, k, index)); });
    return best.spot;
  }

  struct Best {
    std::optional<Spot> spot;
    double score = 0;
    void offer(ValueId id, const Index& index, double value) {
      if (!(value > score)) return;
      score = value;
      spot = Spot{id, index};
    }
  };

  double weight(const OpElement& of, std::size_t k, const Index& index) const {
    const double own = score(of.op.operands[k], index);
    if (own == 0 || nan_) return own;
    if (of.op.name == "mul" && of.op.operands.size() == 2) return own * std::abs(actual(of, 1 - k, index));
    if (!chooses(of.op)) return own;
    // What won counts; what should have won and was lost comes next.
    const ValueId result = of.op.results[of.result];
    if (actual(of, k, index) == actual_.element(result, of.index)) return kInfinity;
    const bool lost =
        right_ && right_->element(of.op.operands[k], index) == right_->element(result, of.index);
    return lost ? std::numeric_limits<double>::max() : own;
  }

  void products(const OpElement& of, Best& best) const {
    for_each_product(of, [&](const Index* x, const Index& w) {
      if (!x) return;
      const double of_x = score(of.op.operands[0], *x);
      const double of_w = score(of.op.operands[1], w);
      if (of_x > 0) best.offer(of.op.operands[0], *x, nan_ ? of_x : of_x * std::abs(actual(of, 1, w)));
      if (of_w > 0) best.offer(of.op.operands[1], w, nan_ ? of_w : of_w * std::abs(actual(of, 0, *x)));
    });
  }

  /// The condition, where it is wrong itself; else the side it chose.
  std::optional<Spot> selected(const OpElement& of) const {
    const ValueId condition = of.op.operands[0];
    const double chosen = actual_.element(condition, of.index);
    if (right_ && right_->element(condition, of.index) != chosen) return Spot{condition, of.index};
    const ValueId side = of.op.operands[chosen != 0 ? 1 : 2];
    return score(side, of.index) > 0 ? std::optional(Spot{side, of.index}) : std::nullopt;
  }

  /// The index, where it is wrong itself; else the element it names.
  std::optional<Spot> gathered(const OpElement& of) const {
    const auto axis = static_cast<std::size_t>(of.op.integer("dim"));
    const ValueId table = of.op.operands[0];
    const ValueId indices = of.op.operands[1];
    const auto rank = static_cast<std::ptrdiff_t>(function_.type(indices).rank());
    Index at = of.index;
    if (of.op.name == "take") {
      const auto from = of.index.begin() + static_cast<std::ptrdiff_t>(axis);
      at.assign(from, from + rank);
    }
    const double number = actual_.element(indices, at);
    if (right_ && right_->element(indices, at) != number) return Spot{indices, at};
    Index element = of.index;
    if (of.op.name == "take") {
      const auto from = element.begin() + static_cast<std::ptrdiff_t>(axis);
      element.erase(from, from + rank);
      element.insert(element.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    }
    element[axis] = static_cast<std::int64_t>(number);
    return score(table, element) > 0 ? std::optional(Spot{table, element}) : std::nullopt;
  }

  ValuePath born(const OpElement& of, double value) const {
    std::string kind;
    if (of.op.operands.empty())
      kind = of.op.name == "empty" ? "undefined" : "constant";
    else if (!std::isfinite(value) && !moves_elements(of.op.name))
      kind = birth_kind(of, value, [&](std::size_t k, const Index& index) { return actual(of, k, index); });
    if (kind.empty()) return {};
    return {{}, {}, ValueBirth{kind, of.op.name, of.op.where, of.index}};
  }

  const TensorFunction& function_;
  const Values& actual_;
  const Values* right_;
  bool nan_ = false;
};

bool same_shapes(std::span<const BodyArgument> a, std::span<const BodyArgument> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const BodyArgument& x, const BodyArgument& y) {
    if (x.index() != y.index()) return false;
    const auto* view = std::get_if<ConstTensorView>(&x);
    return !view || (view->sizes() == std::get<ConstTensorView>(y).sizes() &&
                     view->dtype() == std::get<ConstTensorView>(y).dtype());
  });
}

}  // namespace

ValuePath trace_value(const TensorFunction& function, std::span<const BodyArgument> arguments,
                      std::span<const BodyArgument> right, std::size_t result, const Index& element,
                      const kernels::NumericsProfile& numerics) {
  const TensorFunction fixed = with_sizes(function, bind_sizes(function, arguments));
  const std::vector<model::BoxParts> demand = values_read(fixed, result, {{element_box(element), true}});
  Values actual(fixed, demand);
  actual.run(arguments, numerics);
  Values golden(fixed, demand);
  const bool known = same_shapes(arguments, right);
  if (known) golden.run(right, numerics);
  return Walk(fixed, actual, known ? &golden : nullptr).from(result, element);
}

}  // namespace bufferproof::simulator
