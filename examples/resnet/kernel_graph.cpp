#include "examples/resnet/kernel_graph.hpp"

#include <map>

namespace bufferproof::examples {
namespace {

class Builder {
 public:
  explicit Builder(const KernelSpec& spec) : spec_(spec) {}

  KernelGraph build() {
    int value = norm(Feed::data, {Feed::mean, Feed::variance, Feed::weight, Feed::bias});
    if (spec_.residual == Residual::identity)
      value = binary(Op::add, value, feed(Feed::residual, spec_.shape));
    if (spec_.residual == Residual::projection)
      value = binary(Op::add, value,
                     norm(Feed::data2, {Feed::mean2, Feed::variance2, Feed::weight2, Feed::bias2}));
    if (spec_.relu) value = unary(Op::relu, value);
    if (spec_.mean) value = add({Op::mean, "", {value}, {spec_.shape[0], spec_.shape[1], 1, 1}});
    graph_.result = value;
    graph_.fused_name = "fused__native_batch_norm_legit_no_training";
    if (spec_.residual != Residual::none) graph_.fused_name += "_add";
    if (spec_.mean) graph_.fused_name += "_mean";
    if (spec_.relu) graph_.fused_name += "_relu";
    return std::move(graph_);
  }

 private:
  int add(Node node) {
    if (node.name.empty()) node.name = fresh(stem(node.op));
    graph_.nodes.push_back(std::move(node));
    return static_cast<int>(graph_.nodes.size()) - 1;
  }
  std::string fresh(const std::string& name) {
    const int count = names_[name]++;
    return count == 0 ? name : name + "_" + std::to_string(count);
  }
  static std::string stem(Op op) {
    switch (op) {
      case Op::unsqueeze:
        return "unsqueeze";
      case Op::expand:
        return "expand";
      case Op::sub:
        return "sub";
      case Op::add:
      case Op::add_eps:
        return "add";
      case Op::sqrt:
        return "sqrt";
      case Op::reciprocal:
        return "reciprocal";
      case Op::relu:
        return "relu";
      case Op::mean:
        return "mean";
      default:
        return "mul";
    }
  }
  const Shape& shape(int node) const { return graph_.nodes[static_cast<std::size_t>(node)].shape; }
  int unary(Op op, int input) { return add({op, "", {input}, Shape(shape(input))}); }
  int binary(Op op, int a, int b) { return add({op, "", {a, b}, Shape(shape(a))}); }

  int feed(Feed what, Shape shape) {
    const Op op = what == Feed::batch ? Op::symbol : Op::tensor;
    const std::string name = "arg" + std::to_string(graph_.feeds.size()) + "_1";
    graph_.feeds.push_back(what);
    return add({op, name, {}, std::move(shape)});
  }
  /// (C) to (N, C, H, W).
  int channelwise(int vector) {
    const Extent channels = spec_.shape[1];
    const int two = add({Op::unsqueeze, "", {vector}, {channels, 1}});
    const int three = add({Op::unsqueeze, "", {two}, {channels, 1, 1}});
    std::vector<int> inputs{three};
    if (spec_.shape[0].symbolic) {
      if (batch_ < 0) batch_ = feed(Feed::batch, {});
      inputs.push_back(batch_);
    }
    return add({Op::expand, "", inputs, spec_.shape});
  }
  int norm(Feed data, const std::vector<Feed>& statistics) {
    const Shape vector{spec_.shape[1]};
    const int x = feed(data, spec_.shape);
    const int centred = binary(Op::sub, x, channelwise(feed(statistics[0], vector)));
    int deviation = unary(Op::sqrt, unary(Op::add_eps, feed(statistics[1], vector)));
    deviation = unary(Op::times_one, unary(Op::reciprocal, deviation));
    const int normal = binary(Op::mul, centred, channelwise(deviation));
    const int scaled = binary(Op::mul, normal, channelwise(feed(statistics[2], vector)));
    return binary(Op::add, scaled, channelwise(feed(statistics[3], vector)));
  }

  const KernelSpec& spec_;
  KernelGraph graph_;
  std::map<std::string, int> names_;
  int batch_ = -1;
};

}  // namespace

std::vector<int> KernelGraph::placeholders() const {
  std::vector<int> found;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].op == Op::tensor || nodes[i].op == Op::symbol) found.push_back(static_cast<int>(i));
  return found;
}

int KernelGraph::batch_symbol() const {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].op == Op::symbol) return static_cast<int>(i);
  return -1;
}

KernelGraph make_kernel_graph(const KernelSpec& spec) { return Builder(spec).build(); }

}  // namespace bufferproof::examples
