#include "simulator/body/op_terms.hpp"

#include <set>

#include "model/ops/op_registry.hpp"

namespace bufferproof::simulator {
namespace {

void walk(const model::Box& box, Index& at, const std::function<void(const Index&)>& f) {
  if (at.size() == box.axes.size()) return f(at);
  const model::Interval& range = box.axes[at.size()];
  const std::int64_t end = range.end.constant().value_or(0);
  for (std::int64_t i = range.begin.constant().value_or(0); i < end; i += range.step) {
    at.push_back(i);
    walk(box, at, f);
    at.pop_back();
  }
}

std::vector<std::int64_t> sizes_of(const model::TensorType& type) {
  std::vector<std::int64_t> out;
  for (const model::SymExpr& size : type.shape) out.push_back(size.constant().value_or(0));
  return out;
}

/// Taps of one output element: the place of each in the weights, and in the input.
class Taps {
 public:
  Taps(const OpElement& of, const std::function<void(const Index*, const Index&)>& f)
      : of_(of),
        f_(f),
        input_(sizes_of(of.function.type(of.op.operands[0]))),
        weight_(sizes_of(of.function.type(of.op.operands[1]))),
        first_(of.index[1] / (weight_[0] / of.op.integer("groups")) * weight_[1]) {}

  void run() {
    for (std::int64_t c = 0; c < weight_[1]; ++c) {
      Index x{of_.index[0], first_ + c};
      Index w{of_.index[1], c};
      axis(0, x, w, true);
    }
  }

 private:
  void axis(std::size_t space, Index& x, Index& w, bool inside) {
    if (space + 2 == weight_.size()) return f_(inside ? &x : nullptr, w);
    for (std::int64_t tap = 0; tap < weight_[space + 2]; ++tap) {
      const std::int64_t at = of_.index[space + 2] * of_.op.integers("stride")[space] -
                              of_.op.integers("padding")[space] + tap * of_.op.integers("dilation")[space];
      x.push_back(at);
      w.push_back(tap);
      axis(space + 1, x, w, inside && at >= 0 && at < input_[space + 2]);
      x.pop_back();
      w.pop_back();
    }
  }

  const OpElement& of_;
  const std::function<void(const Index*, const Index&)>& f_;
  const std::vector<std::int64_t> input_;
  const std::vector<std::int64_t> weight_;
  const std::int64_t first_;  ///< input channel of the group
};

}  // namespace

void for_each_read(const OpElement& of, std::size_t operand, const std::function<void(const Index&)>& f) {
  const model::OpRule& rule = *model::OpRegistry::shipped().find(of.op.name);
  const model::OpContext context{of.function, of.op};
  for (const model::BoxPart& part : rule.reads(context, of.result, element_box(of.index), operand)) {
    Index at;
    walk(part.box, at, f);
  }
}

bool sums_products(const model::TensorOp& op, const model::TensorFunction& function) {
  return op.name == "matmul" || (op.name == "convolution" && function.type(op.operands[1]).rank() >= 3);
}

void for_each_product(const OpElement& of, const std::function<void(const Index*, const Index&)>& f) {
  if (of.op.name == "convolution") return Taps(of, f).run();
  const std::size_t rank = of.index.size();
  const std::int64_t inner = sizes_of(of.function.type(of.op.operands[0])).back();
  for (std::int64_t k = 0; k < inner; ++k) {
    Index a = of.index;
    Index b = of.index;
    a[rank - 1] = k;
    b[rank - 2] = k;
    f(&a, b);
  }
}

bool moves_elements(std::string_view op) {
  static const std::set<std::string_view> kOps{
      "reshape",   "transpose", "broadcast", "slice",        "copy",   "copy_contiguous",
      "overwrite", "concat",    "pad",       "insert_slice", "gather", "take",
      "constant",  "dense",     "size",      "empty",        "loaded", "iota"};
  return kOps.count(op) > 0;
}

}  // namespace bufferproof::simulator
