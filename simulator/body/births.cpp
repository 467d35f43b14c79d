#include "simulator/body/births.hpp"

#include <cmath>
#include <functional>
#include <set>

#include "kernels_ref/registry.hpp"
#include "model/ops/op_registry.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::ConstTensorView;
using kernels::Sizes;
using kernels::Tensor;
using model::TensorOp;

constexpr std::size_t kMostExamined = 4096;

Tensor as_f64(const ConstTensorView& view) {
  Tensor out(model::DType::f64, view.sizes());
  kernels::OpRegistry::builtin().run(
      {"cast", {view}, {{"dtype", model::DType::f64}, {"round", std::string("rint")}}, {out.view()}, {}});
  return out;
}

/// What the elements an element is made of are like.
struct Terms {
  bool nan = false;  ///< an operand element is NaN
  bool infinite = false;
  bool lost = false;  ///< a product of 0 and an infinity
  bool up = false;    ///< a term is +inf
  bool down = false;

  void term(double value) {
    nan = nan || std::isnan(value);
    infinite = infinite || std::isinf(value);
    up = up || value == HUGE_VAL;
    down = down || value == -HUGE_VAL;
  }
  void product(double a, double b) {
    nan = nan || std::isnan(a) || std::isnan(b);
    infinite = infinite || std::isinf(a) || std::isinf(b);
    const double both = a * b;
    lost = lost || (std::isnan(both) && !std::isnan(a) && !std::isnan(b));
    up = up || both == HUGE_VAL;
    down = down || both == -HUGE_VAL;
  }
};

/// "" when the element was not born here.
std::string kind_of_sum(double result, const Terms& terms) {
  if (terms.nan || (std::isinf(result) && terms.infinite)) return {};
  if (std::isinf(result)) return "overflow";
  if (terms.lost) return "0*inf";
  return terms.up && terms.down ? "inf-inf" : "overflow";
}

std::string kind_of_division(double a, double b) {
  if (b == 0) return a == 0 ? "0/0" : "x/0";
  return std::isinf(a) && std::isinf(b) ? "inf/inf" : "overflow";
}

std::string kind_of_function(std::string_view op, double x) {
  const bool root = op == "sqrt" || op == "rsqrt";
  const bool logarithm = op.substr(0, 3) == "log";
  if (root && x < 0) return "sqrt(<0)";
  if (logarithm && x < (op == "log1p" ? -1 : 0)) return "log(<0)";
  if (logarithm && x == (op == "log1p" ? -1 : 0)) return "log(0)";
  if ((op == "rsqrt" || op == "reciprocal" || op == "rec") && x == 0) return "x/0";
  return {};
}

std::string kind_of_elementwise(std::string_view op, double result, const std::vector<double>& x) {
  Terms terms;
  for (const double value : x) terms.term(value);
  if (terms.nan || (std::isinf(result) && terms.infinite)) return {};
  std::string kind;
  if (op == "mul" && x.size() == 2 && std::isnan(result)) kind = "0*inf";
  if ((op == "add" || op == "sub") && std::isnan(result)) kind = "inf-inf";
  if ((op == "div" || op == "fmod" || op == "remainder") && x.size() == 2)
    kind = kind_of_division(x[0], x[1]);
  if (x.size() == 1) kind = kind_of_function(op, x[0]);
  if (!kind.empty()) return kind;
  return std::isinf(result) ? "overflow" : "domain";
}

class BirthFinder : public BodyObserver {
 public:
  void ran(const Ran& what) override {
    for (std::size_t r = 0; r < what.results.size(); ++r) {
      if (!model::is_floating(what.results[r].dtype()) || moves(what.op.name)) continue;
      const Tensor result = as_f64(what.results[r]);
      std::vector<std::size_t> found;
      const auto elements = result.elements<double>();
      for (std::size_t i = 0; i < elements.size() && found.size() < kMostExamined; ++i)
        if (!std::isfinite(elements[i])) found.push_back(i);
      if (!found.empty()) examine(what, r, result, found);
    }
  }
  std::vector<Birth> take() { return std::move(births_); }

 private:
  static bool moves(std::string_view op) {
    static const std::set<std::string_view> kOps{
        "reshape",   "transpose", "broadcast", "slice",        "copy",   "copy_contiguous",
        "overwrite", "concat",    "pad",       "insert_slice", "gather", "take",
        "constant",  "dense",     "size",      "empty",        "loaded", "iota"};
    return kOps.count(op) > 0;
  }

  void examine(const Ran& what, std::size_t r, const Tensor& result, const std::vector<std::size_t>& found) {
    std::vector<Tensor> operands;
    for (const ConstTensorView& operand : what.operands) operands.push_back(as_f64(operand));
    for (const std::size_t at : found) {
      const double value = result.elements<double>()[at];
      const std::vector<std::int64_t> index = index_of(result.sizes(), static_cast<std::int64_t>(at));
      note(what.op, kind(what, r, operands, index, at, value), index);
    }
  }

  static std::vector<std::int64_t> index_of(const Sizes& sizes, std::int64_t at) {
    std::vector<std::int64_t> index(sizes.size());
    for (std::size_t axis = sizes.size(); axis-- > 0; at /= sizes[axis]) index[axis] = at % sizes[axis];
    return index;
  }

  std::string kind(const Ran& what, std::size_t r, const std::vector<Tensor>& operands,
                   const std::vector<std::int64_t>& index, std::size_t at, double value) const {
    const std::string& op = what.op.name;
    if (model::is_elementwise(op)) {
      std::vector<double> x;
      for (const Tensor& operand : operands) x.push_back(operand.elements<double>()[at]);
      if (op == "select") x.erase(x.begin());
      return kind_of_elementwise(op, value, x);
    }
    Terms terms;
    if (op == "convolution" && operands[0].sizes().size() == 4) {
      convolution_terms(what.op, operands, index, terms);
    } else if (op == "matmul") {
      product_terms(what, operands, index, terms);
    } else {
      for (std::size_t k = 0; k < operands.size(); ++k)
        for_each_read(what, r, index, k, operands[k], [&](double x) { terms.term(x); });
    }
    return kind_of_sum(value, terms);
  }

  static void convolution_terms(const TensorOp& op, const std::vector<Tensor>& operands,
                                const std::vector<std::int64_t>& index, Terms& terms) {
    const Sizes& x = operands[0].sizes();
    const Sizes& w = operands[1].sizes();
    const auto& stride = op.integers("stride");
    const auto& padding = op.integers("padding");
    const auto& dilation = op.integers("dilation");
    const std::int64_t first = index[1] / (w[0] / op.integer("groups")) * w[1];
    for (std::int64_t c = 0; c < w[1]; ++c)
      for (std::int64_t i = 0; i < w[2]; ++i)
        for (std::int64_t j = 0; j < w[3]; ++j) {
          const std::int64_t y = index[2] * stride[0] - padding[0] + i * dilation[0];
          const std::int64_t z = index[3] * stride[1] - padding[1] + j * dilation[1];
          const bool inside = y >= 0 && y < x[2] && z >= 0 && z < x[3];
          terms.product(operands[1].view().at<double>({index[1], c, i, j}),
                        inside ? operands[0].view().at<double>({index[0], first + c, y, z}) : 0);
        }
    if (operands.size() > 2) terms.term(operands[2].elements<double>()[static_cast<std::size_t>(index[1])]);
  }

  void product_terms(const Ran& what, const std::vector<Tensor>& operands,
                     const std::vector<std::int64_t>& index, Terms& terms) const {
    std::vector<double> row;
    for_each_read(what, 0, index, 0, operands[0], [&](double x) { row.push_back(x); });
    std::size_t k = 0;
    for_each_read(what, 0, index, 1, operands[1], [&](double x) { terms.product(row.at(k++), x); });
    if (operands.size() > 2) terms.term(operands[2].view().at<double>(index));
  }

  /// The elements of an operand that an element of a result reads, in row-major order.
  template <typename F>
  static void for_each_read(const Ran& what, std::size_t r, const std::vector<std::int64_t>& index,
                            std::size_t operand, const Tensor& values, F&& f) {
    model::Box box;
    for (const std::int64_t i : index) box.axes.push_back({i, i + 1, 1});
    const model::OpRule& rule = *model::OpRegistry::shipped().find(what.op.name);
    for (const model::BoxPart& part : rule.reads({what.function, what.op}, r, box, operand)) {
      std::vector<std::int64_t> at;
      walk(what, part.box, values, at, f);
    }
  }
  template <typename F>
  static void walk(const Ran& what, const model::Box& box, const Tensor& values,
                   std::vector<std::int64_t>& at, F& f) {
    if (at.size() == box.axes.size()) return f(values.view().at<double>(at));
    const model::Interval& range = box.axes[at.size()];
    const std::int64_t begin = range.begin.evaluate(what.sizes).value_or(0);
    const std::int64_t end = range.end.evaluate(what.sizes).value_or(0);
    for (std::int64_t i = begin; i < end; i += range.step) {
      at.push_back(i);
      walk(what, box, values, at, f);
      at.pop_back();
    }
  }

  void note(const TensorOp& op, const std::string& kind, const std::vector<std::int64_t>& element) {
    if (kind.empty()) return;
    for (Birth& birth : births_)
      if (birth.kind == kind && birth.op == op.name && birth.where.str() == op.where.str()) {
        ++birth.count;
        return;
      }
    births_.push_back({op.name, kind, op.where, element, 1});
  }

  std::vector<Birth> births_;
};

}  // namespace

std::vector<Birth> find_births(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                               const ExecuteOptions& options) {
  BirthFinder finder;
  ExecuteOptions how = options;
  how.fuse = false;
  how.observer = &finder;
  execute(function, arguments, how);
  return finder.take();
}

}  // namespace bufferproof::simulator
