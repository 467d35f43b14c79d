#include "simulator/body/births.hpp"

#include <algorithm>
#include <cmath>

#include "kernels_ref/registry.hpp"
#include "model/ops/op_registry.hpp"
#include "simulator/launch_body.hpp"

namespace bufferproof::simulator {
namespace {

using kernels::ConstTensorView;
using kernels::Sizes;
using kernels::Tensor;
using model::TensorOp;

/// Terms of one result that are looked at: a second's work.
constexpr std::int64_t kMostTerms = std::int64_t{1} << 26;

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

/// Every product and every other operand element the result element is made of. Sets the number of terms.
Terms terms_of(const OpElement& of, const OperandValue& value, std::int64_t& count) {
  Terms terms;
  std::size_t first = 0;
  count = 1;
  if (sums_products(of.op, of.function)) {
    for_each_product(of, [&](const Index* x, const Index& w) {
      ++count;
      terms.product(x ? value(0, *x) : 0, value(1, w));
    });
    first = 2;
  }
  for (std::size_t k = first; k < of.op.operands.size(); ++k)
    for_each_read(of, k, [&](const Index& at) {
      ++count;
      terms.term(value(k, at));
    });
  return terms;
}

/// Elementwise operations read the element of the same index of each operand.
std::string kind_of(const OpElement& of, double value, const OperandValue& operand, std::int64_t& terms) {
  if (!model::is_elementwise(of.op.name)) return kind_of_sum(value, terms_of(of, operand, terms));
  std::vector<double> x;
  for (std::size_t k = of.op.name == "select" ? 1 : 0; k < of.op.operands.size(); ++k)
    x.push_back(operand(k, of.index));
  terms = static_cast<std::int64_t>(x.size());
  return kind_of_elementwise(of.op.name, value, x);
}

class BirthFinder : public BodyObserver {
 public:
  void ran(const Ran& what) override {
    if (moves_elements(what.op.name)) return;
    for (std::size_t r = 0; r < what.results.size(); ++r) {
      if (!model::is_floating(what.results[r].dtype())) continue;
      const Tensor result = as_f64(what.results[r]);
      const auto elements = result.elements<double>();
      if (!std::all_of(elements.begin(), elements.end(), [](double x) { return std::isfinite(x); }))
        examine(what, r, result);
    }
  }
  std::vector<Birth> take() { return std::move(births_); }

 private:
  void examine(const Ran& what, std::size_t r, const Tensor& result) {
    std::vector<Tensor> operands;
    for (const ConstTensorView& operand : what.operands) operands.push_back(as_f64(operand));
    const OperandValue value = [&](std::size_t k, const Index& at) {
      return operands[k].view().at<double>(at);
    };
    std::int64_t left = kMostTerms;
    const auto elements = result.elements<double>();
    for (std::size_t at = 0; at < elements.size() && left > 0; ++at) {
      if (std::isfinite(elements[at])) continue;
      const OpElement of{what.function, what.op, r, index_of(result.sizes(), static_cast<std::int64_t>(at))};
      std::int64_t terms = 0;
      note(what.op, kind_of(of, elements[at], value, terms), of.index);
      left -= terms;
    }
  }

  static Index index_of(const Sizes& sizes, std::int64_t at) {
    Index index(sizes.size());
    for (std::size_t axis = sizes.size(); axis-- > 0; at /= sizes[axis]) index[axis] = at % sizes[axis];
    return index;
  }

  void note(const TensorOp& op, const std::string& kind, const Index& element) {
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

std::string birth_kind(const OpElement& of, double value, const OperandValue& operand) {
  std::int64_t terms = 0;
  return kind_of(of, value, operand, terms);
}

std::vector<Birth> find_births(const model::TensorFunction& function, std::span<const BodyArgument> arguments,
                               const ExecuteOptions& options) {
  const model::TensorFunction fixed = with_sizes(function, bind_sizes(function, arguments));
  BirthFinder finder;
  ExecuteOptions how = options;
  how.fuse = false;
  how.observer = &finder;
  execute(fixed, arguments, how);
  return finder.take();
}

}  // namespace bufferproof::simulator
